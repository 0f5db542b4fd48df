/** A viewer of a session that ignores everything. */
import type { Viewer } from '../../../src/modules/terminal/session/viewers/viewer.ts'

/** `own` replaces the methods that a test looks at. */
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
