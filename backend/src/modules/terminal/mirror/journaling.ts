/** When a session's output is written to the disk as it comes: where so much follows its kept screen that the container may not keep all of it. */
import type { Past } from '../journal/past.ts'
import type { ToMirrors } from './messages.ts'

/**
 * From so many bytes after a kept screen on. The server and the container keep a megabyte, of which the mirror may be half behind: what
 * came since the screen is then there to be written, too.
 */
export const JOURNAL_AFTER_BYTES = 262_144

type Said<T extends ToMirrors['type']> = Omit<ToMirrors & { type: T }, 'key'>

interface Parts {
  readonly id: string
  /** At most `limit` bytes of output from `offset` on. */
  read(offset: number, limit: number): Uint8Array<ArrayBuffer>
  send(message: Said<'journal'> | Said<'kept'>): void
}

export class Journaling {
  readonly #parts: Parts
  #keptTo = 0
  #isOn = false
  #isGivenUp = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A screen is kept of what came before `offset`, and what follows it up to `sent` an earlier server has written. */
  resume(offset: number, sent: number, past: Past | null): void {
    this.#keptTo = offset
    this.#isOn = this.#isGivenUp = false
    if (past) this.#start(sent, past.segments, new Uint8Array())
  }

  /** To be called before what follows `sent` is sent to the thread; `start` is the offset of the oldest output that is kept. */
  before(sent: number, start: number): void {
    if (this.#isOn || this.#isGivenUp || sent - this.#keptTo < JOURNAL_AFTER_BYTES || this.#keptTo < start) return
    this.#start(this.#keptTo, [], this.#parts.read(this.#keptTo, sent - this.#keptTo))
  }

  /** A screen is kept of what came before `offset`. Where little has followed it, nothing is written any more. */
  kept(offset: number, sent: number): void {
    this.#keptTo = offset
    this.#isGivenUp = false
    if (!this.#isOn) return
    this.#isOn = sent - offset >= JOURNAL_AFTER_BYTES / 2
    this.#parts.send({ type: 'kept', offset: this.#isOn ? offset : null })
  }

  /** It could not be written; it is tried again after the next screen. */
  failed(): void {
    this.#isOn = false
    this.#isGivenUp = true
  }

  #start(from: number, older: readonly number[], bytes: Uint8Array<ArrayBuffer>): void {
    this.#isOn = true
    this.#parts.send({ type: 'journal', id: this.#parts.id, from, older, bytes })
  }
}
