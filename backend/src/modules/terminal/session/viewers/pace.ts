/** Decides how fast a session's program is read, and which output its container may drop. */
import type { Program } from '../../../../runtime/program.ts'
import type { Audience } from './audience.ts'
import { OBSERVER_BYTES, type Observers } from './observers.ts'
import type { OutputLog } from '../../../sessions/output-log.ts'

interface Parts {
  readonly pty: Pick<Program, 'pause' | 'resume' | 'acknowledge'>
  readonly log: OutputLog
  readonly audience: Audience
  readonly observers: Observers
}

export class Pace {
  readonly #parts: Parts
  #isPaused = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** There is new output. */
  came(): void {
    if (this.#parts.audience.size === 0) this.consumed()
    else this.#keep()
  }

  /**
   * A viewer or an observer has consumed output. Perhaps reading can resume, and the container can drop what all have
   * seen.
   */
  consumed(): void {
    this.#keep()
    const { pty, log, audience, observers } = this.#parts
    // This includes observers: if this backend is killed, the next one still gets what they had not processed.
    const seen = log.end - Math.max(audience.backlog, observers.backlog)
    pty.acknowledge('stdout', Math.min(seen, observers.keptTo))
  }

  /** Pauses the program while the slowest viewer that follows, or an observer, is too far behind. */
  #keep(): void {
    const { pty, audience, observers } = this.#parts
    const mayFlutter = this.#isPaused ? OBSERVER_BYTES / 2 : OBSERVER_BYTES
    const isFull = audience.holdsUp() || observers.backlog > mayFlutter
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    if (isFull) pty.pause()
    else pty.resume()
  }
}
