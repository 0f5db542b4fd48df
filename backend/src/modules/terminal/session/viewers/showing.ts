/** What a viewer gets when it attaches to a session: the output that it misses, or the screen. */
import { AwaitedOutput } from './awaited-output.ts'
import { linesFor } from './audience.ts'
import type { Snapshot } from '../../screen/snapshot.ts'
import type { OutputLog } from '../../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'

/**
 * Prints the screen with at most so many lines of scrollback; null: with all of them. Resolves to null if the screen is
 * not known.
 */
export type Print = (lines: number | null) => Promise<Snapshot | null>

interface Parts {
  readonly log: OutputLog
  /** Offset up to which output exists already, and is on its way. */
  readonly to: number
  /** The program's size. */
  size(): Size
}

export class Showing {
  readonly #parts: Parts
  readonly #awaited: AwaitedOutput
  #print: Print = () => Promise.resolve(null)
  /** Offset at which the size changed last. */
  #resizedAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#awaited = new AwaitedOutput(parts.log.end, parts.to)
  }

  /** Sets the function that prints the screen. */
  printedBy(print: Print): void {
    this.#print = print
  }

  print(lines: number | null): Promise<Snapshot | null> {
    return this.#print(lines)
  }

  /** There is new output. */
  came(): void {
    this.#awaited.came(this.#parts.log.end)
  }

  resized(): void {
    this.#resizedAt = this.#parts.log.end
  }

  /** No more output comes: ends every wait for it. */
  stop(): void {
    this.#awaited.stop()
  }

  /**
   * For a viewer that has everything before `offset` on a screen of that size. Null: send the output from `offset` on.
   * Otherwise send the screen, and the output from the screen's own offset on. `isHolder`: the viewer is the session's
   * user.
   */
  async of(offset: number | null, size: Size | null, isHolder: boolean): Promise<Snapshot | null> {
    const { log } = this.#parts
    // The viewer was quicker than the container: it may have seen output that is still on its way to this backend.
    if (offset !== null && offset > log.end) await this.#awaited.over
    if (offset !== null && this.#isExact(offset, size)) return null
    const snapshot = await this.#print(linesFor(isHolder))
    if (snapshot && snapshot.offset >= log.start) return snapshot
    return { offset: log.start, size: this.#parts.size(), data: new Uint8Array() }
  }

  /** Whether the viewer misses nothing but the output since that offset. */
  #isExact(offset: number, size: Size | null): boolean {
    const { start, end } = this.#parts.log
    if (offset < start || offset > end || offset < this.#resizedAt) return false
    const { cols, rows } = this.#parts.size()
    return size === null || (size.cols === cols && size.rows === rows)
  }
}
