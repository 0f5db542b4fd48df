/** Finds Ctrl+] among what the user types, in each of the ways in which terminals send it. */

/**
 * The beginning or the end of a paste, or the key: as a control character, in the keyboard protocol of kitty, or in xterm's
 * `modifyOtherKeys`.
 */
// eslint-disable-next-line no-control-regex
const MARKS = /\x1b\[(20[01])~|\x1d|\x1b\[93(?::\d*)*;5(?::1)?u|\x1b\[27;5;93~/g
/** The longest part of a mark that a piece may end with, in bytes. */
const TAIL = 15

export class DetachKey {
  #isPasting = false
  #tail = ''

  /** What comes before the key, or all of it, and whether the key was pressed. A pasted character is no key. */
  take(bytes: Buffer): { readonly input: Buffer; readonly isPressed: boolean } {
    const text = this.#tail + bytes.toString('latin1')
    const before = this.#tail.length
    for (const match of text.matchAll(MARKS)) {
      // The piece before has ended with all of it.
      if (match.index + match[0].length <= before) continue
      if (match[1] !== undefined) this.#isPasting = match[1] === '200'
      else if (!this.#isPasting) return { input: bytes.subarray(0, Math.max(0, match.index - before)), isPressed: true }
    }
    this.#tail = text.slice(-TAIL)
    return { input: bytes, isPressed: false }
  }
}
