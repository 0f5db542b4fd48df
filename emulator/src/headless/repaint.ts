/** Prints an emulator: returns the output that gives another one of the same size the same state. */
import type { IBuffer } from '@xterm/headless'
import { Bits, type Cell, type Emulator, type Screen } from './emulator.ts'
import { letterOf, LineWriter, PLAIN } from './lines.ts'
import { inOneCell, joinable } from './letters.ts'
import { LINK_END, linkOf, linkStart, lookOf } from './looks.ts'
import { firstInRoom } from './room.ts'
import { cursorOf, frameOf, modesOf, penOf, savedPlace } from './state.ts'

/**
 * Longest print, in bytes. It passes through the server's main thread to each client that needs it. 10,000 lines of 200
 * columns with a new colour at every other word take less than half of it. A program may have written a hundred times
 * as much. Then the oldest lines are left out.
 */
export const PRINT_BYTES = 8_388_608

/** Part of a print for everything but lines, in bytes: title, tab stops, an open link, an incomplete sequence. */
const REST_BYTES = 131_072

const RESET = '\x1bc'
const SAVE_CURSOR = '\x1b7'
const ALTERNATE = '\x1b[?1049h'
/** Entering filled it with the saved background. */
const EMPTY = '\x1b[2J\x1b[H'

/** Prints at most `scrollback` lines above the screen. The print begins with a full reset, so it suits any emulator. */
export const repaint = (emulator: Emulator, scrollback?: number): string => {
  const work = repainting(emulator, scrollback)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Like {@link repaint}, in slices. The emulator must not change between these. */
export function* repainting(emulator: Emulator, scrollback = Infinity): Generator<void, string> {
  // If the screen alone is too large, only its characters are printed.
  return (yield* printing(emulator, scrollback, false)) ?? (yield* printing(emulator, scrollback, true))!
}

/** Null: there is no room for the screen. */
function* printing(emulator: Emulator, scrollback: number, isBare: boolean): Generator<void, string | null> {
  const { terminal, core, keyboard, synchronized } = emulator
  const { buffer } = terminal
  const { normal, alt } = core.buffers
  const isAlternate = buffer.active.type === 'alternate'
  const room = PRINT_BYTES - REST_BYTES
  const above = isAlternate ? yield* linesOf(emulator, buffer.alternate, { scrollback: 0, room, isBare }) : ''
  if (above === null) return null
  const left = room - Buffer.byteLength(above)
  const lines = yield* linesOf(emulator, buffer.normal, { scrollback, room: left, isBare })
  if (lines === null) return null
  // An incomplete frame is written too, but not shown before its rest has come.
  const pieces = [RESET, synchronized.restoring(), lines, frameOf(normal, terminal)]
  if (isAlternate) {
    // Entering saves the cursor of the normal screen, and leaving restores it.
    pieces.push(keyboard.restoring('normal'), savedPlace(normal, terminal))
    pieces.push(saving(normal, ALTERNATE), lookOf(PLAIN), EMPTY)
    pieces.push(above, frameOf(alt, terminal))
  }
  const active = isAlternate ? alt : normal
  if (isSaved(active)) pieces.push(savedPlace(active, terminal), saving(active, SAVE_CURSOR))
  const letterAt = (x: number): string => {
    const cell = buffer.active.getLine(buffer.active.baseY + buffer.active.cursorY)?.getCell(x) as Cell | undefined
    if (cell === undefined) return ''
    const link = core._oscLinkService.getLinkData(linkOf(cell))
    return `${lookOf(cell)}${link ? linkStart(link) : ''}${inOneCell(letterOf(cell, isBare), cell.getWidth()) || ' '}${link ? LINK_END : ''}`
  }
  const last = isBare ? null : joinable(emulator)
  const x = last?.x ?? buffer.active.cursorX
  pieces.push(
    lookOf(PLAIN),
    cursorOf(terminal, active, x, letterAt),
    penOf(core),
    modesOf(emulator),
    last?.letters ?? '',
  )
  return pieces.join('')
}

/**
 * xterm.js 5.5 saves that a cursor has a link or a style of underline, but not which: restoring takes that of the pen.
 * Any link has it save the same.
 */
const saving = ({ savedCurAttrData: { bg } }: Screen, save: string): string =>
  bg & Bits.extended ? `${linkStart({ uri: 'x' })}${save}${LINK_END}` : save

/** Whether the saved cursor differs from the default, the upper left corner. */
const isSaved = ({ savedX, savedY, savedCurAttrData: { fg, bg } }: Screen): boolean =>
  savedX !== 0 || savedY !== 0 || fg !== 0 || bg !== 0

interface Part {
  /** Most lines above the screen. */
  readonly scrollback: number
  /** Most bytes for all lines. */
  readonly room: number
  readonly isBare: boolean
}

const linesOf = (
  { terminal, core }: Emulator,
  buffer: IBuffer,
  { scrollback, room, isBare }: Part,
): Generator<void, string | null> => {
  const { cols, rows } = terminal
  const last = buffer.length - 1
  const first = firstInRoom(buffer, { first: Math.max(0, buffer.length - rows - scrollback), last, room, isBare })
  const findLink = (id: number) => core._oscLinkService.getLinkData(id) ?? null
  const writer = new LineWriter({ buffer, cols, rows, findLink, isBare })
  return writer.write({ first, last, room, least: isBare ? 0 : rows })
}
