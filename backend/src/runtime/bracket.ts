/**
 * The brackets around a paste (xterm's "bracketed paste mode"). A program that requested them takes everything between
 * them as text, Enter included.
 */

const BEGIN = Buffer.from('\x1b[200~')
const END = Buffer.from('\x1b[201~')
const ESCAPE = 0x1b
/** Length of either bracket. */
export const BRACKET_BYTES = END.length

/** Follows the brackets in the input of one program. */
export class Bracket {
  #isOpen = false
  /** The last bytes of the input, which may be the beginning of a bracket. */
  #last = Buffer.alloc(0)

  /** Call it with all input, in order. */
  saw(data: Uint8Array): void {
    const all = Buffer.concat([this.#last, data])
    // Most of a paste is plain text, and a search for a single byte is much faster.
    if (all.includes(ESCAPE)) {
      const [begun, ended] = [all.lastIndexOf(BEGIN), all.lastIndexOf(END)]
      if (begun !== ended) this.#isOpen = begun > ended
    }
    this.#last = Buffer.from(all.subarray(1 - END.length))
  }

  /** The missing part of the end bracket, if the rest of a paste will not come; null: no paste is open. */
  missing(): Uint8Array | null {
    if (!this.#isOpen) return null
    for (let sent = END.length - 1; sent > 0; sent -= 1)
      if (this.#last.subarray(-sent).equals(END.subarray(0, sent))) return END.subarray(sent)
    return END
  }
}
