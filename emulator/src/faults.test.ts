import headless, { type Terminal } from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { surviveFaults } from './faults.ts'

const open = (): Terminal => {
  const terminal = new headless.Terminal({ cols: 20, rows: 4, allowProposedApi: true })
  surviveFaults(terminal)
  return terminal
}
const write = (terminal: Terminal, output: string): Promise<void> =>
  new Promise((resolve) => terminal.write(output, resolve))
const screenOf = ({ buffer: { active }, rows }: Terminal) =>
  Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)!.translateToString(true))

describe('an emulator that survives faults', () => {
  it.each(['', '?'])(
    'erases everything up to the last column of the last line (CSI %s1J), and goes on',
    async (prefix) => {
      const terminal = open()
      await write(terminal, `one\r\ntwo\r\nthree\r\n${'x'.repeat(20)}\x1b[4;20H\x1b[${prefix}1J`)
      expect(screenOf(terminal)).toEqual(['', '', '', ''])
      await write(terminal, '\x1b[2;1Hafterwards')
      expect(screenOf(terminal)).toEqual(['', 'afterwards', '', ''])
    },
  )

  it('goes on after output at which a handler throws', async () => {
    const terminal = open()
    terminal.parser.registerCsiHandler({ final: 'y' }, () => {
      throw new Error('a fault')
    })
    await write(terminal, 'before\x1b[1y lost')
    await write(terminal, '\r\nafterwards')
    expect(screenOf(terminal).slice(0, 2)).toEqual(['before', 'afterwards'])
  })
})
