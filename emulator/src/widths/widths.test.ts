import { describe, expect, it } from 'vitest'
import { createEmulator } from '../headless/index.ts'
import { MEASURED, written } from '../testing/index.ts'

const size = { cols: 40, rows: 4 }
const COUNT_CHARACTERS = '\x1b[?2027l'
const column = async (...outputs: string[]): Promise<number> => {
  const emulator = createEmulator(size)
  for (const output of outputs) await written(emulator, output)
  return emulator.terminal.buffer.active.cursorX
}
const lineOf = async (output: string): Promise<string> => {
  const emulator = createEmulator(size)
  await written(emulator, output)
  return emulator.terminal.buffer.active.getLine(0)!.translateToString(true)
}

describe.each(MEASURED)('$name', ({ text, emoji, characters }) => {
  it(`takes ${emoji} columns`, async () => {
    expect(await column(text)).toBe(emoji)
  })

  it(`takes ${characters} where the program counts characters`, async () => {
    expect(await column(COUNT_CHARACTERS, text)).toBe(characters)
  })

  it('takes as many where it comes in pieces', async () => {
    expect(await column(...Array.from(text))).toBe(emoji)
    expect(await column(COUNT_CHARACTERS, ...Array.from(text))).toBe(characters)
  })

  it('is what is copied', async () => {
    expect(await lineOf(`${text}|`)).toBe(`${text}|`)
  })
})

describe('emoji at the end of a line', () => {
  it.each([
    ['a skin tone does not wrap', `\x1b[39G👍🏽`, ['👍🏽', '']],
    ['a sign that becomes wide goes to the next line', `\x1b[40G⚠\ufe0f|`, ['', '⚠\ufe0f|']],
    ['half a flag goes to the next line with the other half', `\x1b[40G🇩🇪|`, ['', '🇩🇪|']],
  ])('%s', async (_name, output, lines) => {
    const emulator = createEmulator(size)
    await written(emulator, output)
    const { active } = emulator.terminal.buffer
    expect([0, 1].map((y) => active.getLine(y)!.translateToString(true).trim())).toEqual(lines)
  })
})

describe('the mode that counts emoji', () => {
  const answerTo = async (output: string): Promise<string> => {
    const emulator = createEmulator(size)
    const answers: string[] = []
    emulator.terminal.onData((answer) => answers.push(answer))
    await written(emulator, output)
    return answers.join('')
  }

  it.each([
    ['is on', '', 1],
    ['is off after it was reset', COUNT_CHARACTERS, 2],
    ['is on after it was set', `${COUNT_CHARACTERS}\x1b[?2027h`, 1],
    ['is set and reset with others', `\x1b[?25;2027l`, 2],
    ['is on after a full reset', `${COUNT_CHARACTERS}\x1bc`, 1],
    ['is on after a soft reset', `${COUNT_CHARACTERS}\x1b[!p`, 1],
  ])('%s, and says so', async (_name, output, state) => {
    expect(await answerTo(`${output}\x1b[?2027$p`)).toBe(`\x1b[?2027;${state}$y`)
  })

  it('leaves the questions for other modes to the emulator', async () => {
    expect(await answerTo('\x1b[?7$p')).toBe('\x1b[?7;1$y')
  })

  it('changes nothing that is shown already', async () => {
    expect(await column(`👍🏽`, COUNT_CHARACTERS, '👍🏽', '\x1b[?2027h', '👍🏽')).toBe(8)
  })
})
