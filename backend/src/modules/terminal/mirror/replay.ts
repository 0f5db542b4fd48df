/** Output from before, of which there is more than the container has: it is read from the disk while the mirror takes it. */
import { within } from '../../../lib/within.ts'
import type { Past } from '../journal/past.ts'

/** How long is waited for a piece, in milliseconds: a disk that hangs is not waited for. */
const READ_MS = 5000
const NOTHING = new Uint8Array()

export class Replay {
  readonly #past: Pick<Past, 'next'>
  readonly #changed: () => void
  #rest: Uint8Array<ArrayBuffer> = NOTHING
  #isReading = false
  /** Whether there is no more. */
  isOver = false

  /** `changed` is called when there is more to {@link take}, or no more. */
  constructor(past: Pick<Past, 'next'>, changed: () => void) {
    this.#past = past
    this.#changed = changed
  }

  /** At most `limit` bytes of what comes next, in memory of their own; none: wait. */
  take(limit: number): Uint8Array<ArrayBuffer> {
    if (this.#rest.length === 0) void this.#read()
    const bytes = this.#rest.slice(0, limit)
    this.#rest = this.#rest.subarray(bytes.length)
    return bytes
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.isOver) return
    this.#isReading = true
    const read = async (): Promise<void> => {
      const piece = await this.#past.next()
      this.#isReading = false
      // Too late: what follows it was taken meanwhile.
      if (this.isOver) return
      if (piece) this.#rest = piece
      else this.isOver = true
    }
    await within(READ_MS, read(), () => (this.isOver = true))
    this.#changed()
  }
}
