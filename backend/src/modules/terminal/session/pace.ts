/** How fast a session's program is read, and up to where its container may forget what it printed. */
import type { Program } from '../../../runtime/port.ts'
import type { Audience } from './audience.ts'
import { OBSERVER_BYTES, type Observers } from './observers.ts'
import type { OutputLog } from '../../sessions/output-log.ts'

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

  /** There is more output. */
  came(): void {
    if (this.#parts.audience.size === 0) this.consumed()
    else this.#keep()
  }

  /** Somebody has caught up somewhat: perhaps reading can go on, and what everybody has seen can go. */
  consumed(): void {
    this.#keep()
    const { pty, log, audience, observers } = this.#parts
    // Also for observers: what a killed backend had not dealt with is there for the next one.
    const seen = log.end - Math.max(audience.backlog, observers.backlog)
    pty.acknowledge('stdout', Math.min(seen, observers.keptTo))
  }

  /** No faster than the slowest of those who follow. */
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
