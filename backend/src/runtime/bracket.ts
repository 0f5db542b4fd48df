/**
 * The brackets around what is pasted (xterm's "bracketed paste mode"): a program that asked for them takes everything after the first one
 * for text, Enter included, until the second one comes.
 */

const BEGIN = Buffer.from('\x1b[200~')
const END = Buffer.from('\x1b[201~')
const ESCAPE = 0x1b
/** As long as either is. */
export const BRACKET_BYTES = END.length

/** What was typed into one program, as far as brackets go. */
export class Bracket {
  #isOpen = false
  /** The last bytes so far, with which either may have begun. */
  #last = Buffer.alloc(0)

  /** More was typed. */
  saw(data: Uint8Array): void {
    const all = Buffer.concat([this.#last, data])
    // Most of a paste is plain text, which the machine looks through much faster for a single byte.
    if (all.includes(ESCAPE)) {
      const [begun, ended] = [all.lastIndexOf(BEGIN), all.lastIndexOf(END)]
      if (begun !== ended) this.#isOpen = begun > ended
    }
    this.#last = Buffer.from(all.subarray(1 - END.length))
  }

  /** What of the second bracket is missing, where the rest of a paste does not come; null outside of a paste. */
  missing(): Uint8Array | null {
    if (!this.#isOpen) return null
    for (let sent = END.length - 1; sent > 0; sent -= 1)
      if (this.#last.subarray(-sent).equals(END.subarray(0, sent))) return END.subarray(sent)
    return END
  }
}
