/**
 * Paths of files are bytes, which need not be UTF-8. In a string of this page, a byte that belongs to no character is a lone
 * surrogate, U+DC80 to U+DCFF, which no text has; it is shown as a replacement character.
 */
const FIRST = 0xdc00
const isByte = (code: number): boolean => code >= FIRST + 0x80 && code <= FIRST + 0xff

/** The longest sequence of UTF-8, in bytes. */
const SEQUENCE_MAX = 4

/** What percent-encoded bytes stand for. */
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

/** The character that percent-encoded bytes begin with, or their first byte, and the length that it takes. */
const firstOf = (run: string): [character: string, length: number] => {
  for (let length = 3; length <= run.length; length += 3)
    try {
      return [decodeURIComponent(run.slice(0, length)), length]
    } catch {
      // It takes more bytes, or is none.
    }
  return [String.fromCharCode(FIRST + Number.parseInt(run.slice(1, 3), 16)), 3]
}

/** For an address: any byte is as it was. */
export const encodePath = (path: string): string =>
  Array.from(path, (character) => {
    const code = character.codePointAt(0)!
    if (isByte(code)) return `%${(code - FIRST).toString(16).toUpperCase()}`
    return encodeURIComponent(code >= 0xd800 && code <= 0xdfff ? '\ufffd' : character)
  })
    .join('')
    .replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
