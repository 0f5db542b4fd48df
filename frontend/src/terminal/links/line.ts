import type { IBuffer } from '@xterm/xterm'
import { LINK_MAX } from './ends.ts'

/**
 * How much of a line is read before a row and after the line's start, in cells. A line can be as long as the
 * scrollback.
 */
const READ_MAX = LINK_MAX.web

/** Counts from 1, like links. */
export interface Cell {
  readonly x: number
  readonly y: number
}

export interface OutputLine {
  readonly text: string
  /** The cell of a character, by its index in UTF-16 code units. */
  readonly cellOf: (at: number) => Cell
}

/** The whole line around a row (from 0) of the buffer, including the rows that it wraps into. */
export function lineAt(buffer: IBuffer, row: number, cols: number): OutputLine {
  const rows = Math.ceil(READ_MAX / cols)
  const isWrapped = (y: number): boolean => buffer.getLine(y)?.isWrapped === true
  let first = row
  while (first > 0 && row - first < rows && isWrapped(first)) first -= 1
  let text = ''
  const cells: Cell[] = []
  for (let y = first; y === first || (y <= row + rows && isWrapped(y)); y += 1) {
    const line = buffer.getLine(y)
    // A wide character that did not fit into the last cell leaves it empty.
    const isShort =
      isWrapped(y + 1) &&
      buffer
        .getLine(y + 1)
        ?.getCell(0)
        ?.getWidth() === 2
    for (let x = 0; x < cols; x += 1) {
      const cell = line?.getCell(x)
      // The second half of a wide character.
      if (cell === undefined || cell.getWidth() === 0) continue
      if (isShort && x === cols - 1 && cell.getChars() === '') continue
      const characters = cell.getChars() || ' '
      text += characters
      for (let at = 0; at < characters.length; at += 1) cells.push({ x: x + 1, y: y + 1 })
    }
  }
  return { text, cellOf: (at) => cells[at] ?? { x: 1, y: row + 1 } }
}
