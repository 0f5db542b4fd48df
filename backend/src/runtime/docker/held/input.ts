/**
 * Input on its way to a holder. No more is sent than the program's terminal takes. Otherwise other frames, above all
 * acknowledgements of output, would wait behind it, and a program that prints without reading would stop for good.
 */

import { Bracket, BRACKET_BYTES } from '../../bracket.ts'

/**
 * Longest input of one frame, in bytes. Waiting input is kept in blocks of this size, so that small pieces cost little.
 */
const BLOCK_BYTES = 65_536
/** Window for a holder that does not report consumed input, in bytes. There only the socket's end is known. */
const UNTOLD_BYTES = 65_536
/** Largest window for other holders, in bytes, as their `TYPING_BYTES`. A hostile one may claim anything. */
const WINDOW_MAX_BYTES = 262_144
/**
 * Most input that waits for one program, in bytes: twice what one connection may send. However often clients reconnect
 * with more, the rest is dropped.
 */
export const INPUT_QUEUE_BYTES = 2_097_152

interface Parts {
  /** Whether input may have pastes, whose end a program on a terminal needs. */
  readonly isTerminal: boolean
  /** The window from the greeting; null: the holder does not report consumed input. */
  readonly window: number | null
  /** Input of an earlier client that is still under way, in bytes. */
  readonly typing: number
  /** Sends a frame with a copy of the bytes. `flushed` is called when it has left the socket. */
  readonly send: (bytes: Uint8Array, flushed: () => void) => void
  /** Sends the end of the input. */
  readonly sendEnd: () => void
}

interface Block {
  readonly bytes: Buffer
  from: number
  to: number
}

export class HeldInput {
  readonly #parts: Parts
  readonly #window: number
  #blocks: Block[] = []
  #waiting = 0
  /**
   * Counts over all input: bytes that were sent, that have left the socket, and that the holder has reported as
   * consumed.
   */
  #sent: number
  #flushed: number
  #told: number
  #drained: () => void = () => undefined
  /** Follows pastes in the sent input; null on pipes. */
  readonly #bracket: Bracket | null
  #isEnded = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#bracket = parts.isTerminal ? new Bracket() : null
    // Reserves room for the end of a paste.
    this.#window = Math.min(parts.window ?? UNTOLD_BYTES, WINDOW_MAX_BYTES) - BRACKET_BYTES
    this.#sent = this.#flushed = parts.typing
    this.#told = parts.window === null ? Number.POSITIVE_INFINITY : 0
  }

  onDrain(listener: () => void): void {
    this.#drained = listener
  }

  /** False: some of it waits until {@link onDrain}. */
  push(data: Uint8Array): boolean {
    if (this.#isEnded) return true
    const isFirst = this.#waiting === 0
    this.#keep(isFirst ? data.subarray(this.#send(data)) : data)
    return this.#waiting === 0
  }

  /** Accepts no more input. The end is sent after what waits. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.#waiting === 0) this.#parts.sendEnd()
  }

  /**
   * Drops the waiting input. If a paste was begun, its end is sent, so that the program does not count later keys as
   * part of it.
   */
  abandon(): void {
    this.#blocks = []
    this.#waiting = 0
    const missing = this.#bracket?.missing()
    if (missing) this.#parts.send(missing, () => undefined)
  }

  /** The holder has reported so many consumed bytes. It may lie. */
  took(bytes: number): void {
    this.#told = Math.max(this.#told, bytes)
    this.#goOn()
  }

  /**
   * Only bytes that have left the socket count as consumed, so that a lying holder cannot make the socket's buffer
   * grow.
   */
  get #room(): number {
    return this.#window - (this.#sent - Math.min(this.#told, this.#flushed))
  }

  /** Sends as much as there is room for. Returns how much that was. */
  #send(bytes: Uint8Array): number {
    let at = 0
    while (at < bytes.length && this.#room > 0) {
      const piece = bytes.subarray(at, at + Math.min(this.#room, BLOCK_BYTES))
      at += piece.length
      const sent = (this.#sent += piece.length)
      this.#bracket?.saw(piece)
      this.#parts.send(piece, () => {
        this.#flushed = sent
        this.#goOn()
      })
    }
    return at
  }

  /** Copied, because a few bytes may keep a large buffer alive. */
  #keep(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#waiting < INPUT_QUEUE_BYTES;) {
      let last = this.#blocks.at(-1)
      if (!last || last.to === BLOCK_BYTES) {
        last = { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), from: 0, to: 0 }
        this.#blocks.push(last)
      }
      const piece = bytes.subarray(at, at + BLOCK_BYTES - last.to)
      last.bytes.set(piece, last.to)
      last.to += piece.length
      at += piece.length
      this.#waiting += piece.length
    }
  }

  #goOn(): void {
    if (this.#waiting === 0) return
    for (let first = this.#blocks[0]; first; first = this.#blocks[0]) {
      const sent = this.#send(first.bytes.subarray(first.from, first.to))
      first.from += sent
      this.#waiting -= sent
      if (first.from < first.to) return
      this.#blocks.shift()
    }
    if (this.#isEnded) this.#parts.sendEnd()
    else this.#drained()
  }
}
