/** Prints an emulator: what to write to another one of the same size for it to become the same. */
import type { IBuffer } from '@xterm/headless'
import type { Cell, Emulator, Screen } from './emulator.ts'
import { LineWriter, PLAIN } from './lines.ts'
import { LINK_END, linkOf, linkStart, lookOf } from './looks.ts'
import { cursorOf, frameOf, modesOf, penOf, savedPlace } from './state.ts'

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
  const { terminal, core, keyboard } = emulator
  const { buffer } = terminal
  const { normal, alt } = core.buffers
  const pieces = [RESET, yield* linesOf(emulator, buffer.normal, scrollback), frameOf(normal, terminal)]
  if (buffer.active.type === 'alternate') {
    // Entering saves the cursor of the screen below, which leaving brings back.
    pieces.push(keyboard.restoring('normal'), savedPlace(normal, terminal), ALTERNATE, lookOf(PLAIN), EMPTY)
    pieces.push(yield* linesOf(emulator, buffer.alternate, 0), frameOf(alt, terminal))
  }
  const active = buffer.active.type === 'alternate' ? alt : normal
  if (isSaved(active)) pieces.push(savedPlace(active, terminal), SAVE_CURSOR)
  const letterAt = (x: number): string => {
    const cell = buffer.active.getLine(buffer.active.baseY + buffer.active.cursorY)?.getCell(x) as Cell | undefined
    if (cell === undefined) return ''
    const link = core._oscLinkService.getLinkData(linkOf(cell))
    return `${lookOf(cell)}${link ? linkStart(link) : ''}${cell.getChars() || ' '}${link ? LINK_END : ''}`
  }
  pieces.push(lookOf(PLAIN), cursorOf(terminal, active, letterAt), penOf(core), modesOf(emulator))
  return pieces.join('')
}

/** Whether coming back to it leads anywhere else than to the upper left corner. */
const isSaved = ({ savedX, savedY, savedCurAttrData: { fg, bg } }: Screen): boolean =>
  savedX !== 0 || savedY !== 0 || fg !== 0 || bg !== 0

const linesOf = ({ terminal, core }: Emulator, buffer: IBuffer, scrollback: number): Generator<void, string> => {
  const first = Math.max(0, buffer.length - terminal.rows - scrollback)
  const findLink = (id: number) => core._oscLinkService.getLinkData(id) ?? null
  const { cols, rows } = terminal
  return new LineWriter({ buffer, cols, rows, findLink }).write(first, buffer.length - 1)
}
