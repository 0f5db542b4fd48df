/** Whether the program of a terminal works, as its output shows it: a coding CLI that works draws its progress all the time. */
import { SECOND_MS } from '../../../lib/time/clock.ts'

/** How long it has to print until it works, in milliseconds: longer than the output of a short command. */
export const WORKS_AFTER_MS = 3 * SECOND_MS
/** After so long without output it does not work any more, in milliseconds. CLIs draw their progress more than once a second. */
export const PAUSE_MS = 5 * SECOND_MS
/** Output so soon after a key is its echo, in milliseconds. */
export const ECHO_MS = SECOND_MS

export class Work {
  readonly #changed: () => void
  #beganAt = -Infinity
  #printedAt = -Infinity
  #typedAt = -Infinity
  #timer: NodeJS.Timeout | null = null

  /** `changed` is called after each change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  get is(): boolean {
    return this.#timer !== null
  }

  /** Its program has printed. */
  printed(): void {
    const now = performance.now()
    if (now - this.#typedAt < ECHO_MS) return
    if (now - this.#printedAt > PAUSE_MS) this.#beganAt = now
    this.#printedAt = now
    if (this.is || now - this.#beganAt < WORKS_AFTER_MS) return
    this.#watch(PAUSE_MS)
    this.#changed()
  }

  /** A user has typed. */
  typed(): void {
    this.#typedAt = performance.now()
  }

  /** The terminal is over. Nothing is told any more. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** One timer for all output: it looks again later if there was some meanwhile. */
  #watch(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = PAUSE_MS - (performance.now() - this.#printedAt)
      if (left > 0) return this.#watch(left)
      this.#timer = null
      this.#changed()
    }, ms).unref()
  }
}
