/** What a terminal session is made of, and whom it tells. */
import type { Size } from '@slipway/emulator'
import type { Program } from '../../../runtime/program.ts'
import type { Ending } from '../../sessions/ending.ts'

export interface SessionParts {
  readonly id: string
  readonly pty: Program
  readonly mode: string
  readonly agentName: string
  readonly size: Size
  /** Offset of the first byte that the pty will give; more than 0 if this backend attached to a running program. */
  readonly from?: number
  /** Offset up to which output exists already and is on its way, if this backend attached to a running program. */
  readonly to?: number
  /**
   * Whether this backend took it over. Absent: no. A guest may have had control of it before, so its user has to be told
   * who has control now.
   */
  readonly isTakenOver?: boolean
  /** Whether the screen answers its program's queries while its user is away. Absent: no, because then no one waits for it. */
  readonly answers?: boolean
  /** How long it waits for its user after they have left, in seconds. */
  keepSeconds(): Promise<number>
  /** Called whenever `Session.waits`, what its program needs, or whether it works has changed. */
  onWaits(): void
  /** An observer has thrown this error, and was removed. */
  onFailure(error: unknown): void
  /** Called once, when the session ends. Its processes may take a few seconds more, or go on without this backend. */
  onEnd(ending: Ending, goesOn: boolean): void
}
