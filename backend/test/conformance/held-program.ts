/** Conformance: programs on pipes that outlive the backend that started them. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { AttachedProgram, OutputOffsets, Program } from '../../src/runtime/port.ts'
import { type PipedOptions, pipedSpec, Printed } from './piped.ts'
import type { Subject } from './subject.ts'

const NOTHING: OutputOffsets = { stdout: 0, stderr: 0 }
/** Longer than any test. */
const LONG = 600
const MEBIBYTE = 1_048_576

export const testHeldProgram = (subject: Subject): void => {
  const { runtime } = subject
  const start = async (script: string, options: PipedOptions = {}) => {
    const spec = pipedSpec(['bash', '-c', script], { keepSeconds: LONG, ...options })
    return { session: spec.session, program: await runtime.start(subject.containerId, spec) }
  }
  const attach = (session: string, from: OutputOffsets = NOTHING): Promise<AttachedProgram | null> =>
    runtime.attach(subject.containerId, session, { kind: 'pipes', from })
  const attached = async (session: string, from: OutputOffsets = NOTHING): Promise<AttachedProgram> => {
    const found = await attach(session, from)
    if (!found) throw new Error('it is not held')
    return found
  }
  /** What the holder says of it now, without a look at its output. */
  const look = async (session: string): Promise<AttachedProgram> => {
    const found = await attached(session)
    found.program.release()
    return found
  }
  const isHeld = async (session: string) => (await runtime.held(subject.containerId)).includes(session)
  const exists = async (file: string) => (await subject.sh(`test -e ${file}`)).exitCode === 0
  const leave = async (program: Program, session: string): Promise<void> => {
    program.release()
    expect(await isHeld(session)).toBe(true)
  }

  describe('a program that is held', () => {
    it('is attached to from an offset of each output, with nothing lost and nothing twice', async () => {
      const { session, program } = await start(
        'echo one; echo error-one >&2; until [ -e /tmp/go-on ]; do sleep 0.05; done; echo two; echo error-two >&2; exit 5',
      )
      const before = new Printed(program)
      await until('the first lines', () => before.text() === 'one\n' && before.text('stderr') === 'error-one\n')
      await leave(program, session)
      await subject.sh('touch /tmp/go-on')
      const again = await attached(session, { stdout: 4, stderr: 6 })
      expect(again.from).toEqual({ stdout: 4, stderr: 6 })
      expect(again.program.leader).toBe(program.leader)
      const after = new Printed(again.program)
      expect(await again.program.exit).toEqual({ exitCode: 5, cause: 'exited' })
      expect(after.first).toEqual({ stdout: 4, stderr: 6 })
      expect([after.text(), after.text('stderr')]).toEqual(['two\n', 'one\nerror-two\n'])
      await again.program.hangUp()
      await subject.sh('rm /tmp/go-on')
    })

    it('keeps its exit until it is collected, however often somebody asks', async () => {
      const { session, program } = await start('echo out; exit 7')
      new Printed(program)
      expect(await program.exit).toEqual({ exitCode: 7, cause: 'exited' })
      await leave(program, session)
      for (let time = 0; time < 2; time++) {
        const again = await attached(session)
        expect(again.hasEnded).toBe(true)
        const said = new Printed(again.program)
        expect(await again.program.exit).toEqual({ exitCode: 7, cause: 'exited' })
        expect(said.text()).toBe('out\n')
        if (time === 0) await leave(again.program, session)
        else again.program.collect()
      }
      await until('it to be forgotten', async () => !(await isHeld(session)))
      expect(await attach(session)).toBeNull()
    })

    it('blocks where it must lose nothing, with nobody attached and however much it prints', async () => {
      const bytes = 3 * MEBIBYTE
      const { session, program } = await start(
        `head -c ${bytes} /dev/urandom | tee >(sha256sum >/tmp/sum); touch /tmp/done`,
        {
          whenFull: 'block',
        },
      )
      program.release()
      await until('it to be full', async () => (await look(session)).to.stdout >= MEBIBYTE, 30_000)
      expect(await exists('/tmp/done')).toBe(false)
      const again = await attached(session)
      expect(again.from.stdout).toBe(0)
      const said = new Printed(again.program)
      expect(await again.program.exit).toMatchObject({ exitCode: 0 })
      expect(said.bytes().length).toBe(bytes)
      await again.program.hangUp()
      await subject.sh('rm /tmp/done /tmp/sum')
    })

    it('keeps as much as it was told to, in each output', async () => {
      const bytes = 4 * MEBIBYTE
      const { session, program } = await start(`head -c ${bytes} /dev/zero; head -c ${bytes} /dev/zero >&2`, {
        keptOutputBytes: bytes,
      })
      program.release()
      await until('its end', async () => (await look(session)).hasEnded, 30_000)
      const again = await attached(session)
      expect(again.to).toEqual({ stdout: bytes, stderr: bytes })
      const said = new Printed(again.program)
      await said.finished()
      expect([said.bytes().length, said.bytes('stderr').length]).toEqual([bytes, bytes])
    })

    it('ends when it has waited long enough', async () => {
      const { session, program } = await start('sleep 2021', { keepSeconds: 1 })
      program.release()
      await until('its end', async () => !(await isHeld(session)), 30_000)
      expect((await subject.sh('pgrep -fx "sleep 2021"')).exitCode).toBe(1)
    })

    it('goes on reading the input of the next backend', async () => {
      const { session, program } = await start('read first; read second; echo "$first $second"', { input: 'open' })
      new Printed(program)
      program.write(Buffer.from('one\n'))
      program.release()
      const again = await attached(session)
      const said = new Printed(again.program)
      again.program.write(Buffer.from('two\n'))
      await said.finished()
      expect(said.text()).toBe('one two\n')
    })

    it('is not found as a terminal', async () => {
      const { session, program } = await start('sleep 2022')
      program.release()
      const asTerminal = { kind: 'terminal', from: NOTHING } as const
      await expect(runtime.attach(subject.containerId, session, asTerminal)).rejects.toMatchObject({
        code: 'start_failed',
      })
      const again = await attached(session)
      new Printed(again.program)
      await again.program.hangUp()
    })

    it('is not there under a name that nobody gave', async () => {
      expect(await attach('nobody')).toBeNull()
    })
  })
}
