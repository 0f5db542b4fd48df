/**
 * Input on its way to a holder: no more of it than the program's terminal takes. What else is said, above all what was seen of the
 * output, would stand behind the rest, and a program that prints and does not read would stop for good.
 */

import { Bracket, BRACKET_BYTES } from '../../bracket.ts'

/** Longest input of one frame, in bytes; also what waits is kept in blocks of it, however small the pieces were that it came in. */
const BLOCK_BYTES = 65_536
/** On the way to a holder that does not say what was taken: there the socket alone is known. */
const UNTOLD_BYTES = 65_536
/** On the way to any other, as its `TYPING_BYTES`: it may claim anything. */
const WINDOW_MAX_BYTES = 262_144
/**
 * Most that waits for one program, however often somebody comes back to it with more, in bytes: twice what may come over one connection.
 * More is dropped.
 */
export const INPUT_QUEUE_BYTES = 2_097_152

interface Parts {
  /** Whether what is typed may be a paste, which a program on a terminal needs to see the end of. */
  readonly isTerminal: boolean
  /** As the holder said it; null: it does not say what was taken. */
  readonly window: number | null
  /** On the way already, from somebody who was attached before. */
  readonly typing: number
  /** Sends a frame with a copy of the bytes, and tells when the socket has passed it on. */
  readonly send: (bytes: Uint8Array, flushed: () => void) => void
  /** Says that there is no more. */
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
  /** Of all input that was ever on the way: what was sent, what of it has left the socket, and what was taken, as the holder says. */
  #sent: number
  #flushed: number
  #told: number
  #drained: () => void = () => undefined
  /** Of what was sent; null where there are no pastes. */
  readonly #bracket: Bracket | null
  #isEnded = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#bracket = parts.isTerminal ? new Bracket() : null
    // There is always room for the end of a paste.
    this.#window = Math.min(parts.window ?? UNTOLD_BYTES, WINDOW_MAX_BYTES) - BRACKET_BYTES
    this.#sent = this.#flushed = parts.typing
    this.#told = parts.window === null ? Number.POSITIVE_INFINITY : 0
  }

  onDrain(listener: () => void): void {
    this.#drained = listener
  }

  /** False: some of it waits, until {@link onDrain}. */
  push(data: Uint8Array): boolean {
    if (this.#isEnded) return true
    const isFirst = this.#waiting === 0
    this.#keep(isFirst ? data.subarray(this.#send(data)) : data)
    return this.#waiting === 0
  }

  /** Nothing is taken after this; the end follows what waits. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.#waiting === 0) this.#parts.sendEnd()
  }

  /** What waits goes nowhere any more. A program that was given the beginning of a paste would take every key after it for a part of it. */
  abandon(): void {
    this.#blocks = []
    this.#waiting = 0
    const missing = this.#bracket?.missing()
    if (missing) this.#parts.send(missing, () => undefined)
  }

  /** The holder says so, whatever it is. */
  took(bytes: number): void {
    this.#told = Math.max(this.#told, bytes)
    this.#goOn()
  }

  /** Nothing counts as taken that has not even left the socket: a holder that says so would make that grow. */
  get #room(): number {
    return this.#window - (this.#sent - Math.min(this.#told, this.#flushed))
  }

  /** As much as there is room for; answers how much that was. */
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

  /** Copied: a few bytes may come in a large piece of memory. */
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
