/**
 * Decides when a session's output goes to the journal: when so much follows its kept screen that the container may not
 * keep all of it.
 */
import type { Past } from '../journal/past.ts'
import type { ToMirrors } from './messages.ts'
import type { MirrorSource } from './source.ts'

/**
 * The journal begins when this much output follows a kept screen, in bytes. The server and the container keep a
 * megabyte, and the mirror may be half of that behind. So all output since the screen is still available.
 */
export const JOURNAL_AFTER_BYTES = 262_144

type Said<T extends ToMirrors['type']> = Omit<ToMirrors & { type: T }, 'key'>
type Source = Pick<MirrorSource, 'id' | 'start' | 'acknowledged' | 'read'>

export class Journaling {
  readonly #source: Source
  readonly #send: (message: Said<'journal'> | Said<'kept'>) => void
  #keptTo = 0
  /** Offset up to which the output is on the disk. */
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

  /**
   * The container has to keep the output after this offset, because the disk does not have it. Infinity: the kept
   * screen cannot be continued anyway.
   */
  get savedTo(): number {
    if (this.#isOn) return this.#writtenTo
    return this.#isBroken ? Infinity : this.#keptTo
  }

  /** Starts with a kept screen of everything before `offset`. `past` has the output after it, up to `sent`. */
  resume(offset: number, sent: number, past: Past | null): void {
    this.#keptTo = offset
    this.#isOn = this.#isGivenUp = false
    if (!past) return
    this.#start(sent, past.segments, new Uint8Array())
    this.#writtenTo = sent
  }

  /** Call it before the output from `sent` on is sent to the thread. */
  before(sent: number): void {
    if (this.#isOn || this.#isBroken || sent - this.#keptTo < JOURNAL_AFTER_BYTES) return
    this.#start(this.#keptTo, [], this.#source.read(this.#keptTo, sent - this.#keptTo))
    this.#writtenTo = this.#keptTo
  }

  /** The thread has processed everything before `offset`. */
  taken(offset: number): void {
    if (this.#isOn) this.#writtenTo = offset
  }

  /**
   * A screen is about to be printed that shows everything the thread has taken, or more of what was sent. From there on
   * the journal may begin again.
   */
  printing(taken: number, sent: number): void {
    // The session has already dropped the output that the journal would need.
    if (this.#isOn || !this.#isBroken || taken < this.#source.start) return
    this.#start(taken, [], this.#source.read(taken, sent - taken))
    this.#writtenTo = sent
  }

  /** A screen was kept of everything before `offset`. If the container has the output after it, the journal ends. */
  kept(offset: number, sent: number): void {
    this.#keptTo = offset
    // The journal was given up after the print, so the container may have dropped output after this screen.
    if (!this.#isOn) this.#isGivenUp = this.#source.acknowledged > offset
    if (!this.#isOn) return
    this.#isOn = this.#source.acknowledged > offset || sent - offset >= JOURNAL_AFTER_BYTES / 2
    this.#send({ type: 'kept', offset: this.#isOn ? offset : null })
  }

  /** The output could not be written. The journal begins again with the next screen. */
  failed(): void {
    this.#isOn = false
    this.#isGivenUp = true
  }

  /** Whether output is missing between the kept screen and what is available. */
  get #isBroken(): boolean {
    return this.#isGivenUp || this.#keptTo < this.#source.start
  }

  #start(from: number, older: readonly number[], bytes: Uint8Array<ArrayBuffer>): void {
    this.#isOn = true
    this.#isGivenUp = false
    this.#send({ type: 'journal', id: this.#source.id, from, older, bytes })
  }
}
