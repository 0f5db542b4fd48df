/** Counts failures by key, so that guessing gets slow and succeeding does not. */
import type { Clock } from './clock.ts'

/** How many failures a key may have in how long, and how many keys are remembered. */
export interface ThrottleLimits {
  readonly maxFailures: number
  readonly windowMs: number
  /** When full, the key that failed first is forgotten: memory is bounded at the price of a fresh start for that key. */
  readonly maxKeys: number
}

interface Entry {
  failures: number
  readonly endsAt: number
}

/** A window begins with a key's first failure and ends a fixed time later, whatever happens in between. */
export class FailureThrottle {
  /** In order of their windows' beginning, which is the order of their ends too. */
  readonly #entries = new Map<string, Entry>()
  readonly #limits: ThrottleLimits
  readonly #clock: Clock

  constructor(limits: ThrottleLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#entries.size
  }

  /** Milliseconds until this key is heard again; 0 if it is heard now. */
  blockedFor(key: string): number {
    const entry = this.#live(key)
    return entry && entry.failures >= this.#limits.maxFailures ? entry.endsAt - this.#clock.now() : 0
  }

  /** Notes a failure. */
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

  /** Forgets the failures of a key that has proven itself. */
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
