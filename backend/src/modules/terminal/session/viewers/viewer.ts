/** The viewers of a session, whatever their transport. */
import type { Size } from '@slipway/emulator'
import type { Participant, RecordedParts } from '@slipway/protocol'
import type { Ending } from '../../../sessions/ending.ts'
import type { Snapshot } from '../../screen/snapshot.ts'

/** A client that shows a session. */
export interface Viewer {
  /** Bytes that it was given and has not consumed. */
  readonly backlog: number
  /** The size that it requested last. While its person has control, the program has this size. */
  readonly askedSize: Size | null
  output(chunk: Uint8Array): void
  /** Output was left out: what the viewer has on its screen does not continue in what follows. */
  snapshot(snapshot: Snapshot): void
  resized(size: Size): void
  /**
   * The people in the session; `you` is the id of the viewer's own person. `refusal` says why they do not get, or give,
   * control.
   */
  company(people: readonly Participant[], you: string, refusal?: string): void
  /** Which parts of the session are recorded from now on. */
  recorded(parts: RecordedParts): void
  /** Input is accepted again. */
  drained(): void
  /** Called once, and last. */
  ended(ending: Ending): void
}
