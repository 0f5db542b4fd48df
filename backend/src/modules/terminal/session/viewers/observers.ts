/**
 * The observers of a session, which see all of it. If one fails, it is removed: its fault must not cost the session or
 * the server.
 */
import type { Ending } from '../../../sessions/ending.ts'
import { LOG_BYTES } from '../../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'

/** An event of a session that is not output. */
export type Mark = 'attached' | 'detached' | 'control'

/**
 * Sees every byte, and may slow the program down for that: the mirror, a recording. It does not keep a session alive.
 */
export interface Observer {
  /** Bytes that it was given and has not processed yet. Call the session’s `consumed` when it has decreased. */
  readonly backlog: number
  /** If set, the container keeps the output after this offset, although the observer has processed it. */
  readonly keptTo?: number
  /** In order, without gaps. `offset` is that of the first byte. The memory is not the observer's after the call. */
  output(chunk: Uint8Array, offset: number): void
  resized?(size: Size): void
  /** Input that a person typed. */
  typed?(data: Uint8Array): void
  marked?(mark: Mark): void
  /** Called once. `goesOn`: another backend will take the session over. */
  ended(ending: Ending, goesOn: boolean): void
  /** It has thrown an error, and is called no more. The session goes on without it. */
  failed(): void
}

/** How far the program may run ahead of an observer, in bytes: half of the output that is kept for a reconnect. */
export const OBSERVER_BYTES = LOG_BYTES / 2

export class Observers {
  readonly #observers = new Set<Observer>()
  readonly #failed: (error: unknown) => void

  /** `failed` gets the error for which an observer was removed. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  add(observer: Observer): void {
    this.#observers.add(observer)
  }

  remove(observer: Observer): void {
    this.#observers.delete(observer)
  }

  /** Calls each observer. Never throws. */
  tell(event: (observer: Observer) => void): void {
    for (const observer of this.#observers)
      try {
        event(observer)
      } catch (error) {
        this.#leaveOut(observer, error)
      }
  }

  /** Tells them an event that is not output. */
  mark(mark: Mark): void {
    this.tell((observer) => observer.marked?.(mark))
  }

  /** Tells them the end. They are called no more after it. */
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

  /** Offset before which the container need not keep any output for them. */
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
      // The same fault would most likely make it fail as well.
    }
    this.#failed(error)
  }
}
