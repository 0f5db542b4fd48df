/** Conformance: the next backend attaches to a program on pipes that survived. It gets every byte and the exit code. */
import { describe, expect, it } from 'vitest'
import { FROM_THE_START } from '../../src/runtime/program.ts'
import { until } from '@slipway/testing'
import { attachPiped, startPiped } from './piped.ts'
import type { Subject } from './subject.ts'

/** Seconds, longer than any of these tests. */
const LONG = 600
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

export const testHeldProgram = (subject: Subject): void => {
  const { runtime } = subject
  const start = (script: string, options = {}) =>
    startPiped(subject, ['sh', '-c', script], { keepSeconds: LONG, ...options })
  const processes = async (session: string) =>
    (await runtime.processes(subject.containerId)).filter(({ terminalSession }) => terminalSession === session)
  const held = (): Promise<string[]> => runtime.held(subject.containerId)

  describe('a program on pipes without an attached server', () => {
    it('waits for room, and loses no byte of either output', async () => {
      const first = await start('seq 1 200000; seq 1 100000 >&2; exit 5', { acknowledges: false })
      await until('the first of it', () => first.bytes('stdout').length > 10_000)
      first.program.release()
      await first.program.exit
      const [out, error] = [first.bytes('stdout'), first.bytes('stderr')]
      expect(await held()).toContain(first.session)
      expect((await processes(first.session)).length).toBeGreaterThan(0)

      const from = { stdout: out.length, stderr: error.length }
      const second = await attachPiped(subject, first.session, from)
      expect(second.attached).toMatchObject({ from, size: null, takesInput: false, hasEnded: false })
      expect(await second.program.exit).toEqual({ exitCode: 5, cause: 'exited' })
      expect(out.toString() + second.text('stdout')).toBe(lines(200_000))
      expect(error.toString() + second.text('stderr')).toBe(lines(100_000))
      await second.program.hangUp()
      expect(await held()).not.toContain(first.session)
    })

    it('tells its end to each server that attaches, until one has collected it', async () => {
      const first = await start('read -r go; echo said; echo wrong >&2; exit 7', { stdin: 'open' })
      first.program.write(Buffer.from('go\n'))
      first.program.release()
      await until('its end', async () => (await processes(first.session)).length === 0)
      for (let round = 0; round < 3; round += 1) {
        const next = await attachPiped(subject, first.session, FROM_THE_START)
        expect(next.attached.hasEnded).toBe(true)
        expect(await next.program.exit).toEqual({ exitCode: 7, cause: 'exited' })
        expect([next.text('stdout'), next.text('stderr')]).toEqual(['said\n', 'wrong\n'])
        if (round < 2) next.program.release()
        else await next.program.hangUp()
      }
      expect(await runtime.attach(subject.containerId, first.session, FROM_THE_START)).toBeNull()
      expect(await held()).not.toContain(first.session)
    })

    it('goes on with its input where that is open, and tells whether it is', async () => {
      const first = await start('cat', { stdin: 'open' })
      first.program.write(Buffer.from('one\n'))
      await first.says('one\n')
      first.program.release()
      const second = await attachPiped(subject, first.session, { stdout: 4, stderr: 0 })
      expect(second.attached.takesInput).toBe(true)
      second.program.write(Buffer.from('two\n'))
      second.program.endInput()
      expect((await second.program.exit).exitCode).toBe(0)
      expect(second.text('stdout')).toBe('two\n')
      second.program.release()
      const third = await attachPiped(subject, first.session, { stdout: 8, stderr: 0 })
      expect(third.attached).toMatchObject({ takesInput: false, from: { stdout: 8 }, to: { stdout: 8 } })
      await third.program.exit
      await third.program.hangUp()
    })

    it('says what is gone of a log that drops, and where the rest begins', async () => {
      const first = await start('seq 1 100000; exec sleep 1000', { whenFull: 'drop' })
      await first.says('\n100000\n')
      first.program.release()
      const second = await attachPiped(subject, first.session, FROM_THE_START)
      const { from, to } = second.attached
      expect(to.stdout).toBe(lines(100_000).length)
      expect(from.stdout).toBeGreaterThan(0)
      await until('the rest', () => second.bytes('stdout').length === to.stdout - from.stdout)
      expect(second.text('stdout')).toBe(lines(100_000).slice(from.stdout))
      await second.program.hangUp()
    })

    it('is not taken over by a server that has stored more than it printed', async () => {
      const first = await start('echo short; exec sleep 1000')
      await first.says('short\n')
      const more = { stdout: 7, stderr: 0 }
      await expect(runtime.attach(subject.containerId, first.session, more)).rejects.toMatchObject({
        code: 'start_failed',
      })
      const second = await attachPiped(subject, first.session, { stdout: 6, stderr: 0 })
      await second.program.hangUp()
      expect(await processes(first.session)).toEqual([])
    })

    it('ends with all that it left when its seconds have passed', async () => {
      const first = await start('sleep 3021 & echo ready; exec sleep 3022')
      await first.says('ready\n')
      first.program.keep(1)
      first.program.release()
      await until('nothing to be left', async () => (await processes(first.session)).length === 0)
      await until('the holder to be gone', async () => !(await held()).includes(first.session))
    })

    it('is kept with its end no longer than its seconds', async () => {
      const first = await start('exit 1', { keepSeconds: 1 })
      await first.program.exit
      first.program.release()
      await until('the holder to be gone', async () => !(await held()).includes(first.session))
    })
  })
}
