/** Replays a journal: reads output from the disk that the container no longer has, while the mirror takes it. */
import { within } from '../../../../lib/time/within.ts'
import type { Past } from '../journal/past.ts'

/** Longest wait for a piece, in milliseconds. A disk that hangs must not block the mirror. */
const READ_MS = 5000
const NOTHING = new Uint8Array()

/** Runs one replay at a time. If all ran at once, each would be ready only when the last one is. */
export type InTurn = (work: () => Promise<null>) => Promise<null>

export class Replay {
  readonly #past: Pick<Past, 'next'>
  readonly #changed: () => void
  #rest: Uint8Array<ArrayBuffer> = NOTHING
  #isReading = false
  #isItsTurn = false
  #isOver = false
  readonly #over = Promise.withResolvers<null>()

  /** `changed` is called when there is more to {@link take}, or no more at all. */
  constructor(past: Pick<Past, 'next'>, inTurn: InTurn, changed: () => void) {
    this.#past = past
    this.#changed = changed
    const read = (): Promise<null> => {
      this.#isItsTurn = true
      void this.#read()
      return this.#over.promise
    }
    // Too many replays wait already.
    inTurn(read).catch(() => {
      this.stop()
      changed()
    })
  }

  /** Whether there is no more output. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The rest is not needed. */
  stop(): void {
    this.#isOver = true
    this.#over.resolve(null)
  }

  /** At most `limit` bytes of the next output, in memory of their own. Empty: wait for `changed`. */
  take(limit: number): Uint8Array<ArrayBuffer> {
    if (this.#rest.length === 0) void this.#read()
    const bytes = this.#rest.slice(0, limit)
    this.#rest = this.#rest.subarray(bytes.length)
    return bytes
  }

  async #read(): Promise<void> {
    if (!this.#isItsTurn || this.#isReading || this.isOver) return
    this.#isReading = true
    const read = async (): Promise<void> => {
      const piece = await this.#past.next()
      this.#isReading = false
      // Too late: the mirror has already continued without this piece.
      if (this.isOver) return
      if (piece) this.#rest = piece
      else this.stop()
    }
    await within(READ_MS, read(), () => this.stop())
    this.#changed()
  }
}
