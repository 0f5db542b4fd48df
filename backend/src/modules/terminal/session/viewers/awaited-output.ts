/** Output that existed when this backend took the session over, and that is still on its way from the container. */

/** Longest wait for it, in milliseconds: the container may claim more output than it has. */
export const ARRIVES_WITHIN_MS = 10_000

export class AwaitedOutput {
  readonly #to: number
  readonly #ended = Promise.withResolvers<null>()
  /** Null: no output is awaited. */
  #late: NodeJS.Timeout | null = null

  /** From the offset of the first byte that arrives, up to the offset where the awaited output ends. */
  constructor(from: number, to: number) {
    this.#to = to
    if (from < to) this.#late = setTimeout(() => this.stop(), ARRIVES_WITHIN_MS).unref()
    else this.stop()
  }

  /** Resolves when all of it has arrived, or no more of it will come. */
  get over(): Promise<null> {
    return this.#ended.promise
  }

  /** All output before that offset has arrived. */
  came(offset: number): void {
    if (this.#late && offset >= this.#to) this.stop()
  }

  stop(): void {
    if (this.#late) clearTimeout(this.#late)
    this.#late = null
    this.#ended.resolve(null)
  }
}
