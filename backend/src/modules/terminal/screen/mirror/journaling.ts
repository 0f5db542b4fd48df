/** When a session's output is written to the disk as it comes: where so much follows its kept screen that the container may not keep all of it. */
import type { Past } from '../journal/past.ts'
import type { ToMirrors } from './messages.ts'
import type { MirrorSource } from './source.ts'

/**
 * From so many bytes after a kept screen on. The server and the container keep a megabyte, of which the mirror may be half behind: what
 * came since the screen is then there to be written, too.
 */
export const JOURNAL_AFTER_BYTES = 262_144

type Said<T extends ToMirrors['type']> = Omit<ToMirrors & { type: T }, 'key'>
type Source = Pick<MirrorSource, 'id' | 'start' | 'acknowledged' | 'read'>

export class Journaling {
  readonly #source: Source
  readonly #send: (message: Said<'journal'> | Said<'kept'>) => void
  #keptTo = 0
  /** Up to where it is on the disk. */
  #writtenTo = 0
  #isOn = false
  #isGivenUp = false

  constructor(source: Source, send: (message: Said<'journal'> | Said<'kept'>) => void) {
    this.#source = source
    this.#send = send
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** What follows this offset is nowhere but in the container, for whoever wants to go on from the kept screen; where that cannot be, any offset. */
  get savedTo(): number {
    if (this.#isOn) return this.#writtenTo
    return this.#isBroken ? Infinity : this.#keptTo
  }

  /** A screen is kept of what came before `offset`, and what follows it up to `sent` an earlier server has written. */
  resume(offset: number, sent: number, past: Past | null): void {
    this.#keptTo = offset
    this.#isOn = this.#isGivenUp = false
    if (!past) return
    this.#start(sent, past.segments, new Uint8Array())
    this.#writtenTo = sent
  }

  /** To be called before what follows `sent` is sent to the thread. */
  before(sent: number): void {
    if (this.#isOn || this.#isBroken || sent - this.#keptTo < JOURNAL_AFTER_BYTES) return
    this.#start(this.#keptTo, [], this.#source.read(this.#keptTo, sent - this.#keptTo))
    this.#writtenTo = this.#keptTo
  }

  /** The thread has dealt with everything before `offset`. */
  taken(offset: number): void {
    if (this.#isOn) this.#writtenTo = offset
  }

  /** A screen is about to be printed that shows what the thread has taken, or more of what was sent: from there on it may be written again. */
  printing(taken: number, sent: number): void {
    // What the session has forgotten already can be written by nobody.
    if (this.#isOn || !this.#isBroken || taken < this.#source.start) return
    this.#start(taken, [], this.#source.read(taken, sent - taken))
    this.#writtenTo = sent
  }

  /** A screen is kept of what came before `offset`. Where the container has what followed it, nothing is written any more. */
  kept(offset: number, sent: number): void {
    this.#keptTo = offset
    // Given up between the print and now: the container may have forgotten what follows it.
    if (!this.#isOn) this.#isGivenUp = this.#source.acknowledged > offset
    if (!this.#isOn) return
    this.#isOn = this.#source.acknowledged > offset || sent - offset >= JOURNAL_AFTER_BYTES / 2
    this.#send({ type: 'kept', offset: this.#isOn ? offset : null })
  }

  /** It could not be written; it is tried again with the next screen. */
  failed(): void {
    this.#isOn = false
    this.#isGivenUp = true
  }

  /** Whether something is missing between the kept screen and what there is. */
  get #isBroken(): boolean {
    return this.#isGivenUp || this.#keptTo < this.#source.start
  }

  #start(from: number, older: readonly number[], bytes: Uint8Array<ArrayBuffer>): void {
    this.#isOn = true
    this.#isGivenUp = false
    this.#send({ type: 'journal', id: this.#source.id, from, older, bytes })
  }
}
