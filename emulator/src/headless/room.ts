/** Which lines there is no room for in a print: writing them only to leave them out could take many seconds. */
import type { IBuffer } from '@xterm/headless'
import { Bits, CELL_NUMBERS, cellsOf, Content } from './emulator.ts'

/** Shortest that sets how letters look, in bytes: to nothing, and to anything else. */
const RESET_BYTES = 3
const LOOK_BYTES = 6

interface Part {
  readonly first: number
  readonly last: number
  /** In bytes. */
  readonly room: number
  /** Letters alone are written. */
  readonly isBare: boolean
}

/** The first line of those from `first` to `last` that there may be room for, with all that follow it; or the one before. */
export const firstInRoom = (buffer: IBuffer, { first, last, room, isBare }: Part): number => {
  let bytes = 0
  for (let row = last; row > first; row--) {
    bytes += leastBytes(cellsOf(buffer.getLine(row)!), isBare)
    if (bytes > room) return row
  }
  return first
}

/** So much it takes at least to write a line, in bytes. */
const leastBytes = (cells: Uint32Array, isBare: boolean): number => {
  let bytes = 0
  let [fg, bg] = [0, 0]
  for (let at = 0; at < cells.length; at += CELL_NUMBERS) {
    const isLetter = (cells[at]! & (Content.codePoint | Content.combined)) !== 0
    if (isLetter) bytes += 1
    const [cellFg, cellBg] = [cells[at + 1]!, (cells[at + 2]! & ~Bits.extended) >>> 0]
    if (isBare || (cellFg === fg && cellBg === bg) || (!isLetter && cellFg === 0 && cellBg === 0)) continue
    // The first look may be what the line before has left.
    if (at > 0) bytes += cellFg === 0 && cellBg === 0 ? RESET_BYTES : LOOK_BYTES
    fg = cellFg
    bg = cellBg
  }
  return bytes
}
