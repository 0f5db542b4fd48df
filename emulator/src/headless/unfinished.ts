/**
 * What an emulator was given last of a sequence, or of a letter, that has not come whole. No screen shows it, and without it what comes
 * next would mean something else: so whoever is given the screen is given that, too.
 */
import type { Emulator } from './emulator.ts'

/** As much of a sequence as is kept, in bytes: of a longer one, as a picture may be, the rest is left out. */
const UNFINISHED_BYTES = 65_536

const ESCAPE = 0x1b
/** As UTF-8 begins with it, a control character may follow (U+0080 to U+009F). */
const C1_LEAD = 0xc2
/** Below are control characters, which act at once, wherever they stand. */
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

/** Of what has not ended: each of these begins anew, wherever it stands; -1: it began earlier. */
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
