/** Rows in columns, for people. */
import { plainLine } from './plain.ts'

/** Longest text of a cell, in UTF-16 code units. */
const CELL_MAX = 60

const cell = (text: string): string => {
  const line = plainLine(text)
  return line.length > CELL_MAX ? `${line.slice(0, CELL_MAX - 1)}…` : line
}

/** A table with a header. The columns are as wide as their longest text. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = [header, ...rows.map((row) => row.map(cell))]
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
