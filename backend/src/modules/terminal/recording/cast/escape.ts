/**
 * The inside of a JSON string, by bytes: each is taken for itself, since JSON leaves all of those alone that UTF-8 needs.
 * Eight at once are looked at, and written, where none of them is to be escaped: more than twice as fast as `JSON.stringify` of a string
 * made for it, and it leaves nothing behind to be collected.
 */

/** Of one byte, at most: `\u0000`. */
export const ESCAPED_BYTES_MAX = 6

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PLAIN = 0x20
/** What stands behind the backslash (RFC 8259, 7); 0: it is written as a number. */
const SHORT = new Uint8Array(256)
for (const [byte, letter] of [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
] as const)
  SHORT[byte] = letter.charCodeAt(0)
const HEX = Buffer.from('0123456789abcdef')

/** Not 0 where one of the four bytes in `word` is to be escaped; perhaps also where none is. */
const doubts = (word: number): number => {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  // A byte below the one that is taken from it borrows, which its highest bit shows; those of UTF-8 have that bit by themselves.
  return ((word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101)) & ~word & 0x80808080
}

/** Writes `bytes` into `to` from `at` on, where there has to be room for {@link ESCAPED_BYTES_MAX} of each; gives where it ends. */
export const writeEscaped = (bytes: Uint8Array, to: Buffer, at: number): number => {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const written = new DataView(to.buffer, to.byteOffset, to.length)
  let next = at
  let index = 0
  while (index < bytes.length) {
    for (; index + 8 <= bytes.length; index += 8, next += 8) {
      const first = words.getInt32(index, true)
      const second = words.getInt32(index + 4, true)
      if ((doubts(first) | doubts(second)) !== 0) break
      written.setInt32(next, first, true)
      written.setInt32(next + 4, second, true)
    }
    // Of eight that are not all plain, four may be.
    const word = index + 4 <= bytes.length ? words.getInt32(index, true) : 0
    if (doubts(word) === 0) {
      written.setInt32(next, word, true)
      next += 4
      index += 4
    }
    for (const end = Math.min(index + 4, bytes.length); index < end; index++) {
      const byte = bytes[index]!
      if (byte >= FIRST_PLAIN && byte !== QUOTE && byte !== BACKSLASH) to[next++] = byte
      else next = writeEscape(byte, to, next)
    }
  }
  return next
}

const writeEscape = (byte: number, to: Buffer, at: number): number => {
  to[at] = BACKSLASH
  const short = SHORT[byte]!
  if (short !== 0) {
    to[at + 1] = short
    return at + 2
  }
  to.write('u00', at + 1, 'latin1')
  to[at + 4] = HEX[byte >> 4]!
  to[at + 5] = HEX[byte & 0xf]!
  return at + ESCAPED_BYTES_MAX
}
