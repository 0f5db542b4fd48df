/**
 * The last bytes of an incomplete sequence or character. No screen shows them, but later output means something else
 * without them. So a client that gets the screen gets them, too.
 */
import type { Emulator } from './emulator.ts'

/** Most bytes of a sequence that are kept. A sequence may be longer, such as a picture; then its rest is dropped. */
const UNFINISHED_BYTES = 65_536

const ESCAPE = 0x1b
/** First byte of U+0080 to U+00BF in UTF-8, so a control character may follow (U+0080 to U+009F). */
const C1_LEAD = 0xc2
/** Lower bytes are control characters, which take effect at once, also within sequences. */
const SPACE = 0x20

const NOTHING = new Uint8Array()

export class Unfinished {
  #bytes: Uint8Array = NOTHING

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** The emulator has parsed this piece. */
  parsed({ core }: Emulator, piece: Uint8Array): void {
    const { _parser, _utf8Decoder } = core._inputHandler
    if (_parser.currentState === 0) {
      this.#bytes = _utf8Decoder.interim[0] === 0 ? NOTHING : _utf8Decoder.interim.filter((byte) => byte !== 0)
      return
    }
    const from = beginning(piece)
    const rest = piece.subarray(Math.max(from, 0)).subarray(0, UNFINISHED_BYTES)
    const part = rest.filter((byte, index) => byte >= SPACE || (from >= 0 && index === 0))
    this.#bytes = from >= 0 ? part : joined(this.#bytes, part)
  }
}

const joined = (before: Uint8Array, more: Uint8Array): Uint8Array =>
  Buffer.concat([before, more.subarray(0, UNFINISHED_BYTES - before.length)])

/** Where the incomplete sequence begins; -1: in an earlier piece. ESC and C1 begin a new sequence anywhere. */
const beginning = (piece: Uint8Array): number => {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
  const from = bytes.lastIndexOf(ESCAPE)
  for (let at = bytes.lastIndexOf(C1_LEAD); at > from; at = bytes.lastIndexOf(C1_LEAD, at - 1)) {
    const second = bytes[at + 1]
    if (second !== undefined && second >= 0x80 && second < 0xa0) return at
    if (at === 0) break
  }
  return from
}
