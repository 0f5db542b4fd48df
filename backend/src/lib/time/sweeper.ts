/** Repeats a piece of work: at intervals, and when it is asked for. */

interface Parts {
  /** Done one after the other. If one fails, the next one is still done. */
  readonly steps: readonly (() => Promise<void>)[]
  /** Time between two rounds, in milliseconds. */
  readonly everyMs: number
  readonly onFailure: (error: unknown) => void
}

export class Sweeper {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | null = null
  #sweeping: Promise<void> | null = null
  /** A round was requested, perhaps during another one. */
  #isWanted = false
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sweeps now, and then at intervals. */
  start(): void {
    if (this.#isStopped) return
    this.#timer = setInterval(() => void this.sweep(), this.#parts.everyMs)
    this.#timer.unref()
    void this.sweep()
  }

  /** Resolves when the step that is being done is over. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    this.#isStopped = true
    await this.#sweeping
  }

  /** One round at a time. A call during a round resolves after one more. Never rejects: the next round tries again. */
  sweep(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    this.#isWanted = true
    this.#sweeping ??= this.#sweepWhileWanted().finally(() => (this.#sweeping = null))
    return this.#sweeping
  }

  async #sweepWhileWanted(): Promise<void> {
    while (this.#takeWanted())
      for (const step of this.#parts.steps) if (!this.#isStopped) await step().catch(this.#parts.onFailure)
  }

  #takeWanted(): boolean {
    const wanted = this.#isWanted && !this.#isStopped
    this.#isWanted = false
    return wanted
  }
}
