/** Letters of one cell, for an emulator that counts as it does after a reset. */
import { COUNT_CHARACTERS, COUNT_EMOJI } from '../widths/emoji-mode.ts'
import { cellOf, columnsOf } from '../widths/widths.ts'

/** What comes after it joins nothing before it. */
export const SEPARATE = COUNT_EMOJI

/** What to write for them to have so many columns: the program may have counted characters. */
export const inOneCell = (letters: string, columns: number): string => {
  const cell = letters.length > 1 ? cellOf(letters, 'emoji') : null
  if (cell === null || columnsOf(cell) === columns) return letters
  return `${COUNT_CHARACTERS}${letters}${COUNT_EMOJI}`
}
