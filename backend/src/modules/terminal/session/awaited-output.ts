/** Output that was there when its session was taken over, and is still on its way from the container. */

/** How long somebody waits for it at most, in milliseconds: what speaks in the container may have claimed more than there is. */
export const ARRIVES_WITHIN_MS = 10_000

export class AwaitedOutput {
  readonly #to: number
  readonly #ended = Promise.withResolvers<null>()
  /** Null: nothing is waited for. */
  #late: NodeJS.Timeout | null = null

  /** From the offset of the first byte that will come to that of what comes after it. */
  constructor(from: number, to: number) {
    this.#to = to
    if (from < to) this.#late = setTimeout(() => this.stop(), ARRIVES_WITHIN_MS).unref()
    else this.stop()
  }

  /** Resolves when it is there, or there will be no more of it. */
  get over(): Promise<null> {
    return this.#ended.promise
  }

  /** Everything before that offset is there. */
  came(offset: number): void {
    if (this.#late && offset >= this.#to) this.stop()
  }

  stop(): void {
    if (this.#late) clearTimeout(this.#late)
    this.#late = null
    this.#ended.resolve(null)
  }
}
