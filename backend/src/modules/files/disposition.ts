/** The header that makes a browser save an answer under a name instead of showing it. */

import { encodedWhereNeeded, type PathBytes, textOf } from './path-bytes.ts'

/** Characters that encodeURIComponent keeps although RFC 5987's `attr-char` excludes them. */
const NOT_ATTR_CHAR = /['()*]/g

/**
 * `Content-Disposition` for any name: plain ASCII for old clients, and the exact name (RFC 6266, 4.1). A name that is
 * not UTF-8 is sent as ISO-8859-1, where each byte is a character.
 */
export const attachment = (bytes: PathBytes): string => {
  const encoded = encodedWhereNeeded(bytes)
  const name = textOf(bytes)
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name).replace(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const extended = encoded === null ? `UTF-8''${exact}` : `ISO-8859-1''${encoded}`
  return `attachment; filename="${plain}"; filename*=${extended}`
}
