/** A clock whose time passes when a test says so. */
import type { Clock } from '../ui.ts'

export class FakeClock implements Clock {
  #now = 0
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>()

  /** How many timers run. */
  get pending(): number {
    return this.#timers.size
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  advance(ms: number): void {
    this.#now += ms
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now).sort((one, other) => one.at - other.at)) {
      if (this.#timers.delete(timer)) timer.action()
    }
  }
}
