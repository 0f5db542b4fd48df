/** The header that makes a browser save an answer under a name instead of showing it. */

/** Characters of RFC 5987's `attr-char` that encodeURIComponent leaves as they are, though they may not stand there. */
const NOT_ATTR_CHAR = /['()*]/g

/** `Content-Disposition` for any name: plain ASCII for old readers, and the exact name (RFC 6266, 4.1). */
export const attachment = (name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
