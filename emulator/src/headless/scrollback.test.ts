import headless, { type Terminal } from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { Scrollback } from './scrollback.ts'

const LINES = 1000
const full = async (lines = LINES): Promise<Terminal> => {
  const terminal = new headless.Terminal({ cols: 80, rows: 24, scrollback: LINES, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write('line\r\n'.repeat(lines + 30), resolve))
  return terminal
}
const above = ({ buffer, rows }: Terminal): number => buffer.normal.length - rows

describe('the lines of all mirrors', () => {
  it('are kept as long as there is room', async () => {
    const scrollback = new Scrollback(LINES)
    const [one, two] = [await full(), await full()]
    scrollback.used(1, one)
    scrollback.used(2, two)
    expect([above(one), above(two)]).toEqual([LINES, LINES])
  })

  it('are given up by the longest idle first, the oldest before the newest, and come again when it is used', async () => {
    const room = 2.5 * LINES * (80 * 12 + 200)
    const scrollback = new Scrollback(LINES, room)
    const [one, two, three] = [await full(), await full(), await full()]
    scrollback.used(1, one)
    scrollback.used(2, two)
    scrollback.used(1, one)
    scrollback.used(3, three)
    expect([above(one), above(three)]).toEqual([LINES, LINES])
    expect(above(two)).toBeLessThan(LINES)
    expect(two.buffer.normal.getLine(two.buffer.normal.length - 2)?.translateToString(true)).toBe('line')
    scrollback.gone(1)
    await new Promise<void>((resolve) => two.write('more\r\n'.repeat(LINES), resolve))
    scrollback.used(2, two)
    await new Promise<void>((resolve) => two.write('more\r\n'.repeat(LINES), resolve))
    expect(above(two)).toBe(LINES)
  })
})
