/** How long a session goes on without its user. */

interface Parts {
  /** How long to wait, in seconds. */
  seconds(): Promise<number>
  /** Whether the user is still away and the session goes on. */
  isNeeded(): boolean
  /** The wait of so many seconds begins. */
  begun(seconds: number): void
  /** {@link Patience.isWaiting} has changed. */
  changed(): void
  /** The user did not come in time. */
  over(): void
}

export class Patience {
  readonly #parts: Parts
  #isWaiting = false
  #timer: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether the session waits for its user. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Starts to wait, or starts anew if it waits already. */
  begin(): void {
    this.stop()
    this.#waits(true)
    void this.#parts.seconds().then((seconds) => {
      if (!this.#parts.isNeeded()) return
      this.stop()
      this.#parts.begun(seconds)
      this.#timer = setTimeout(() => this.#parts.over(), seconds * 1000)
      this.#timer.unref()
    })
  }

  /** The user is there. */
  came(): void {
    this.stop()
    this.#waits(false)
  }

  /** Ends the wait, whether the user has come or not. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #waits(isWaiting: boolean): void {
    if (this.#isWaiting === isWaiting) return
    this.#isWaiting = isWaiting
    this.#parts.changed()
  }
}
