/** The changes of a session's size that its emulator has not been told. */
import type { Size } from '@slipway/emulator'

/** Most changes that are kept apart. If there are more, the oldest after the first is dropped. */
export const SIZES_MAX = 64

export interface SizeChange {
  /** Offset of the output after the change. */
  readonly offset: number
  readonly size: Size
}

export class SizeChanges {
  readonly #changes: SizeChange[] = []

  constructor(changes: readonly SizeChange[] = []) {
    for (const change of changes) this.add(change)
  }

  /** Adds a change, in order. Of several at one offset, only the last counts. */
  add(change: SizeChange): void {
    if (this.#changes.at(-1)?.offset === change.offset) this.#changes.pop()
    this.#changes.push(change)
    if (this.#changes.length > SIZES_MAX) this.#changes.splice(1, 1)
  }

  get all(): readonly SizeChange[] {
    return this.#changes
  }

  /** Offset of the next change. */
  get next(): number {
    return this.#changes[0]?.offset ?? Infinity
  }

  /** Removes and returns the next change, unless it is after that offset. */
  take(offset: number): Size | null {
    return this.next > offset ? null : this.#changes.shift()!.size
  }

  /** Drops the changes before that offset. */
  forget(offset: number): void {
    while (this.next < offset) this.#changes.shift()
  }
}
