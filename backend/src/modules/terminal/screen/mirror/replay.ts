/** Output from before, of which there is more than the container has: it is read from the disk while the mirror takes it. */
import { within } from '../../../../lib/within.ts'
import type { Past } from '../journal/past.ts'

/** How long is waited for a piece, in milliseconds: a disk that hangs is not waited for. */
const READ_MS = 5000
const NOTHING = new Uint8Array()

/** One at a time is read: that many at once would all be ready as late as the last. */
export type InTurn = (work: () => Promise<null>) => Promise<null>

export class Replay {
  readonly #past: Pick<Past, 'next'>
  readonly #changed: () => void
  #rest: Uint8Array<ArrayBuffer> = NOTHING
  #isReading = false
  #isItsTurn = false
  #isOver = false
  readonly #over = Promise.withResolvers<null>()

  /** `changed` is called when there is more to {@link take}, or no more. */
  constructor(past: Pick<Past, 'next'>, inTurn: InTurn, changed: () => void) {
    this.#past = past
    this.#changed = changed
    const read = (): Promise<null> => {
      this.#isItsTurn = true
      void this.#read()
      return this.#over.promise
    }
    // Too many wait already.
    inTurn(read).catch(() => {
      this.stop()
      changed()
    })
  }

  /** Whether there is no more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Nobody takes any more. */
  stop(): void {
    this.#isOver = true
    this.#over.resolve(null)
  }

  /** At most `limit` bytes of what comes next, in memory of their own; none: wait. */
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
      // Too late: what follows it was taken meanwhile.
      if (this.isOver) return
      if (piece) this.#rest = piece
      else this.stop()
    }
    await within(READ_MS, read(), () => this.stop())
    this.#changed()
  }
}
