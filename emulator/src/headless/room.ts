/**
 * Finds the lines that do not fit into a print. To write them first, and then leave them out, could take many seconds.
 */
import type { IBuffer } from '@xterm/headless'
import { Bits, CELL_NUMBERS, cellsOf, Content } from './emulator.ts'

/** Shortest sequences that set attributes, in bytes: to the default, and to anything else. */
const RESET_BYTES = 3
const LOOK_BYTES = 6

interface Part {
  readonly first: number
  readonly last: number
  /** In bytes. */
  readonly room: number
  /** Only characters are written. */
  readonly isBare: boolean
}

/**
 * The first of the lines `first` to `last` that may fit, together with all lines after it. The result may be one line
 * too early.
 */
export const firstInRoom = (buffer: IBuffer, { first, last, room, isBare }: Part): number => {
  let bytes = 0
  for (let row = last; row > first; row--) {
    bytes += leastBytes(cellsOf(buffer.getLine(row)!), isBare)
    if (bytes > room) return row
  }
  return first
}

/** Fewest bytes that the line takes. */
const leastBytes = (cells: Uint32Array, isBare: boolean): number => {
  let bytes = 0
  let [fg, bg] = [0, 0]
  for (let at = 0; at < cells.length; at += CELL_NUMBERS) {
    const isLetter = (cells[at]! & (Content.codePoint | Content.combined)) !== 0
    if (isLetter) bytes += 1
    const [cellFg, cellBg] = [cells[at + 1]!, (cells[at + 2]! & ~Bits.extended) >>> 0]
    if (isBare || (cellFg === fg && cellBg === bg) || (!isLetter && cellFg === 0 && cellBg === 0)) continue
    // The line before may have set the first attributes already.
    if (at > 0) bytes += cellFg === 0 && cellBg === 0 ? RESET_BYTES : LOOK_BYTES
    fg = cellFg
    bg = cellBg
  }
  return bytes
}
