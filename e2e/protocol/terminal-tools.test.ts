/** Programs that a user starts in bash and that draw on the whole screen: tmux, man. */
import { disconnectAll, until } from '@slipway/testing'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { Shown } from '../support/terminal/shown.ts'
import { useAgent } from '../support/use-agent.ts'

const SIZE = { cols: 100, rows: 30 }
/** What a program may take for its first screen on a busy machine, in milliseconds. */
const DRAWN_WITHIN_MS = 120_000
const TEAL = 0x0a7f83

const its = useAgent({ runtime: 'bash', keepSeconds: 300 })
afterEach(disconnectAll)

const open = async (): Promise<Shown> => {
  const to = { baseUrl: inject('baseUrl'), path: `/agents/${its.agent.name}/terminal?mode=bash` }
  const page = await Shown.open(to, { token: its.owner.token }, { size: SIZE })
  page.emulator.terminal.onData((answer) => page.client.type(answer))
  await shows(page, /\$ *$/)
  return page
}
const shows = (page: Shown, what: RegExp): Promise<boolean> =>
  until(`the page to show ${what}`, () => what.test(page.text.trimEnd()), DRAWN_WITHIN_MS)
const isOn = (page: Shown, screen: 'normal' | 'alternate'): Promise<boolean> =>
  until(`the ${screen} screen`, () => page.emulator.terminal.buffer.active.type === screen, DRAWN_WITHIN_MS)

describe('man', () => {
  it('shows a page on the whole screen, scrolls with the keys, and leaves with q', async () => {
    const page = await open()
    page.client.type('man ls\r')
    await shows(page, /ls - list directory contents/)
    await isOn(page, 'alternate')
    page.client.type('G')
    await shows(page, /SEE ALSO/)
    page.client.type('q')
    await isOn(page, 'normal')
    await shows(page, /man ls\n.*\$$/)
    await page.client.disconnect()
  })
})

describe('tmux', () => {
  it('has 24-bit colours, takes keys, and keeps its programs when the terminal ends', async () => {
    const first = await open()
    first.client.type('tmux new -d -s work && tmux attach -t work\r')
    await shows(first, /\[work\]/)
    first.client.type(String.raw`printf '\e[38;2;10;127;131mte''al\e[0m %s %s\n' "$TERM" "$COLORTERM"` + '\r')
    await shows(first, /^teal tmux-256color truecolor$/m)
    const { active } = first.emulator.terminal.buffer
    const row = Array.from({ length: SIZE.rows }, (_, y) => active.getLine(active.baseY + y)!).find((line) =>
      line.translateToString().startsWith('teal'),
    )
    expect(row?.getCell(0)?.isFgRGB()).toBe(true)
    expect(row?.getCell(0)?.getFgColor()).toBe(TEAL)
    // Another window, and back.
    first.client.type('\x02c')
    await shows(first, /0:bash- 1:bash\*/)
    first.client.type('\x02p')
    await shows(first, /^teal[^]*0:bash\* 1:bash-/m)
    await first.client.disconnect()

    const second = await open()
    second.client.type('tmux attach\r')
    await shows(second, /^teal[^]*\[work\]/m)
    second.client.type('\x02d')
    await shows(second, /\[detached \(from session work\)\]/)
    await second.client.disconnect()
  })
})
