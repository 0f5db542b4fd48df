/** Whoever looks at a session, however they are reached. */
import type { Size } from '@slipway/emulator'
import type { Participant, RecordedParts } from '@slipway/protocol'
import type { Ending } from '../../sessions/ending.ts'
import type { Snapshot } from '../screen/snapshot.ts'

/** Someone who looks at a session. */
export interface Viewer {
  /** Bytes handed over that have not been consumed at the other end. */
  readonly backlog: number
  /** The size that they asked for last: the program's while they have control. */
  readonly askedSize: Size | null
  output(chunk: Uint8Array): void
  /** Something was left out: what is on their screen is no part of what follows. */
  snapshot(snapshot: Snapshot): void
  resized(size: Size): void
  /** Who is in the session, among them the reader under the name `you`; why they do not get, or give, control. */
  company(people: readonly Participant[], you: string, refusal?: string): void
  /** What of the session is recorded from now on. */
  recorded(parts: RecordedParts): void
  /** More of what they type is taken. */
  drained(): void
  /** Told once; nothing comes after it. */
  ended(ending: Ending): void
}
