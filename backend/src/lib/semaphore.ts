/** Limits how much work runs at once. */

/** So many callers wait already that one more would only time out. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

/**
 * Runs at most `slots` at once. Up to `queue` more wait their turn; the next is refused with {@link QueueFullError}. Work
 * whose signal is aborted before its turn leaves the line and is never begun.
 */
export class Semaphore {
  #free: number
  readonly #queue: number
  readonly #waiting: (() => void)[] = []

  constructor(slots: number, queue: number) {
    this.#free = slots
    this.#queue = queue
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  #turn(signal?: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#queue) return Promise.reject(new QueueFullError('too much work is waiting'))
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(new Error('aborted before its turn', { cause: signal?.reason }))
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(begin)
    })
  }
}
