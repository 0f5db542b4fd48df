import { Terminal } from '@xterm/headless'
import type { Terminal as BrowserTerminal } from '@xterm/xterm'
import { expect, test } from 'vitest'
import { dropScrolledAway } from './scrolling.ts'

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\r\n')

const printed = async (output: string) => {
  const terminal = new Terminal({ cols: 20, rows: 5, allowProposedApi: true })
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  await write(output)
  const screen = () => {
    const { active } = terminal.buffer
    const lines = Array.from({ length: 5 }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true))
    return { lines, cursor: [active.cursorX, active.cursorY] }
  }
  return { terminal, write, screen, drop: () => dropScrolledAway(terminal as unknown as BrowserTerminal) }
}

test('what has scrolled away is dropped, the screen stays, and it is followed on', async () => {
  const { terminal, write, screen, drop } = await printed(LINES)
  const before = screen()
  terminal.scrollToTop()
  drop()
  expect(screen()).toEqual(before)
  expect(terminal.buffer.active).toMatchObject({ baseY: 0, viewportY: 0, length: 5 })
  await write('\r\nmore')
  expect(terminal.buffer.active).toMatchObject({ baseY: 1, viewportY: 1 })
})

test('a program that takes the whole screen is not harmed, its scroll region included', async () => {
  const { terminal, write, screen, drop } = await printed(
    `${LINES}\x1b[?1049h\x1b[HTop\x1b[2;4r\x1b[5;1Hstatus\x1b[2;1H`,
  )
  const before = screen()
  drop()
  expect(screen()).toEqual(before)
  await write('a\r\nb\r\nc\r\nd')
  expect(screen().lines).toEqual(['Top', 'b', 'c', 'd', 'status'])
  await write('\x1b[?1049l')
  expect(terminal.buffer.active.baseY).toBe(15)
})

test('a sequence or a letter of which the rest has not come is shown as it is', async () => {
  const { terminal, write, screen, drop } = await printed(`${LINES}\r\n\x1b[3`)
  drop()
  await write('1mred')
  drop()
  expect(screen().lines.at(-1)).toBe('red')
  expect(terminal.buffer.active.getLine(4)?.getCell(0)?.getFgColor()).toBe(1)
})
