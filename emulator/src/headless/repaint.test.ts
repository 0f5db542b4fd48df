/** One emulator gets each program's output. Another one gets the first one's print. Both have to be equal. */
import { describe, expect, it } from 'vitest'
import { stateOf, written } from '../testing/emulator-state.ts'
import { colourful, emulatorWith, link, printedLines, printedText } from '../testing/large-prints.ts'
import { anything, numbers } from '../testing/program-output.ts'
import { createEmulator, type Emulator } from './emulator.ts'
import { PRINT_BYTES, repaint } from './repaint.ts'

const size = { cols: 20, rows: 6 }
const copyOf = async (emulator: Emulator): Promise<Emulator> => {
  const { cols, rows } = emulator.terminal
  const copy = createEmulator({ cols, rows })
  await written(
    copy,
    'what was there before\r\n\x1b[?1049h\x1b[?1006h\x1b[?1003h\x1b[2;3r\x1b[41m\x1b]7501;state=blocked\x07',
  )
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
  'emoji of several characters': '👍🏽|⚠\ufe0f|🇩🇪|1\ufe0f\u20e3|\r\n👨\u200d👩\u200d👧|❤\ufe0f|☝🏽|',
  'emoji at the end of a line': `\x1b[20G⚠\ufe0f|\x1b[3;19H👍🏽\x1b[4;20H🇩🇪`,
  'emoji of which each character was counted': '\x1b[?2027l👍🏽⚠\ufe0f🇩🇪1\ufe0f\u20e3👩\u200d👧|',
  'emoji that were counted in both ways': '\x1b[?2027l👍🏽⚠\ufe0f|\x1b[?2027h👍🏽⚠\ufe0f|',
  'halves of emoji that were written apart': '👍\x1b[m🏽☝\x1b[m🏽🇩\x1b[m🇪👩\u200d\x1b[m👧👩\u200d\x1b[m♀abc',
  'a cursor behind a sign that was counted as a character': `\x1b[?2027l\x1b[3;1H${'⚠\ufe0f'.repeat(20)}`,
  'a cursor behind an emoji in the last column': `\x1b[3;1H${'⚠\ufe0f'.repeat(10)}`,
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
  'a cursor that does not blink': '\x1b[5 q\x1b[?12;25l',
  'a cursor that blinks in a shape that does not': '\x1b[?12h\x1b[4 q\x1b[?12h',
  'the mouse': '\x1b[?1002h\x1b[?1006h\x1b[?1004h',
  keys: '\x1b[?1h\x1b=\x1b[?2004h\x1b[>1u\x1b[?1049h\x1b[>5u',
  'insert mode and no wrapping': 'abcdef\x1b[1;3H\x1b[4h\x1b[?7l',
  'half of a frame': 'old\x1b[?2026h\x1b[2J\x1b[Hne',
  'a title': '\x1b]2;make: building\x07',
  'a question':
    '\x1b]7501;state=working:id=build\x07\x1b]7501;state=blocked:app=claude-code:kind=permission:msg=w6ljaG8=\x1b\\',
  'a question that was answered': '\x1b]7501;state=blocked\x07\x1b]7501;state=working\x07',
  'a link':
    'see \x1b]8;;https://example.org/a;b\x1b\\this \x1b[1mone\x1b]8;;\x1b\\, or \x1b]8;id=7;file:///x\x1b\\that',
  'protected letters': 'a\x1b[1"qb\x1b[0"qc\x1b[?2K',
  'a cursor behind the last column': `\x1b[3;1H${'w'.repeat(20)}`,
  'a cursor behind a wide letter in the last column': `\x1b[3;1H${'漢'.repeat(10)}`,
}

describe('a repainted emulator', () => {
  it.each(Object.entries(OUTPUTS))('is the same after %s', async (_name, output) => {
    const emulator = await emulatorAfter(output)
    expect(stateOf(await copyOf(emulator))).toEqual(stateOf(emulator))
  })

  it.each(Object.entries(OUTPUTS))('goes on in the same way after %s', async (_name, output) => {
    const emulator = await emulatorAfter(output)
    const copy = await copyOf(emulator)
    const more = '\x1b]7501;state=done:id=build\x07next \x1b[1mone\r\n\x1b8more\x1b[?1049lend\r\n\tq'
    await Promise.all([written(emulator, more), written(copy, more)])
    expect(stateOf(copy)).toEqual(stateOf(emulator))
  })

  it('is the same after any output', async () => {
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

/** Programs may write more than fits into a print. More of them: `backend/src/modules/terminal/screen/large-prints.test.ts`. */
describe('a print that would be too large', () => {
  it.each([
    ['a link that goes on and on', `${link(1).slice(0, -9)}${colourful(200_000, '1;3;4;5;7;8;9;53;58:2::1:2:3;38;2')}`],
  ])('has fewer lines above the screen, the newest of them: %s', async (_name, output) => {
    const { bytes, lines, newest } = await printedLines(output)
    expect(bytes).toBeLessThan(PRINT_BYTES)
    expect(bytes).toBeGreaterThan(PRINT_BYTES * 0.9)
    expect(lines.length).toBeGreaterThan(500)
    // A print cannot say that its first line continues another one.
    expect(lines.slice(1)).toEqual(newest.slice(1))
  })

  it('is letters alone where the screen itself is too much', async () => {
    const output = `${colourful(300_000, '1;3;4;7;9;38;2')}\x1b[1;1Hhere`
    const { bytes, text } = await printedText(output, { cols: 1000, rows: 300 })
    expect(bytes).toBeLessThan(400_000)
    expect(text).toEqual([`here${'x'.repeat(996)}`, ...Array<string>(299).fill('x'.repeat(1000))])
  })

  it('has no letter under a heap of marks', async () => {
    const emulator = await emulatorWith(`ab${'\u0301'.repeat(1000)}c${'\u0301'.repeat(20)}`)
    expect(repaint(emulator)).toContain(`abc${'\u0301'.repeat(20)}\r\n`)
  })
})
