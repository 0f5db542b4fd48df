/** Conformance: the terminal that a program gets, and bytes that arrive unchanged. */
import { createHash, randomBytes } from 'node:crypto'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/** Turns off the terminal's echo and translation. */
const RAW = 'stty raw -echo; echo ready; '

/** Types as fast as the program accepts input. */
const typeAll = async ({ pty }: Terminal, data: Buffer): Promise<void> => {
  let goOn = (): void => undefined
  pty.onDrain(() => goOn())
  for (let at = 0; at < data.length; at += 65_536) {
    const drained = new Promise<void>((resolve) => {
      goOn = resolve
    })
    if (!pty.write(data.subarray(at, at + 65_536))) await drained
  }
}

export const testPty = (subject: Subject): void => {
  describe('a terminal', () => {
    it('has its size before the program can ask for it', async () => {
      const terminal = await openTerminal(subject, ['stty', 'size'], { cols: 123, rows: 45 })
      await terminal.pty.exit
      expect(terminal.text).toBe('45 123\r\n')
    })

    it('starts the program with the environment and the folder given, as the agent’s user', async () => {
      const argv = ['sh', '-c', 'echo "$FOO" "$PWD" $(id -u) "$1"', 'sh', '$(id)']
      const terminal = await openTerminal(subject, argv, { env: { FOO: 'b a r' }, folder: '/usr' })
      await terminal.pty.exit
      expect(terminal.text).toBe('b a r /usr 1000 $(id)\r\n')
    })

    it('carries all 256 bytes both ways, Ctrl-P among them', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', `${RAW}cat`])
      await terminal.waitFor('ready\n')
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      // Ctrl-P Ctrl-Q twice: Docker's default keys to detach.
      const typed = Buffer.concat([all, Buffer.from([16, 17, 16, 17]), all])
      terminal.pty.write(typed)
      const expected = Buffer.concat([Buffer.from('ready\n'), typed])
      await until('all of it back', () => terminal.bytes.length >= expected.length)
      expect(terminal.bytes.equals(expected)).toBe(true)
      await terminal.pty.hangUp()
    })

    it('shows a single Ctrl-P at once', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', `${RAW}cat`])
      await terminal.waitFor('ready\n')
      terminal.pty.write(Buffer.from([16]))
      await terminal.waitFor('\u0010')
      await terminal.pty.hangUp()
    })

    it('takes a paste of 1 MiB whole', async () => {
      // Docker's detach keys begin with Ctrl-^ (30). If that is the last byte that Docker reads at once, and the next read is full and
      // the last one, Docker holds back the last byte until another one follows.
      const paste = Buffer.concat([randomBytes(1_048_575).map((byte) => (byte === 30 ? 31 : byte)), Buffer.from('\n')])
      const terminal = await openTerminal(subject, ['sh', '-c', `${RAW}head -c ${paste.length} | sha256sum`])
      await terminal.waitFor('ready\n')
      await typeAll(terminal, paste)
      await terminal.pty.exit
      expect(terminal.text).toContain(createHash('sha256').update(paste).digest('hex'))
    })

    it('ends up at the last of many sizes', async () => {
      // The script polls the size: bash drops a signal that comes while it handles another one of the same kind.
      const argv = ['bash', '-c', 'echo ready; while size=$(stty size); do echo "$size"; sleep 0.05; done']
      const terminal = await openTerminal(subject, argv)
      await terminal.waitFor('ready')
      for (let cols = 81; cols <= 280; cols++) terminal.pty.resize(cols, 30)
      await terminal.waitFor(/30 280\r\n$/)
      await terminal.pty.hangUp()
    })
  })
}
