/** The text of a file's bytes. */

/** A file with a NUL in its first bytes is no text, as for git. */
const LOOKED_AT_BYTES = 8_000
/** Most text of a line that is shown, in UTF-16 code units. */
export const LINE_MAX = 5_000

/** What the page can do with a file's content. */
export interface FileText {
  readonly text: string
  /** Whether the bytes are UTF-8. Otherwise some characters stand for other bytes, and saving would lose these. */
  readonly isUtf8: boolean
  /** How its lines end; `\n` where they end in several ways, so that each carriage return stays a character. */
  readonly lineEnd: '\n' | '\r\n'
}

/** Null: the file is no text. A file that was read in part may end inside a character. */
export function textOf(bytes: Uint8Array, isWhole: boolean): FileText | null {
  if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) return null
  const decoded = decode(bytes, isWhole)
  const feeds = decoded.text.match(/\n/g)?.length ?? 0
  const pairs = decoded.text.match(/\r\n/g)?.length ?? 0
  return { ...decoded, lineEnd: pairs > 0 && pairs === feeds ? '\r\n' : '\n' }
}

function decode(bytes: Uint8Array, isWhole: boolean): { text: string; isUtf8: boolean } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { text: decoder.decode(bytes, { stream: !isWhole }), isUtf8: true }
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isUtf8: false }
  }
}

/** The lines to show. A line feed at the end of the file begins no further one. */
export function linesOfText(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}
