/** Work that costs about as much for many as for one. */

/** Done in one go at most; more wait for the next one. */
const AT_ONCE = 16

interface Waiting<T> {
  readonly item: T
  resolve(value: undefined): void
  reject(error: unknown): void
}

/**
 * One batch at a time; what comes meanwhile is the next, so that nobody waits for others where there are none. Those that
 * wait are bounded by whoever adds them: each waits for its own.
 */
export class Batches<T> {
  readonly #work: (items: readonly T[]) => Promise<void>
  readonly #concernsAll: (error: unknown) => boolean
  readonly #waiting: Waiting<T>[] = []
  #isRunning = false

  /** `work` does all of them or none. What `concernsAll` says so of is the end of everything that waits, now. */
  constructor(work: (items: readonly T[]) => Promise<void>, concernsAll: (error: unknown) => boolean) {
    this.#work = work
    this.#concernsAll = concernsAll
  }

  /** Resolves when it is done, and rejects with what went wrong with it: one that cannot be done is no hindrance to the others. */
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
