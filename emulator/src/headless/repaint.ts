/** Prints an emulator: what to write to another one of the same size for it to become the same. */
import type { IBuffer } from '@xterm/headless'
import type { Cell, Emulator, Screen } from './emulator.ts'
import { letterOf, LineWriter, PLAIN } from './lines.ts'
import { LINK_END, linkOf, linkStart, lookOf } from './looks.ts'
import { firstInRoom } from './room.ts'
import { cursorOf, frameOf, modesOf, penOf, savedPlace } from './state.ts'

/**
 * Longest print, in bytes: it goes through the server's own thread to everybody who asks. 10,000 lines of 200 columns are less than half of
 * it, coloured at every other word; a program may have written a hundred times as much. The oldest lines are left out then.
 */
export const PRINT_BYTES = 8_388_608

/** Of a print, for all that is no line: title, tab stops, a link that is open, half of a sequence. */
const REST_BYTES = 131_072

const RESET = '\x1bc'
const SAVE_CURSOR = '\x1b7'
const ALTERNATE = '\x1b[?1049h'
/** Entering gave it the background that was saved. */
const EMPTY = '\x1b[2J\x1b[H'

/** With at most `scrollback` lines above the screen. It begins with a full reset, so that it can be written to any. */
export const repaint = (emulator: Emulator, scrollback?: number): string => {
  const work = repainting(emulator, scrollback)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** The same in slices, between which the emulator must not be changed. */
export function* repainting(emulator: Emulator, scrollback = Infinity): Generator<void, string> {
  // A screen that is too much by itself is letters alone.
  return (yield* printing(emulator, scrollback, false)) ?? (yield* printing(emulator, scrollback, true))!
}

/** Null where there is no room for the screen. */
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
  // Half a frame is written, and not shown before the rest has come.
  const pieces = [RESET, synchronized.restoring(), lines, frameOf(normal, terminal)]
  if (isAlternate) {
    // Entering saves the cursor of the screen below, which leaving brings back.
    pieces.push(keyboard.restoring('normal'), savedPlace(normal, terminal), ALTERNATE, lookOf(PLAIN), EMPTY)
    pieces.push(above, frameOf(alt, terminal))
  }
  const active = isAlternate ? alt : normal
  if (isSaved(active)) pieces.push(savedPlace(active, terminal), SAVE_CURSOR)
  const letterAt = (x: number): string => {
    const cell = buffer.active.getLine(buffer.active.baseY + buffer.active.cursorY)?.getCell(x) as Cell | undefined
    if (cell === undefined) return ''
    const link = core._oscLinkService.getLinkData(linkOf(cell))
    return `${lookOf(cell)}${link ? linkStart(link) : ''}${letterOf(cell, isBare) || ' '}${link ? LINK_END : ''}`
  }
  pieces.push(lookOf(PLAIN), cursorOf(terminal, active, letterAt), penOf(core), modesOf(emulator))
  return pieces.join('')
}

/** Whether coming back to it leads anywhere else than to the upper left corner. */
const isSaved = ({ savedX, savedY, savedCurAttrData: { fg, bg } }: Screen): boolean =>
  savedX !== 0 || savedY !== 0 || fg !== 0 || bg !== 0

interface Part {
  /** Lines above the screen, at most. */
  readonly scrollback: number
  /** For all of them, in bytes. */
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
