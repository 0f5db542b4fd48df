/** Those who have to see all of a session. One that fails is left out from then on: its mistake is not to cost the session, nor the server. */
import type { Ending } from './ending.ts'
import type { Observer } from './session.ts'

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
