/** The changes of a session's size that are still to be told to its emulator. */
import type { Size } from '@slipway/emulator'

/** Changes between two pieces of output that are told apart; of more the oldest go, but for the one that it began with. */
export const SIZES_MAX = 64

export interface SizeChange {
  /** Of the output that comes next. */
  readonly offset: number
  readonly size: Size
}

export class SizeChanges {
  readonly #changes: SizeChange[] = []

  constructor(changes: readonly SizeChange[] = []) {
    for (const change of changes) this.add(change)
  }

  /** In order. Of those at one offset only the last counts. */
  add(change: SizeChange): void {
    if (this.#changes.at(-1)?.offset === change.offset) this.#changes.pop()
    this.#changes.push(change)
    if (this.#changes.length > SIZES_MAX) this.#changes.splice(1, 1)
  }

  get all(): readonly SizeChange[] {
    return this.#changes
  }

  /** Where the next one is. */
  get next(): number {
    return this.#changes[0]?.offset ?? Infinity
  }

  /** Takes out the next one, if it is not after that offset. */
  take(offset: number): Size | null {
    return this.next > offset ? null : this.#changes.shift()!.size
  }

  /** Those before that offset go. */
  forget(offset: number): void {
    while (this.next < offset) this.#changes.shift()
  }
}
