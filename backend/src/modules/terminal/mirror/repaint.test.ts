/** Each program's output goes into one emulator; what that prints goes into another. Both have to be the same. */
import { describe, expect, it } from 'vitest'
import { Bits, type Cell, createEmulator, type Emulator } from './emulator.ts'
import { linkOf, underlineOf } from './looks.ts'
import { repaint } from './repaint.ts'

const written = (emulator: Emulator, output: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => emulator.terminal.write(output, resolve))

/** xterm.js leaves parts of an earlier colour in the bits that the present one does not use. */
const bits = (packed: number): string => {
  const mode = packed & Bits.mode
  const used = mode === 0 ? 0 : mode === Bits.modeRgb ? Bits.colour : 0xff
  return ((packed & ~Bits.colour & ~Bits.extended) | (packed & used)).toString(16)
}

const linesOf = ({ terminal, core }: Emulator, type: 'normal' | 'alternate') => {
  const buffer = terminal.buffer[type]
  return Array.from({ length: buffer.length }, (_, y) => {
    const line = buffer.getLine(y)!
    const cells = Array.from({ length: terminal.cols }, (_, x) => {
      const cell = line.getCell(x) as Cell
      if (x > 0 && line.getCell(x - 1)?.getWidth() === 2) return 'second half'
      const chars = cell.getChars()
      const link = core._oscLinkService.getLinkData(linkOf(cell))?.uri ?? ''
      const ext = bits(underlineOf(cell))
      // The underline is a bit of its own there, and the same as that of the background that says there is more.
      const foreground = bits(cell.fg) + (cell.fg & Bits.underline ? 'u' : '')
      return `${chars === ' ' ? '' : chars}/${Math.max(cell.getWidth(), 1)}/${foreground}/${bits(cell.bg)}/${ext}${link}`
    })
    // That the oldest line continues one that is gone cannot be told to another emulator, and means nothing.
    return `${line.isWrapped && y > 0 ? '>' : ' '}${cells.join('|')}`
  })
}

const stateOf = (emulator: Emulator) => {
  const { terminal, core, keyboard } = emulator
  const { active } = terminal.buffer
  const screen = active.type === 'alternate' ? core.buffers.alt : core.buffers.normal
  return {
    normal: linesOf(emulator, 'normal'),
    alternate: active.type === 'alternate' ? linesOf(emulator, 'alternate') : [],
    shown: active.type,
    cursor: [active.cursorX, active.cursorY, active.baseY, active.viewportY],
    modes: terminal.modes,
    hidden: core.coreService.isCursorHidden,
    mouse: core.coreMouseService.activeEncoding,
    region: [screen.scrollTop, screen.scrollBottom],
    tabs: Object.keys(screen.tabs).filter((x) => Number(x) < terminal.cols),
    keyboard: [keyboard.restoring('normal'), keyboard.restoring('alternate')],
    title: core._inputHandler._windowTitle,
    level: core._charsetService.glevel,
    shape: emulator.cursorShape(),
  }
}

const size = { cols: 20, rows: 6 }
const copyOf = async (emulator: Emulator): Promise<Emulator> => {
  const { cols, rows } = emulator.terminal
  const copy = createEmulator({ cols, rows })
  await written(copy, 'what was there before\r\n\x1b[?1049h\x1b[?1006h\x1b[?1003h\x1b[2;3r\x1b[41m')
  await written(copy, repaint(emulator))
  return copy
}
const emulatorAfter = async (...outputs: (string | Uint8Array)[]): Promise<Emulator> => {
  const emulator = createEmulator(size)
  for (const output of outputs) await written(emulator, output)
  return emulator
}

const LONG = Array.from({ length: 30 }, (_, n) => `line ${n} ${'abc'.repeat(n)}`).join('\r\n')

