/** Splits the bytes of an output into lines, and bounds the memory for one line. */
import { EVENT_TEXT_MAX } from '@slipway/protocol'

/** Longest line that a driver gets, in bytes. CLIs print a whole file or a picture in one line. */
export const LINE_MAX = 8_388_608
/** How much is kept of a longer line, in bytes: more than is shown, so that a secret at the cut is masked first. */
const KEPT_OF_LONG = EVENT_TEXT_MAX + 16_384

const LINE_FEED = 0x0a
const RETURN = 0x0d

/** One line of an output. */
export interface Line {
  /** Without its line feed. Bytes that are not UTF-8 are replaced. For a line that is too long, its beginning. */
  readonly text: string
  /** The offset behind it, and behind its line feed. A line that is too long has not ended there. */
  readonly end: number
  /** Whether the line is longer than {@link LINE_MAX}. Its rest is left out. */
  readonly isCut: boolean
}

export class LineSplitter {
  readonly #max: number
  /** The pieces of the line that has not ended. */
  #pieces: Uint8Array[] = []
  #length = 0
  /** Whether the rest of a line that is too long comes. */
  #isSkipping: boolean
  #offset: number

  /** `from` is the offset of the first byte. It begins a line, or the rest of one that was cut. */
  constructor({ from = 0, isCut = false, max = LINE_MAX } = {}) {
    this.#offset = from
    this.#isSkipping = isCut
    this.#max = max
  }

  /** The offset up to which all bytes belong to lines that were answered, or are left out. */
  get settled(): number {
    return this.#offset - this.#length
  }

  /** The bytes before this offset are lost. The next chunk begins there, with a line. */
  skipTo(offset: number): void {
    if (offset <= this.#offset) return
    this.#pieces = []
    this.#length = 0
    this.#isSkipping = false
    this.#offset = offset
  }

  /** The lines that end in this chunk, which follows the previous one, and one that grows too long. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = []
    let at = 0
    while (at < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, at)
      const end = feed === -1 ? chunk.length : feed
      if (!this.#isSkipping) {
        this.#keep(chunk.subarray(at, end))
        if (this.#length > this.#max) {
          lines.push(this.#take(this.#offset + end, true))
          this.#isSkipping = true
        } else if (feed !== -1) lines.push(this.#take(this.#offset + end + 1, false))
      }
      if (feed !== -1) this.#isSkipping = false
      at = end + 1
    }
    this.#offset += chunk.length
    return lines
  }

  /** The line that the end of the output ends; null if the output ended with a line feed. */
  end(): Line | null {
    return this.#length === 0 ? null : this.#take(this.#offset, false)
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#length += piece.length
    // A copy, because the chunk belongs to a larger buffer, which would stay in memory.
    this.#pieces.push(piece.slice())
  }

  #take(end: number, isCut: boolean): Line {
    const bytes = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    if (isCut) return { text: bytes.toString('utf8', 0, Math.min(KEPT_OF_LONG, this.#max)), end, isCut }
    return { text: bytes.toString('utf8', 0, bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length), end, isCut }
  }
}
