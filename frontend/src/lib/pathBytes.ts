/**
 * File paths are bytes, and need not be valid UTF-8. In this page's strings, a byte outside a valid character becomes a
 * lone surrogate, U+DC80 to U+DCFF. No valid text contains one; the browser shows it as a replacement character.
 */
const FIRST = 0xdc00
const isByte = (code: number): boolean => code >= FIRST + 0x80 && code <= FIRST + 0xff

/** Longest UTF-8 sequence, in bytes. */
const SEQUENCE_MAX = 4

/** Decodes percent-encoded bytes. */
export const decodePath = (encoded: string): string =>
  encoded.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    let text = ''
    for (let at = 0; at < run.length;) {
      const [character, length] = firstOf(run.slice(at, at + 3 * SEQUENCE_MAX))
      text += character
      at += length
    }
    return text
  })

/**
 * The first character of percent-encoded bytes, or their first byte if they are not valid. Also returns its length in
 * the encoded text.
 */
const firstOf = (run: string): [character: string, length: number] => {
  for (let length = 3; length <= run.length; length += 3)
    try {
      return [decodeURIComponent(run.slice(0, length)), length]
    } catch {
      // The character needs more bytes, or is not valid.
    }
  return [String.fromCharCode(FIRST + Number.parseInt(run.slice(1, 3), 16)), 3]
}

/** Encodes a path for an address, without changing any byte. */
export const encodePath = (path: string): string =>
  Array.from(path, (character) => {
    const code = character.codePointAt(0)!
    if (isByte(code)) return `%${(code - FIRST).toString(16).toUpperCase()}`
    return encodeURIComponent(code >= 0xd800 && code <= 0xdfff ? '\ufffd' : character)
  })
    .join('')
    .replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
