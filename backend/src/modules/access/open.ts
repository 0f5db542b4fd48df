/** What is open for callers by a right, and how it ends when they lose that right. */
import type { Signal, Since } from '../../lib/emitter.ts'
import type { Caller } from '../identity/caller.ts'
import type { Holding, Loss } from './loss.ts'

/** A loss of any kind, which knows what it concerns. */
interface Concerning<H> {
  from(holding: H): boolean
}

/**
 * A set of open things. Call `arrive` before you look up anything about a caller: a right that is lost between the
 * answer and `enter` would be missed otherwise.
 */
export class Open<H extends Holding, L extends Concerning<H> = Loss> {
  readonly #losses: Pick<Signal<L>, 'on' | 'since'>
  readonly #ends = new Map<H, (loss: L) => void>()

  constructor(losses: Pick<Signal<L>, 'on' | 'since'>) {
    this.#losses = losses
    losses.on((loss) => {
      for (const [holding, end] of [...this.#ends]) if (loss.from(holding)) end(loss)
    })
  }

  /** From now on losses are kept for {@link enter}. */
  arrive(): Since<L> {
    return this.#losses.since()
  }

  /**
   * Opens it: from now on `end` is called with each loss that concerns it. Answers null. If such a loss has come since
   * `arrival`, answers that loss and opens nothing.
   */
  enter(holding: H, end: (loss: L) => void, arrival: Since<L>): L | null {
    const lost = arrival.settle((loss) => loss.from(holding)) ?? null
    if (!lost) this.#ends.set(holding, end)
    return lost
  }

  /** Removes it. Calling this again does nothing. */
  leave(holding: H): void {
    this.#ends.delete(holding)
  }

  /** The callers for whom something is open. */
  callers(): Caller[] {
    return this.all().flatMap(({ caller }) => caller ?? [])
  }

  /** Whether it is open. */
  has(holding: H): boolean {
    return this.#ends.has(holding)
  }

  /** Everything that is open now. */
  all(): H[] {
    return [...this.#ends.keys()]
  }

  /** How many are open. */
  get size(): number {
    return this.#ends.size
  }
}
