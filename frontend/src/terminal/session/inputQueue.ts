import { MAX_INPUT_BYTES } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'

/** The socket's own buffer is kept below this, in bytes, so that Ctrl+C never waits behind a whole paste. */
export const SOCKET_BUFFER_BYTES = 4 * MAX_INPUT_BYTES
/** How often a full socket is looked at again, in milliseconds; WebSockets have no drain event. */
export const DRAIN_POLL_MS = 10
/** Most bytes that may wait here. A larger paste is refused as a whole rather than cut. */
export const QUEUE_BYTES_MAX = 256 * 1024 * 1024
/** What waits for longer than this is told, in milliseconds; sooner it is gone before anybody has wondered. */
export const TOLD_AFTER_MS = 1_000
/** How often it is told from then on, in milliseconds. */
export const TOLD_EVERY_MS = 250
/** Fewer bytes than this are keys, of which nothing is told. */
export const TOLD_BYTES_MIN = 1024
/** What ends a paste for a program that asked to be told of it. */
const PASTE_END = '\x1b[201~'

interface Sink {
  send: (bytes: Uint8Array<ArrayBuffer>) => void
  /** Bytes that the socket was given, input or not, and that are not on their way; what a lost one has left counts on. */
  buffered: () => number
  /** Told how many bytes wait here, once some have for a while, until none do. */
  waits: (bytes: number) => void
}

/**
 * Cuts input into frames the server takes, and feeds them to the socket as fast as that drains and the program takes them: what it does
 * not read waits here, and the socket stays free for everything else.
 */
export class InputQueue {
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Whether some of the first that waits was sent. */
  #isBegun = false
  /** Bytes of something else that the socket was given behind the last of the input; there is no input before the first. */
  #behind = Number.POSITIVE_INFINITY
  #cancelPoll: (() => void) | null = null
  #cancelTelling: (() => void) | null = null
  #isTold = false
  /** Of all input: what the socket was given, what of it the server has passed on, and how far the two may be apart. */
  #sent = 0
  #taken = 0
  #window = Number.POSITIVE_INFINITY
  readonly #sink: Sink
  readonly #schedule: Schedule

  constructor(sink: Sink, schedule: Schedule) {
    this.#sink = sink
    this.#schedule = schedule
  }

  /** Takes all of `bytes`, or none where the bound would be passed; the answer says which. */
  push(bytes: Uint8Array): boolean {
    if (this.#waitingBytes + bytes.length > QUEUE_BYTES_MAX) return false
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#cancelPoll === null) this.#drain()
    if (this.#cancelTelling === null && this.#waitingBytes >= TOLD_BYTES_MIN) this.#tellIn(TOLD_AFTER_MS)
    return true
  }

  /** How much may be on its way to the program; a server that does not say so does not tell what was taken either. */
  allow(window: number): void {
    this.#window = window
  }

  /** So many bytes of all input are no longer on their way. */
  taken(bytes: number): void {
    this.#taken = bytes
    if (this.#cancelPoll === null) this.#drain()
  }

  /** The socket was given so many bytes that are no input. */
  passed(bytes: number): void {
    this.#behind += bytes
  }

  /** Drops what waits, because whoever typed it wants that. The end of a paste that was begun is kept: its program waits for it. */
  drop(): void {
    const last = this.#isBegun ? this.#waiting[0]?.slice(-PASTE_END.length) : undefined
    const isEnd = last !== undefined && PASTE_END.endsWith(String.fromCharCode(...last))
    this.#waiting = isEnd ? [last] : []
    this.#waitingBytes = isEnd ? last.length : 0
    this.#isBegun = isEnd
    this.#stopTelling()
  }

  /** Drops what waits: the session has ended. Answers whether that was anything, here or in the socket's own buffer. */
  stop(): boolean {
    const isCut = this.isWaiting
    this.#cancelPoll?.()
    this.#cancelPoll = null
    this.#waiting = []
    this.#waitingBytes = 0
    this.#isBegun = false
    this.#stopTelling()
    return isCut
  }

  /** Whether any input waits, here or in the socket's own buffer. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#sink.buffered() > this.#behind
  }

  /** Whether nothing may be sent before more is taken. */
  get #isAhead(): boolean {
    return this.#sent - this.#taken >= this.#window
  }

  #drain(): void {
    this.#cancelPoll = null
    let sent = 0
    for (const bytes of this.#waiting) {
      let at = 0
      while (at < bytes.length && !this.#isAhead && this.#sink.buffered() < SOCKET_BUFFER_BYTES) {
        // A copy, since the socket may keep a reference until it has sent.
        const frame = bytes.slice(at, at + MAX_INPUT_BYTES)
        this.#sink.send(frame)
        this.#behind = 0
        this.#sent += frame.length
        at += frame.length
      }
      this.#waitingBytes -= at
      if (at < bytes.length) {
        this.#isBegun = at > 0 || (sent === 0 && this.#isBegun)
        this.#waiting[sent] = bytes.subarray(at)
        break
      }
      sent += 1
    }
    this.#waiting.splice(0, sent)
    if (this.#waiting.length === 0) this.#isBegun = false
    if (this.#waitingBytes < TOLD_BYTES_MIN) this.#stopTelling()
    if (this.#waiting.length > 0 && !this.#isAhead)
      this.#cancelPoll = this.#schedule(() => this.#drain(), DRAIN_POLL_MS)
  }
  #tellIn(ms: number): void {
    this.#cancelTelling = this.#schedule(() => {
      this.#isTold = true
      this.#sink.waits(this.#waitingBytes)
      this.#tellIn(TOLD_EVERY_MS)
    }, ms)
  }

  #stopTelling(): void {
    this.#cancelTelling?.()
    this.#cancelTelling = null
    if (this.#isTold) this.#sink.waits(0)
    this.#isTold = false
  }
}
