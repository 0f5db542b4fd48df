import headless from '@xterm/headless'
import { beforeEach, describe, expect, it } from 'vitest'
import { FRAME_MAX_MS, SynchronizedOutput } from './synchronized-output.ts'

let terminal: InstanceType<typeof headless.Terminal>
let synchronized: SynchronizedOutput
let answers: string[]
let heard: boolean[]
let now: number

beforeEach(() => {
  terminal = new headless.Terminal({ allowProposedApi: true })
  answers = []
  heard = []
  now = 1000
  terminal.onData((text) => answers.push(text))
  synchronized = new SynchronizedOutput(
    terminal,
    (isHeld) => heard.push(isHeld),
    () => now,
  )
})

const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
const QUERY = '\x1b[?2026$p'

describe('synchronized output', () => {
  it('is held from where its program says so to where it says the contrary', async () => {
    expect(synchronized.isHeld).toBe(false)
    await write('\x1b[?2026h')
    expect(synchronized.isHeld).toBe(true)
    await write('a frame\x1b[?2026l')
    expect(synchronized.isHeld).toBe(false)
    expect(heard).toEqual([true, false])
  })

  it('answers whether it is held, and no other question', async () => {
    await write(`${QUERY}\x1b[?2026h${QUERY}\x1b[?2026l${QUERY}`)
    expect(answers.splice(0)).toEqual(['\x1b[?2026;2$y', '\x1b[?2026;1$y', '\x1b[?2026;2$y'])
    await write('\x1b[?2004$p\x1b[?2031$p\x1b[2026$p')
    expect(answers).toEqual(['\x1b[?2004;2$y', '\x1b[?2031;0$y', '\x1b[2026;0$y'])
  })

  it('may be asked for along with other modes, which are set, too', async () => {
    await write('\x1b[?2004;2026h')
    expect([synchronized.isHeld, terminal.modes.bracketedPasteMode]).toEqual([true, true])
    await write('\x1b[?2026;2004l')
    expect([synchronized.isHeld, terminal.modes.bracketedPasteMode]).toEqual([false, false])
    await write('\x1b[2026h\x1b[?20260h')
    expect(synchronized.isHeld).toBe(false)
  })

  it('is held for so long and no longer, from its first beginning on', async () => {
    await write('\x1b[?2026h')
    now += FRAME_MAX_MS - 1
    await write('\x1b[?2026h')
    expect([synchronized.isHeld, synchronized.restoring()]).toEqual([true, '\x1b[?2026h'])
    now += 1
    expect([synchronized.isHeld, synchronized.restoring()]).toEqual([false, ''])
    await write(QUERY)
    expect(answers).toEqual(['\x1b[?2026;2$y'])
    await write('\x1b[?2026h')
    expect(synchronized.isHeld).toBe(true)
    expect(heard).toEqual([true, true])
  })

  it.each(['\x1bc', '\x1b[!p'])('ends with a reset: %j', async (reset) => {
    await write(`\x1b[?2026h${reset}`)
    expect([synchronized.isHeld, heard]).toEqual([false, [true, false]])
  })

  it('ends where another program begins, once', () => {
    synchronized.reset()
    expect(heard).toEqual([])
  })

  it('tells that it begins before anything of the frame is carried out, and that it ends after all of it is', async () => {
    const lines: string[] = []
    const other = new headless.Terminal({ allowProposedApi: true })
    new SynchronizedOutput(other, () => lines.push(other.buffer.active.getLine(0)!.translateToString(true)))
    await new Promise<void>((resolve) => other.write('old\r\x1b[?2026hnew\x1b[?2026lnewer', resolve))
    expect(lines).toEqual(['old', 'new'])
  })
})
