import { Terminal } from '@xterm/headless'
import type { Terminal as BrowserTerminal } from '@xterm/xterm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hearInput } from './typed.ts'

let terminal: Terminal
let heard: [text: string, isAnswer: boolean][]

beforeEach(() => {
  heard = []
  terminal = new Terminal({ allowProposedApi: true })
  hearInput(terminal as unknown as BrowserTerminal, (bytes, isAnswer) =>
    heard.push([new TextDecoder().decode(bytes), isAnswer]),
  )
})
afterEach(() => terminal.dispose())

test('typed input is told from the emulator’s answers, in either order', async () => {
  const asks = (): Promise<void> => new Promise((resolve) => terminal.write('\x1b[c\x1b[6n', resolve))
  terminal.input('\x03')
  await asks()
  terminal.input('a')
  terminal.input('told by the page itself', false)
  expect(heard).toEqual([
    ['\x03', false],
    ['\x1b[?1;2c', true],
    ['\x1b[1;1R', true],
    ['a', false],
    ['told by the page itself', true],
  ])
})

test('the mouse is the user’s input, in the text form and in the binary one', async () => {
  const { _core: core } = terminal as unknown as {
    readonly _core: { readonly coreMouseService: { triggerMouseEvent(event: object): boolean } }
  }
  const click = { col: 1, row: 1, x: 1, y: 1, button: 0, action: 1, ctrl: false, alt: false, shift: false }
  for (const mode of ['\x1b[?1000h', '\x1b[?1006h']) {
    await new Promise<void>((resolve) => terminal.write(mode, resolve))
    expect(core.coreMouseService.triggerMouseEvent(click)).toBe(true)
  }
  expect(heard.map(([, isAnswer]) => isAnswer)).toEqual([false, false])
})
