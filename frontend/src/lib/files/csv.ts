/** Tables as text (RFC 4180), as other programs write them: with any separator, and with line feeds alone. */

/** Most rows of a table that are read. The text has the rest. */
export const ROWS_MAX = 20_000
/** Most columns. */
export const COLUMNS_MAX = 200

export interface Table {
  readonly rows: readonly (readonly string[])[]
  /** The number of cells of the longest row. */
  readonly columns: number
  readonly isCut: boolean
}

/** Never fails: a quote that is not closed ends with the text. */
export function tableOf(text: string, separator: string): Table {
  const rows: string[][] = []
  let [row, cell, isQuoted, isCut]: [string[], string, boolean, boolean] = [[], '', false, false]
  const endCell = (): void => {
    if (row.length < COLUMNS_MAX) row.push(cell)
    else isCut = true
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    rows.push(row)
    row = []
  }
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at)
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source.charAt(at + 1) === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === separator) endCell()
    else if (character === '\n') {
      endRow()
      if (rows.length === ROWS_MAX && at + 1 < source.length) return { rows, columns: widest(rows), isCut: true }
    } else if (character !== '\r' || source.charAt(at + 1) !== '\n') cell += character
  }
  if (cell !== '' || row.length > 0) endRow()
  return { rows, columns: widest(rows), isCut }
}

const widest = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((most, row) => Math.max(most, row.length), 0)
