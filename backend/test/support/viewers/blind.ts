/** Somebody who looks at a session and does nothing with it. */
import type { Viewer } from '../../../src/modules/terminal/session/viewer.ts'

/** `own` is what a test wants to know of them. */
export const blindViewer = (own: Partial<Viewer> = {}): Viewer => ({
  backlog: 0,
  askedSize: null,
  output: () => undefined,
  snapshot: () => undefined,
  resized: () => undefined,
  company: () => undefined,
  recorded: () => undefined,
  drained: () => undefined,
  ended: () => undefined,
  ...own,
})
