/** Hang-ups that failed because the engine was away. They are done when it is back. */

/**
 * Most hang-ups that are remembered. Beyond it the oldest is given up, and its processes stay listed with the agent.
 */
const MAX_OWED = 1_000
/** How many run in parallel, so that an engine that has just come back is not overloaded. */
const AT_ONCE = 8

interface Owed {
  readonly containerId: string
  readonly leader: string
}

/** Remembers hang-ups and repeats them; `pay` does one, and rejects if it fails. */
export class OwedHangUps {
  readonly #owed = new Map<string, Owed>()
  readonly #pay: (containerId: string, leader: string) => Promise<void>

  constructor(pay: (containerId: string, leader: string) => Promise<void>) {
    this.#pay = pay
  }

  get size(): number {
    return this.#owed.size
  }

  add(containerId: string, leader: string): void {
    this.#owed.set(`${containerId} ${leader}`, { containerId, leader })
    const [oldest] = this.#owed.keys()
    if (this.#owed.size > MAX_OWED && oldest !== undefined) this.#owed.delete(oldest)
  }

  /**
   * Call it when the engine is back. If the engine goes away again, `pay` adds its hang-up again. After any other error
   * it is not repeated.
   */
  async repay(): Promise<void> {
    const all = [...this.#owed.values()]
    this.#owed.clear()
    for (let at = 0; at < all.length; at += AT_ONCE)
      await Promise.all(
        all
          .slice(at, at + AT_ONCE)
          .map(({ containerId, leader }) => this.#pay(containerId, leader).catch(() => undefined)),
      )
  }
}
