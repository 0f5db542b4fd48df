/** Prints that would be too large, of which each takes seconds. */
// In the short form `emulator/src/headless/repaint.test.ts` has one of each kind.
import '@slipway/testing/long'
import { PRINT_BYTES } from '@slipway/emulator/headless'
import { colourful, link, printedLines, printedText } from '@slipway/emulator/testing'
import { describe, expect, it } from 'vitest'

describe('a print that would be too large', () => {
  it.each([
    ['lines of many colours', `${colourful(100)}\r\n`.repeat(6000)],
    ['lines that wrap', `\x1b[7m${colourful(600_000)}`],
    ['links', Array.from({ length: 6000 }, (_, n) => `${link(n)}\r\n`).join('')],
  ])('has fewer lines above the screen, the newest of them: %s', { timeout: 120_000 }, async (_name, output) => {
    const { bytes, lines, newest } = await printedLines(output)
    expect(bytes).toBeLessThan(PRINT_BYTES)
    expect(bytes).toBeGreaterThan(PRINT_BYTES * 0.9)
    expect(lines.length).toBeGreaterThan(500)
    // A print cannot say that its first line continues another one.
    expect(lines.slice(1)).toEqual(newest.slice(1))
  })

  it('is letters alone where the other screen itself is too much', async () => {
    const output = `\x1b[?1049h${colourful(300_000, '1;3;4;7;9;38;2')}\x1b[1;1Hhere`
    const { bytes, text } = await printedText(output, { cols: 1000, rows: 300 })
    expect(bytes).toBeLessThan(400_000)
    expect(text).toEqual([`here${'x'.repeat(996)}`, ...Array<string>(299).fill('x'.repeat(1000))])
  })
})
