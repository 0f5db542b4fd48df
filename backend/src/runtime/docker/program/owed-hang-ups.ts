/** Terminals whose processes could not be ended because the engine was away: it is made good when the engine is back. */

/** Most that are remembered; the oldest is given up first, and stays listed with its agent. */
const MAX_OWED = 1_000
/** How many are made good at once, so that an engine that has just come back is not run over. */
const AT_ONCE = 8

interface Owed {
  readonly containerId: string
  readonly leader: string
}

/** Remembers and repays; `pay` ends one, and rejects when it cannot. */
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

  /** The engine is back. What fails because it went away again is owed again; what fails otherwise is not tried for ever. */
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
