/** Escape sequences for the state of an emulator apart from the characters on its screens. */
import type { Terminal } from '@xterm/headless'
import type { Emulator, Screen } from './emulator.ts'
import { linkOf, linkStart, lookOf } from './looks.ts'

/** Longest title, in UTF-16 code units. A program may have set one of megabytes. */
const TITLE_MAX = 1000
/** Default distance of tab stops, in columns. */
const TAB_WIDTH = 8

const MOUSE: Record<Terminal['modes']['mouseTrackingMode'], string> = {
  none: '',
  x10: '\x1b[?9h',
  vt200: '\x1b[?1000h',
  drag: '\x1b[?1002h',
  any: '\x1b[?1003h',
}
const MOUSE_ENCODING: Record<string, string> = { SGR: '\x1b[?1006h', SGR_PIXELS: '\x1b[?1016h' }

/** A character that only one character set has at its place, with the sequence that selects this set. */
const CHARSETS: readonly (readonly [key: string, letter: string, final: string])[] = [
  ['q', '\u2500', '0'],
  ['#', '\u00a3', 'A'],
]
const SELECT = ['(', ')', '*', '+']

const cursorTo = (x: number, y: number): string => `\x1b[${y + 1};${x + 1}H`

/** Sets the scrolling region and the tab stops. The cursor may be anywhere afterwards. */
export const frameOf = ({ scrollTop, scrollBottom, tabs }: Screen, { cols, rows }: Terminal): string => {
  const region = scrollTop === 0 && scrollBottom === rows - 1 ? '' : `\x1b[${scrollTop + 1};${scrollBottom + 1}r`
  const stops: number[] = []
  for (let x = 0; x < cols; x++) if (tabs[x]) stops.push(x)
  const isUsual = stops.length === Math.ceil(cols / TAB_WIDTH) && stops.every((x) => x % TAB_WIDTH === 0)
  if (isUsual) return region
  return `${region}\x1b[3g${stops.map((x) => `\x1b[${x + 1}G\x1bH`).join('')}`
}

/** Moves to the saved cursor, and sets its attributes. The caller saves it. */
export const savedPlace = ({ savedX, savedY, savedCurAttrData, ybase }: Screen, { cols, rows }: Terminal): string => {
  const x = Math.min(savedX, cols - 1)
  const y = Math.min(Math.max(savedY - ybase, 0), rows - 1)
  return cursorTo(x, y) + lookOf(savedCurAttrData)
}

/** Moves to column `at` of the cursor's row. Beyond the last column it gets only by writing into that. */
export const cursorOf = (
  terminal: Terminal,
  { scrollTop }: Screen,
  at: number,
  lastLetter: (x: number) => string,
): string => {
  const { active } = terminal.buffer
  const isOrigin = terminal.modes.originMode
  const y = isOrigin ? active.cursorY - scrollTop : active.cursorY
  const mode = isOrigin ? '\x1b[?6h' : ''
  if (at < terminal.cols) return mode + cursorTo(at, y)
  const isWide =
    active
      .getLine(active.baseY + active.cursorY)
      ?.getCell(terminal.cols - 1)
      ?.getWidth() === 0
  const x = terminal.cols - (isWide ? 2 : 1)
  return mode + cursorTo(x, y) + lastLetter(x)
}

/**
 * Sets modes, mouse, keyboard, the cursor's look, the title and the program's status. After it only the character before
 * the cursor may be written.
 */
export const modesOf = ({ terminal, core, keyboard, emoji, status, cursorShape, cursorBlinks }: Emulator): string => {
  const { modes } = terminal
  const isAlternate = terminal.buffer.active.type === 'alternate'
  return [
    keyboard.restoring(isAlternate ? 'alternate' : 'normal'),
    modes.applicationCursorKeysMode && '\x1b[?1h',
    modes.applicationKeypadMode && '\x1b=',
    modes.bracketedPasteMode && '\x1b[?2004h',
    modes.insertMode && '\x1b[4h',
    modes.reverseWraparoundMode && '\x1b[?45h',
    modes.sendFocusMode && '\x1b[?1004h',
    !modes.wraparoundMode && '\x1b[?7l',
    terminal.options.convertEol && '\x1b[20h',
    MOUSE[modes.mouseTrackingMode],
    MOUSE_ENCODING[core.coreMouseService.activeEncoding],
    core.coreService.isCursorHidden && '\x1b[?25l',
    cursorShape() !== null && `\x1b[${cursorShape()} q`,
    cursorBlinks() !== null && `\x1b[?12${cursorBlinks() ? 'h' : 'l'}`,
    titleOf(core._inputHandler._windowTitle),
    charsetsOf(core._charsetService),
    emoji.restoring(),
    status.restoring(),
  ]
    .filter(Boolean)
    .join('')
}

const titleOf = (title: string): string => (title === '' ? '' : `\x1b]2;${title.slice(0, TITLE_MAX)}\x1b\\`)

const charsetsOf = ({ _charsets, glevel }: Emulator['core']['_charsetService']): string => {
  const selected = SELECT.map((select, index) => {
    const charset = _charsets[index]
    const known = CHARSETS.find(([key, letter]) => charset?.[key] === letter)
    return known ? `\x1b${select}${known[2]}` : ''
  })
  return selected.join('') + (glevel === 1 ? '\x0e' : '')
}

/** Sets the attributes of the next text. */
export const penOf = ({ _inputHandler, _oscLinkService }: Emulator['core']): string => {
  const pen = _inputHandler._curAttrData
  const link = linkOf(pen) === 0 ? undefined : _oscLinkService.getLinkData(linkOf(pen))
  return (pen.fg === 0 && pen.bg === 0 ? '' : lookOf(pen)) + (link ? linkStart(link) : '')
}
