/** Batches work that costs about as much for many items as for one. */

/** Most items in one batch; further items wait for the next one. */
const AT_ONCE = 16

interface Waiting<T> {
  readonly item: T
  resolve(value: undefined): void
  reject(error: unknown): void
}

/**
 * Runs one batch at a time. Items that arrive meanwhile form the next batch, so a single item never waits for company.
 * Callers bound the queue: each waits for its own item.
 */
export class Batches<T> {
  readonly #work: (items: readonly T[]) => Promise<void>
  readonly #concernsAll: (error: unknown) => boolean
  readonly #waiting: Waiting<T>[] = []
  #isRunning = false

  /**
   * `work` does all items of a batch or none. If `concernsAll` is true of its error, everything that waits is rejected
   * at once.
   */
  constructor(work: (items: readonly T[]) => Promise<void>, concernsAll: (error: unknown) => boolean) {
    this.#work = work
    this.#concernsAll = concernsAll
  }

  /** Resolves when the item is done, or rejects with its own error: an item that fails does not fail the others. */
  add(item: T): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    this.#waiting.push({ item, resolve, reject })
    if (!this.#isRunning) void this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) await this.#do(this.#waiting.splice(0, AT_ONCE))
    this.#isRunning = false
  }

  async #do(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#work(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve(undefined)
    } catch (error) {
      if (this.#concernsAll(error)) for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
      else if (batch.length === 1) batch[0]?.reject(error)
      else for (const one of batch) await this.#do([one])
    }
  }
}
