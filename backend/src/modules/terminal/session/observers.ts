/** Those who have to see all of a session. One that fails is left out from then on: its mistake is not to cost the session, nor the server. */
import type { Ending } from '../../sessions/ending.ts'
import { LOG_BYTES } from '../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'

/** What happened to a session that is not output. */
export type Mark = 'attached' | 'detached' | 'control'

/** Something that has to see every byte, and may slow the program for it: the mirror, a recording. It keeps no session alive. */
export interface Observer {
  /** Bytes that were told and are not dealt with yet. Call the session’s `consumed` when it has become less. */
  readonly backlog: number
  /** Where it says that: the container is to keep what follows this offset, although it was dealt with. */
  readonly keptTo?: number
  /** In order, without gaps; `offset` is that of the first byte. The memory is somebody else's afterwards. */
  output(chunk: Uint8Array, offset: number): void
  resized?(size: Size): void
  /** What somebody typed. */
  typed?(data: Uint8Array): void
  marked?(mark: Mark): void
  /** Told once. `goesOn`: another backend will take the session over. */
  ended(ending: Ending, goesOn: boolean): void
  /** It has thrown something, and is told nothing any more. The session goes on without it. */
  failed(): void
}

/** How far the program may run ahead of an observer, in bytes: half of what is kept for whoever comes back. */
export const OBSERVER_BYTES = LOG_BYTES / 2

export class Observers {
  readonly #observers = new Set<Observer>()
  readonly #failed: (error: unknown) => void

  /** `failed` is told why one is not among them any more. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  add(observer: Observer): void {
    this.#observers.add(observer)
  }

  remove(observer: Observer): void {
    this.#observers.delete(observer)
  }

  /** Tells each of them something. Never fails. */
  tell(event: (observer: Observer) => void): void {
    for (const observer of this.#observers)
      try {
        event(observer)
      } catch (error) {
        this.#leaveOut(observer, error)
      }
  }

  /** Tells them the end, and nothing after it. */
  end(ending: Ending, goesOn: boolean): void {
    this.tell((observer) => observer.ended(ending, goesOn))
    this.#observers.clear()
  }

  /** How far the slowest of them is behind, in bytes. */
  get backlog(): number {
    let most = 0
    for (const { backlog } of this.#observers) most = Math.max(most, backlog)
    return most
  }

  /** Up to where the container need not keep anything for them. */
  get keptTo(): number {
    let to = Infinity
    for (const { keptTo } of this.#observers) to = Math.min(to, keptTo ?? Infinity)
    return to
  }

  #leaveOut(observer: Observer, error: unknown): void {
    this.#observers.delete(observer)
    try {
      observer.failed()
    } catch {
      // Of the same mistake, most likely.
    }
    this.#failed(error)
  }
}
