import { MAX_INPUT_BYTES } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'

/** Most bytes in the socket's own buffer, so that Ctrl+C never waits behind a whole paste. */
export const SOCKET_BUFFER_BYTES = 4 * MAX_INPUT_BYTES
/** How often to check a full socket again, in milliseconds. WebSockets have no drain event. */
export const DRAIN_POLL_MS = 10
/** Most bytes in this queue. A larger paste is refused as a whole, never cut. */
export const QUEUE_BYTES_MAX = 256 * 1024 * 1024
/** Waiting input is reported after this time, in milliseconds. Shorter waits are not noticeable. */
export const TOLD_AFTER_MS = 1_000
/** How often waiting input is reported after that, in milliseconds. */
export const TOLD_EVERY_MS = 250
/** Least bytes that are reported. Fewer are keys, not a paste. */
export const TOLD_BYTES_MIN = 1024
/** End of a bracketed paste. */
const PASTE_END = '\x1b[201~'

interface Sink {
  send: (bytes: Uint8Array<ArrayBuffer>) => void
  /**
   * Bytes in the socket's buffer, input or not, that have not been sent. A lost socket still counts the bytes it kept.
   */
  buffered: () => number
  /** Called with the number of waiting bytes, once some have waited for a while, until none wait. */
  waits: (bytes: number) => void
}

/**
 * Splits input into frames that the server accepts. Sends them only as fast as the socket drains and the program reads.
 * Other input waits here, so that the socket stays free for other messages.
 */
export class InputQueue {
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Whether a part of the first waiting chunk was sent. */
  #isBegun = false
  /** Bytes of other messages that the socket got after the last input. Infinite before the first input. */
  #behind = Number.POSITIVE_INFINITY
  #cancelPoll: (() => void) | null = null
  #cancelTelling: (() => void) | null = null
  #isTold = false
  /**
   * Back-pressure over all input, in bytes: handed to the socket, acknowledged by the server, and the most that may lie
   * between.
   */
  #sent = 0
  #taken = 0
  #window = Number.POSITIVE_INFINITY
  readonly #sink: Sink
  readonly #schedule: Schedule

  constructor(sink: Sink, schedule: Schedule) {
    this.#sink = sink
    this.#schedule = schedule
  }

  /** Queues all of `bytes`, or none if the bound would be exceeded. Returns whether they were queued. */
  push(bytes: Uint8Array): boolean {
    if (this.#waitingBytes + bytes.length > QUEUE_BYTES_MAX) return false
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#cancelPoll === null) this.#drain()
    if (this.#cancelTelling === null && this.#waitingBytes >= TOLD_BYTES_MIN) this.#tellIn(TOLD_AFTER_MS)
    return true
  }

  /** Sets how much input may be unacknowledged. A server that sends no window sends no acknowledgements either. */
  allow(window: number): void {
    this.#window = window
  }

  /** The server has acknowledged this many bytes in total. */
  taken(bytes: number): void {
    this.#taken = bytes
    if (this.#cancelPoll === null) this.#drain()
  }

  /** The socket got this many bytes of another message. */
  passed(bytes: number): void {
    this.#behind += bytes
  }

  /**
   * Drops the waiting input because the user asked for it. Keeps the end of a paste that was partly sent, because its
   * program waits for it.
   */
  drop(): void {
    const last = this.#isBegun ? this.#waiting[0]?.slice(-PASTE_END.length) : undefined
    const isEnd = last !== undefined && PASTE_END.endsWith(String.fromCharCode(...last))
    this.#waiting = isEnd ? [last] : []
    this.#waitingBytes = isEnd ? last.length : 0
    this.#isBegun = isEnd
    this.#stopTelling()
  }

  /**
   * Drops the waiting input because the session has ended. Returns whether there was any, here or in the socket's own
   * buffer.
   */
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

  /** Whether sending must wait for acknowledgements. */
  get #isAhead(): boolean {
    return this.#sent - this.#taken >= this.#window
  }

  #drain(): void {
    this.#cancelPoll = null
    let sent = 0
    for (const bytes of this.#waiting) {
      let at = 0
      while (at < bytes.length && !this.#isAhead && this.#sink.buffered() < SOCKET_BUFFER_BYTES) {
        // A copy, because the socket may keep a reference until it has sent the bytes.
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
