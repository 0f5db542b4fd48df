/** What somebody is shown who comes to a session: what they miss of its output, or its screen. */
import { AwaitedOutput } from './awaited-output.ts'
import { linesFor } from './audience.ts'
import type { Snapshot } from '../screen/snapshot.ts'
import type { OutputLog } from '../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'

/** Prints a screen, with at most so many lines above it; null: with all there are. Answers null where nobody knows the screen. */
export type Print = (lines: number | null) => Promise<Snapshot | null>

interface Parts {
  readonly log: OutputLog
  /** Offset up to which there is output already, and on its way. */
  readonly to: number
  /** That of the program. */
  size(): Size
}

export class Showing {
  readonly #parts: Parts
  readonly #awaited: AwaitedOutput
  #print: Print = () => Promise.resolve(null)
  /** Offset at which its size changed last. */
  #resizedAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#awaited = new AwaitedOutput(parts.log.end, parts.to)
  }

  /** By the one who knows the screen. */
  printedBy(print: Print): void {
    this.#print = print
  }

  print(lines: number | null): Promise<Snapshot | null> {
    return this.#print(lines)
  }

  /** There is more output. */
  came(): void {
    this.#awaited.came(this.#parts.log.end)
  }

  resized(): void {
    this.#resizedAt = this.#parts.log.end
  }

  /** Nothing more comes: nobody waits for it any longer. */
  stop(): void {
    this.#awaited.stop()
  }

  /**
   * To somebody who has everything before `offset` on a screen of that size: null, and then what follows that offset; or the
   * screen, and then what follows its own. `isHolder`: the session is theirs.
   */
  async of(offset: number | null, size: Size | null, isHolder: boolean): Promise<Snapshot | null> {
    const { log } = this.#parts
    // What they have seen may be on its way from the container: they were quicker than it.
    if (offset !== null && offset > log.end) await this.#awaited.over
    if (offset !== null && this.#isExact(offset, size)) return null
    const snapshot = await this.#print(linesFor(isHolder))
    if (snapshot && snapshot.offset >= log.start) return snapshot
    return { offset: log.start, size: this.#parts.size(), data: new Uint8Array() }
  }

  /** Whether what was printed since is all that they miss. */
  #isExact(offset: number, size: Size | null): boolean {
    const { start, end } = this.#parts.log
    if (offset < start || offset > end || offset < this.#resizedAt) return false
    const { cols, rows } = this.#parts.size()
    return size === null || (size.cols === cols && size.rows === rows)
  }
}