const OUTPUTS: Record<string, string> = {
  'nothing at all': '',
  'text and its cursor': 'hello\r\nworld',
  'lines that wrapped': 'x'.repeat(47),
  'a line that fills its row, and no more': 'y'.repeat(20),
  'a line that fills the last row': `\x1b[6;1H${'y'.repeat(20)}`,
  'lines above the screen': LONG,
  'colours of all kinds': '\x1b[31mred\x1b[92mgreen\x1b[38;5;200mpalette\x1b[38;2;1;2;3mtrue\x1b[44mback\x1b[0m',
  'every look': '\x1b[1ma\x1b[2mb\x1b[3mc\x1b[4md\x1b[5me\x1b[7mf\x1b[8mg\x1b[9mh\x1b[53mi\x1b[4:3;58;5;9mj\x1b[21mk',
  'a background to the end of the line': '\x1b[44mblue\x1b[K\r\n\x1b[0mplain\x1b[45m\x1b[2Xa',
  'a screen erased in colour': `${LONG}\x1b[42m\x1b[2J\x1b[3;3Hx`,
  'scrolled in colour': `\x1b[43m${LONG}`,
  'wide letters': '漢字かな漢字かな漢字かな漢字',
  'a wide letter that did not fit': `a${'漢'.repeat(12)}`,
  'a coloured wide letter that did not fit': `a\x1b[31;44m${'漢'.repeat(12)}`,
  'half of a wide letter overwritten': '漢字漢字\x1b[1;2Hx\x1b[1;5Hy',
  'joined letters': 'e\u0301 a\u0300\u0323 👩\u200d👩\u200d👧 🇩🇪 ok',
  'a wrapped line whose end was erased': `${'z'.repeat(25)}\x1b[1;15H\x1b[K\x1b[3;1H`,
  'a wrapped line whose beginning was erased': `${'z'.repeat(25)}\x1b[2;1H\x1b[3X`,
  'a wrapped line, coloured': `\x1b[41m${'z'.repeat(25)}`,
  'the other screen': `${LONG}\x1b[?1049h\x1b[2J\x1b[3;5Hin \x1b[7mvim\x1b[0m`,
  'the other screen without a saved cursor': `${LONG}\x1b[?47h\x1b[H\x1b[2Jother`,
  'a scrolling part': `${LONG}\x1b[2;4r\x1b[3;3H`,
  'a scrolling part, with its own origin': `${LONG}\x1b[2;5r\x1b[?6h\x1b[2;3H`,
  'a saved cursor': 'abc\x1b[31m\x1b7\x1b[0m\r\ndef',
  tabs: '\x1b[3g\x1b[1;4H\x1bH\x1b[1;10H\x1bH\rx',
  'lines for letters': '\x1b(0qqqx\x1b(Babc\x1b)0\x0e',
  'a hidden cursor of another shape': '\x1b[?25l\x1b[5 q',
  'the mouse': '\x1b[?1002h\x1b[?1006h\x1b[?1004h',
  keys: '\x1b[?1h\x1b=\x1b[?2004h\x1b[>1u\x1b[?1049h\x1b[>5u',
  'insert mode and no wrapping': 'abcdef\x1b[1;3H\x1b[4h\x1b[?7l',
  'a title': '\x1b]2;make: building\x07',
  'a link':
    'see \x1b]8;;https://example.org/a;b\x1b\\this \x1b[1mone\x1b]8;;\x1b\\, or \x1b]8;id=7;file:///x\x1b\\that',
  'protected letters': 'a\x1b[1"qb\x1b[0"qc\x1b[?2K',
  'a cursor behind the last column': `\x1b[3;1H${'w'.repeat(20)}`,
  'a cursor behind a wide letter in the last column': `\x1b[3;1H${'漢'.repeat(10)}`,
}

/** Numbers that are the same in each run. */
const numbers = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return (seed >>> 8) % below
}

/** What programs write, in any order. */
const anything = (next: (below: number) => number): string => {
  const n = () => next(25)
  const pieces = [
    () => 'some words ',
    () => '漢字',
    () => 'é e\u0301',
    () => '\r\n',
    () => '\n',
    () => '\t',
    () => '\b',
    () => 'long '.repeat(9),
    () => `\x1b[${n()};${n()}H`,
    () => `\x1b[${next(108)}m`,
    () => `\x1b[38;5;${next(256)};48;5;${next(256)}m`,
    () => `\x1b[38;2;${n()};${n()};${n()}m`,
    () => '\x1b[m',
    () => `\x1b[${next(3)}J`,
    () => `\x1b[${next(3)}K`,
    () => `\x1b[${n()}${'ABCDEFGLMPSTX@Z`'[next(16)]}`,
    () => `\x1b[${1 + next(3)};${3 + next(5)}r`,
    () => `\x1b[?${[1, 6, 7, 25, 45, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1049, 2004][next(14)]}${'hl'[next(2)]}`,
    () => '\x1b7',
    () => '\x1b8',
    () => '\x1bM',
    () => `\x1b[4:${next(6)}m`,
    () => `\x1b]8;;${next(2) ? 'https://example.org' : ''}\x1b\\`,
  ]
  return pieces[next(pieces.length)]!()
}

describe('a repainted emulator', () => {
  it.each(Object.entries(OUTPUTS))('is the same after %s', async (_name, output) => {
    const emulator = await emulatorAfter(output)
    expect(stateOf(await copyOf(emulator))).toEqual(stateOf(emulator))
  })

  it.each(Object.entries(OUTPUTS))('goes on in the same way after %s', async (_name, output) => {
    const emulator = await emulatorAfter(output)
    const copy = await copyOf(emulator)
    const more = 'next \x1b[1mone\r\n\x1b8more\x1b[?1049lend\r\n\tq'
    await Promise.all([written(emulator, more), written(copy, more)])
    expect(stateOf(copy)).toEqual(stateOf(emulator))
  })

  it('is the same after whatever was written', { timeout: 60_000 }, async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = numbers(seed)
      const output = Array.from({ length: 60 }, () => anything(next)).join('')
      const emulator = await emulatorAfter(output)
      expect(stateOf(await copyOf(emulator)), `seed ${seed}: ${JSON.stringify(output)}`).toEqual(stateOf(emulator))
    }
  })

  it('keeps the newest lines where it may not have all', async () => {
    const emulator = await emulatorAfter(LONG)
    const copy = createEmulator(size)
    await written(copy, repaint(emulator, 5))
    const all = stateOf(emulator).normal
    expect(stateOf(copy).normal.slice(1)).toEqual(all.slice(-5 - size.rows).slice(1))
  })

  it('is the same after a change of size', async () => {
    const emulator = await emulatorAfter(LONG, '\x1b[31m漢字'.repeat(20))
    emulator.terminal.resize(14, 9)
    expect(stateOf(await copyOf(emulator))).toEqual(stateOf(emulator))
    emulator.terminal.resize(30, 4)
    expect(stateOf(await copyOf(emulator))).toEqual(stateOf(emulator))
  })
})
