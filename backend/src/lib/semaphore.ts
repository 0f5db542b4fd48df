/** Limits how much work runs at once. */

/** So many callers wait already that one more would only time out. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

/**
 * Runs at most `slots` at once. Up to `queue` more wait their turn; the next is refused with {@link QueueFullError}.
 */
export class Semaphore {
  #free: number
  readonly #queue: number
  readonly #waiting: (() => void)[] = []

  constructor(slots: number, queue: number) {
    this.#free = slots
    this.#queue = queue
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#queue) return Promise.reject(new QueueFullError('too much work is waiting'))
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
