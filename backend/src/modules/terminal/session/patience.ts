/** For how long a session goes on without the one whose session it is. */

interface Parts {
  /** In seconds. */
  seconds(): Promise<number>
  /** Whether nobody has come, and it goes on. */
  isNeeded(): boolean
  /** It begins to wait for so many seconds. */
  begun(seconds: number): void
  /** Somebody is waited for, or not any more. */
  changed(): void
  /** Nobody came. */
  over(): void
}

export class Patience {
  readonly #parts: Parts
  #isWaiting = false
  #timer: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether somebody is waited for. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Waits from now on; from the beginning, where it does already. */
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

  /** They are there. */
  came(): void {
    this.stop()
    this.#waits(false)
  }

  /** It is not waited for any more, whether they have come or not. */
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
