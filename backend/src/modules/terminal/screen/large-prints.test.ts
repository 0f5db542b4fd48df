/** Prints that would be too large, of which each takes seconds. */
// In the short form `emulator/src/headless/repaint.test.ts` has one of each kind.
import '@slipway/testing/long'
import { createEmulator, type Emulator, PRINT_BYTES, repaint } from '@slipway/emulator/headless'
import { stateOf, written } from '@slipway/emulator/testing'
import { describe, expect, it } from 'vitest'

const LARGE = { cols: 200, rows: 24 }
const emulatorOf = async (output: string, its = LARGE): Promise<Emulator> => {
  const emulator = createEmulator(its)
  await written(emulator, output)
  return emulator
}
/** Characters that all have different attributes. */
const colourful = (count: number, look = '38;2'): string =>
  Array.from({ length: count }, (_, n) => `\x1b[${look};${n % 250};${(n >> 8) % 250};9mx`).join('')
const link = (n: number): string => `\x1b]8;;https://example.org/${n}/${'a'.repeat(2000)}\x1b\\${n}\x1b]8;;\x1b\\`

describe('a print that would be too large', () => {
  it.each([
    ['lines of many colours', `${colourful(100)}\r\n`.repeat(6000)],
    ['lines that wrap', `\x1b[7m${colourful(600_000)}`],
    ['links', Array.from({ length: 6000 }, (_, n) => `${link(n)}\r\n`).join('')],
  ])('has fewer lines above the screen, the newest of them: %s', { timeout: 120_000 }, async (_name, output) => {
    const emulator = await emulatorOf(output)
    const print = repaint(emulator)
    expect(Buffer.byteLength(print)).toBeLessThan(PRINT_BYTES)
    expect(Buffer.byteLength(print)).toBeGreaterThan(PRINT_BYTES * 0.9)
    const { normal } = stateOf(await emulatorOf(print))
    expect(normal.length).toBeGreaterThan(500)
    // A print cannot say that its first line continues another one.
    expect(normal.slice(1)).toEqual(stateOf(emulator).normal.slice(-normal.length).slice(1))
  })

  it('is letters alone where the other screen itself is too much', async () => {
    const its = { cols: 1000, rows: 300 }
    const output = `\x1b[?1049h${colourful(300_000, '1;3;4;7;9;38;2')}\x1b[1;1Hhere`
    const print = repaint(await emulatorOf(output, its))
    expect(Buffer.byteLength(print)).toBeLessThan(400_000)
    const { active } = (await emulatorOf(print, its)).terminal.buffer
    const text = Array.from({ length: 300 }, (_, y) => active.getLine(active.baseY + y)!.translateToString())
    expect(text).toEqual([`here${'x'.repeat(996)}`, ...Array<string>(299).fill('x'.repeat(1000))])
  })
})
