/** How much may pass between this backend and a program of a container. What is too fast waits, and nothing is lost. */

export interface PaceOptions {
  /** On average. */
  readonly perSecond: number
  /** What may come at once, in the same unit. */
  readonly burst: number
}

export class Pace {
  readonly #options: PaceOptions
  readonly #now: () => number
  #owed = 0
  #at: number

  /** `now` tells milliseconds that only grow. */
  constructor(options: PaceOptions, now: () => number = () => performance.now()) {
    this.#options = options
    this.#now = now
    this.#at = now()
  }

  /** Counts what has passed. Answers for how long nothing more may pass then, in milliseconds. */
  spend(amount: number): number {
    const { perSecond, burst } = this.#options
    const now = this.#now()
    const paid = ((now - this.#at) * perSecond) / 1000
    this.#at = now
    this.#owed = Math.max(0, this.#owed - paid) + amount
    return Math.max(0, ((this.#owed - burst) * 1000) / perSecond)
  }
}
