/** Counts failures by key and blocks a key that has too many: it slows down guessing. */
import type { Clock } from './time/clock.ts'

/** How many failures a key may have within which time, and how many keys are kept. */
export interface ThrottleLimits {
  readonly maxFailures: number
  readonly windowMs: number
  /** When full, the key that failed first is dropped. That bounds the memory, and gives that key a fresh start. */
  readonly maxKeys: number
}

interface Entry {
  failures: number
  readonly endsAt: number
}

/** A key's window begins with its first failure and ends a fixed time later. */
export class FailureThrottle {
  /** In order of the windows' beginnings, which is also the order of their ends. */
  readonly #entries = new Map<string, Entry>()
  readonly #limits: ThrottleLimits
  readonly #clock: Clock

  constructor(limits: ThrottleLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** How many keys are kept now. */
  get size(): number {
    return this.#entries.size
  }

  /** Milliseconds for which this key is still blocked; 0 if it is not. */
  blockedFor(key: string): number {
    const entry = this.#live(key)
    return entry && entry.failures >= this.#limits.maxFailures ? entry.endsAt - this.#clock.now() : 0
  }

  /** Counts a failure. */
  fail(key: string): void {
    const entry = this.#live(key)
    if (entry) {
      entry.failures += 1
      return
    }
    this.#forgetEnded()
    if (this.#entries.size >= this.#limits.maxKeys) this.#forgetOldest()
    this.#entries.set(key, { failures: 1, endsAt: this.#clock.now() + this.#limits.windowMs })
  }

  /** Drops the failures of a key that has succeeded. */
  clear(key: string): void {
    this.#entries.delete(key)
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.endsAt > this.#clock.now()) return entry
    this.#entries.delete(key)
    return undefined
  }

  #forgetEnded(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.endsAt > this.#clock.now()) return
      this.#entries.delete(key)
    }
  }

  #forgetOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key)
      return
    }
  }
}
