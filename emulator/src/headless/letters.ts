/** Characters of one cell. */
import type { Cell, Emulator } from './emulator.ts'
import { isAlike, linkOf } from './looks.ts'
import { COUNT_CHARACTERS, COUNT_EMOJI } from '../widths/emoji-mode.ts'
import { cellOf, columnsOf, isSame } from '../widths/widths.ts'

/**
 * A character with more UTF-16 code units than this is written without its combining marks, because it may have
 * millions.
 */
export const LETTER_MAX = 64

/** What comes after it joins nothing before it. */
export const SEPARATE = COUNT_EMOJI

/**
 * What to write for them to have so many columns in an emulator that counts emoji: the program may have counted
 * characters.
 */
export const inOneCell = (letters: string, columns: number): string => {
  const cell = letters.length > 1 ? cellOf(letters, 'emoji') : null
  if (cell === null || columnsOf(cell) === columns) return letters
  return `${COUNT_CHARACTERS}${letters}${COUNT_EMOJI}`
}

/** Characters of one cell, and its column. */
export interface Last {
  readonly letters: string
  readonly x: number
}

/**
 * What the next character could join, such as an emoji that gets its skin tone: the cell before the cursor, if the
 * program wrote it last. Written once more, it can be joined in another emulator, too. Null: there is none.
 */
export const joinable = ({ terminal, core, emoji }: Emulator): Last | null => {
  const { active } = terminal.buffer
  const { _parser, _curAttrData: pen } = core._inputHandler
  const line = active.getLine(active.baseY + active.cursorY)
  // In insert mode, writing moves what is behind.
  if (_parser.precedingJoinState === 0 || active.cursorX === 0 || line === undefined || terminal.modes.insertMode)
    return null
  const isWide = line.getCell(active.cursorX - 1)?.getWidth() === 0
  const x = active.cursorX - (isWide ? 2 : 1)
  const cell = line.getCell(x) as Cell | undefined
  const letters = cell?.getChars() ?? ''
  if (cell === undefined || letters === '' || letters.length > LETTER_MAX) return null
  const properties = cellOf(letters, emoji.counting)
  // After a change of size, the cursor may be in the middle of a cell.
  if (properties === null || columnsOf(properties) !== active.cursorX - x) return null
  const isLast = isSame(properties, _parser.precedingJoinState)
  return isLast && isAlike(cell, pen) && linkOf(cell) === linkOf(pen) ? { letters, x } : null
}
