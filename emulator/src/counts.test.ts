import headless, { type Terminal } from '@xterm/headless'
import { expect, test } from 'vitest'
import { boundCounts } from './counts.ts'

const [COLS, ROWS] = [40, 10]
const LETTERS = Array.from({ length: ROWS }, (_, row) => String.fromCharCode(97 + row))

const printed = async (output: string, bounded = true): Promise<Terminal> => {
  const terminal = new headless.Terminal({ cols: COLS, rows: ROWS, scrollback: 20, allowProposedApi: true })
  if (bounded) boundCounts(terminal)
  await new Promise<void>((resolve) => terminal.write(`${LETTERS.join('\r\n')}\x1b[5;3H${output}`, resolve))
  return terminal
}
const screenOf = ({ buffer: { active }, rows }: Terminal) => ({
  lines: Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true)),
  cursor: [active.cursorX, active.cursorY],
})

/** Without the bound, each of these takes between seconds and minutes. */
const HUGE = 2_147_483_647

test.each(['I', 'Z', 'L', 'M', 'S', 'T'])(
  'a huge count for %s leaves the screen as one that fills it',
  async (final) => {
    const huge = screenOf(await printed(`\x1b[${HUGE}${final}`))
    expect(huge).toEqual(screenOf(await printed(`\x1b[1000${final}`, false)))
    expect(huge).not.toEqual(screenOf(await printed('')))
  },
)

test.each(['\x1b[3I', '\x1b[2L', '\x1b[2M', '\x1b[S', '\x1b[0T', '=\x1b[30b', '=\x1b[b'])(
  'what fits the screen is done as ever: %j',
  async (output) => {
    expect(screenOf(await printed(output))).toEqual(screenOf(await printed(output, false)))
  },
)

test('a letter is repeated over a line at most', async () => {
  const { lines } = screenOf(await printed(`=\x1b[${HUGE}b`))
  expect(lines.join('').match(/=/g)).toHaveLength(COLS + 1)
})

test('a letter under a heap of marks is not repeated', async () => {
  const terminal = await printed(`e${'\u0301'.repeat(1000)}\x1b[30b`)
  expect(terminal.buffer.active.cursorX).toBe(3)
})
