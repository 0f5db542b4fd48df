import headless from '@xterm/headless'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EMULATOR_OPTIONS } from './options.ts'

/** Bytes that xterm.js does not handle, or that its parser drops. */
const RUBBISH: readonly [what: string, output: string | Uint8Array][] = [
  ['DEL', '\x7f'.repeat(1000)],
  ['letters in a control sequence', '\x1b[é\x1b[1;é\x1b[?é\x1b[ é'],
  ['letters in a device control string', '\x1bPé\x1b\\\x1bP1;é\x1b\\'],
  ['unknown sequences of every kind', '\x1b[9999~\x1b[?9999h\x1b[>9z\x1b]9999;x\x07\x1bP9z\x1b\\\x1b_x\x1b\\\x1b%9'],
  ['bytes that are no UTF-8', new Uint8Array(1000).fill(0xff)],
  ['all bytes, each after an escape', Uint8Array.from({ length: 512 }, (_, at) => (at % 2 === 0 ? 0x1b : at >> 1))],
]

describe('an emulator that gets rubbish', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(RUBBISH)('says nothing of %s on the console, and goes on', async (_what, output) => {
    const spies = (['log', 'info', 'debug', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockReturnValue(undefined),
    )
    const terminal = new headless.Terminal({ ...EMULATOR_OPTIONS, cols: 80, rows: 24 })
    const write = (text: string | Uint8Array): Promise<void> => new Promise((resolve) => terminal.write(text, resolve))
    await write(output)
    await write('\x18\x1b\\\x1bcafterwards')
    expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('afterwards')
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
    terminal.dispose()
  })
})
