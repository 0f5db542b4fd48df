/** Conformance: each end of a terminal's program has a cause. */
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { newSpec, type Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

export const testPtyEnds = (subject: Subject): void => {
  const { runtime, image } = subject
  const exitOf = async (...argv: string[]) => (await openTerminal(subject, argv)).pty.exit

  describe('the end of a terminal’s program', () => {
    it('comes with its exit code', async () => {
      expect(await exitOf('sh', '-c', 'exit 7')).toEqual({ exitCode: 7, cause: 'exited' })
    })

    it('comes after the last byte of output', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', 'seq 100000'])
      await terminal.pty.exit
      expect(terminal.text.endsWith('\r\n100000\r\n')).toBe(true)
    })

    it('is 127 for a program that is not there, and says so', async () => {
      const terminal = await openTerminal(subject, ['no-such-program'])
      expect(await terminal.pty.exit).toEqual({ exitCode: 127, cause: 'exited' })
      expect(terminal.text).toContain('no-such-program')
    })

    it('comes although a background job holds the terminal open', async () => {
      const terminal = await openTerminal(subject, ['bash', '-c', 'sleep 1000 & exit 3'])
      expect(await terminal.pty.exit).toEqual({ exitCode: 3, cause: 'exited' })
      await terminal.pty.hangUp()
    })

    it.each([
      ['much', 'yes'],
      ['little, again and again', 'while :; do echo y; sleep 0.1; done'],
    ])('comes although a background job prints %s', async (_how, job) => {
      const terminal = await openTerminal(subject, ['bash', '--norc'])
      terminal.type(`${job} &\r`)
      await terminal.waitFor(/y\r\ny\r\n/)
      terminal.type('exit 3\r')
      expect(await terminal.pty.exit).toEqual({ exitCode: 3, cause: 'exited' })
      await terminal.pty.hangUp()
      expect(await processesOf(subject, terminal)).toEqual([])
    })

    // `hang-up.ts` kills a program that ignores the hang-up.
    longIt('comes although what was detached on purpose prints on', async () => {
      const terminal = await openTerminal(subject, ['bash', '--norc'])
      terminal.type("trap '' HUP; yes\r")
      await terminal.waitFor(/y\r\ny\r\n/)
      await terminal.pty.hangUp()
      // The program ignored the hang-up, so it was killed.
      expect(await terminal.pty.exit).toEqual({ exitCode: 137, cause: 'exited' })
    })

    it('fails to open in a folder that is not there, or a container that is gone, with a typed error', async () => {
      await expect(openTerminal(subject, ['true'], { folder: '/no/such/folder' })).rejects.toMatchObject({
        name: 'RuntimeError',
      })
      const gone = { runtime, containerId: '0'.repeat(64) }
      await expect(openTerminal(gone, ['true'])).rejects.toMatchObject({ code: 'not_found' })
    })

    it('tells that the container was stopped, and hanging up is fine then', async () => {
      const spec = newSpec(image)
      const { id } = await runtime.launch(spec)
      const terminal = await openTerminal({ runtime, containerId: id }, ['bash', '--norc'])
      await runtime.stop(id, 5)
      expect(await terminal.pty.exit).toMatchObject({ cause: 'container_stopped' })
      await terminal.pty.hangUp()
      await expect(openTerminal({ runtime, containerId: id }, ['true'])).rejects.toMatchObject({ code: 'not_running' })
      await runtime.remove(id)
      await terminal.pty.hangUp()
      await runtime.removeHome(spec)
    })
  })
}
