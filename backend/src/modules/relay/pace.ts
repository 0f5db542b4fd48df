/** How fast a relay may send. A container that sends faster is slowed down by its own pipe, and nothing is lost. */

/** Frames in a second, on average. With full frames that is 32 MiB. */
const FRAMES_PER_SECOND = 2000
/** What a new connection counts, in frames: the backend makes an HTTP parser for it. That allows 20 in a second. */
export const OPEN_COST = 100
/** What may come at once, in frames: every connection that a relay may have, twice. */
const BURST = 64 * OPEN_COST

/** `now` tells milliseconds that only grow. */
export class Pace {
  readonly #now: () => number
  #owed = 0
  #at: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  /** Counts frames. Answers for how long the relay must not be read then, in milliseconds. */
  spend(frames: number): number {
    const now = this.#now()
    const paid = ((now - this.#at) * FRAMES_PER_SECOND) / 1000
    this.#at = now
    this.#owed = Math.max(0, this.#owed - paid) + frames
    return Math.max(0, ((this.#owed - BURST) * 1000) / FRAMES_PER_SECOND)
  }
}
