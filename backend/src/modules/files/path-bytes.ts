/**
 * Paths are bytes: the kernel knows no character set. Here a path is a string with one character for each byte, 0 to
 * 255. In an address it is percent-encoded, which can express any byte.
 */

/** An alias that says what a string holds. */
export type PathBytes = string

const PARAMETER = 'path'
/** Characters without a special meaning in a query, in a shell's `printf %b` or in a header. */
const PLAIN = /[A-Za-z0-9/._-]/

export const bytesOf = (text: string): PathBytes => Buffer.from(text, 'utf8').toString('latin1')

/** Most names are ASCII, and a folder may have a hundred thousand of them. */
const isAscii = (path: PathBytes): boolean => !/[\u0080-\u00ff]/.test(path)

const isUtf8 = (path: PathBytes): boolean =>
  isAscii(path) || bytesOf(Buffer.from(path, 'latin1').toString('utf8')) === path

/** The path as text; each byte that is not UTF-8 becomes U+FFFD. */
export const textOf = (path: PathBytes): string => (isAscii(path) ? path : Buffer.from(path, 'latin1').toString('utf8'))

const escaped = (path: PathBytes, escape: (byte: number) => string): string =>
  Array.from(path, (byte) => (PLAIN.test(byte) ? byte : escape(byte.charCodeAt(0)))).join('')

/** The path as it follows `?path=` in an address. */
export const percentEncoded = (path: PathBytes): string =>
  escaped(path, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)

/** Null if the path is UTF-8; otherwise {@link percentEncoded}. */
export const encodedWhereNeeded = (path: PathBytes): string | null => (isUtf8(path) ? null : percentEncoded(path))

/** The path for a record: as text, or percent-encoded if text would lose bytes. */
export const recordable = (path: PathBytes): string => encodedWhereNeeded(path) ?? textOf(path)

/** The path for `printf %b`, since arguments of an exec must be UTF-8. */
export const octalEscaped = (path: PathBytes): string =>
  escaped(path, (byte) => `\\0${byte.toString(8).padStart(3, '0')}`)

/** The bytes of a parameter's name or value. A percent sign that encodes nothing stays. */
export const decoded = (part: string): PathBytes =>
  bytesOf(part)
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** A parameter of a request's address, `path` unless another is named; null if it is missing. */
export const pathIn = (url: string, parameter = PARAMETER): PathBytes | null => {
  const [, query = ''] = url.split(/[?](.*)/s, 2)
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2)
    if (decoded(name) === parameter) return decoded(value)
  }
  return null
}
