/** Whose turn it is: users who had the last place longest ago come first, and those who had none before them. Pure. */

interface OfUser {
  /** Null: the platform. */
  readonly userId: string | null
}

export class Turns {
  /** The number of the last turn of each user. */
  readonly #last = new Map<string | null, number>()
  #count = 0

  /** The user takes a turn. */
  took(userId: string | null): void {
    this.#count += 1
    this.#last.set(userId, this.#count)
  }

  /** The same ones, in the order of their turns. Those of one user stay in their order. */
  inOrder<T extends OfUser>(waiting: readonly T[]): T[] {
    const turnOf = ({ userId }: OfUser): number => this.#last.get(userId) ?? 0
    return waiting.toSorted((a, b) => turnOf(a) - turnOf(b))
  }

  /** Forgets all other users, so that it remembers no more of them than wait or are served. */
  keep(users: readonly (string | null)[]): void {
    const kept = new Set(users)
    for (const userId of this.#last.keys()) if (!kept.has(userId)) this.#last.delete(userId)
  }
}
