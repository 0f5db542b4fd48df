/** Conformance: programs without a terminal that are watched while they run. */
import { randomBytes } from 'node:crypto'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { type PipedOptions, pipedSpec, Printed, startPiped } from './piped.ts'
import type { Subject } from './subject.ts'

const HOME = '/home/developer'

export const testProgram = (subject: Subject): void => {
  const { runtime } = subject
  const start = (argv: readonly string[], options: PipedOptions = {}) => startPiped(subject, argv, options)
  const finish = async (argv: readonly string[], options: PipedOptions = {}) => {
    const said = new Printed(await start(argv, options))
    const exit = await said.finished()
    return { ...exit, stdout: said.text(), stderr: said.text('stderr'), bytes: said.bytes() }
  }
  const isAlive = async (leader: string): Promise<boolean> => {
    const all = await runtime.processes(subject.containerId)
    return all.some(({ pid, startTicks }) => `${pid}:${startTicks}` === leader)
  }

  describe('a program that is watched', () => {
    it('is told by its outputs, each by itself, and its exit code', async () => {
      expect(await finish(['sh', '-c', 'echo out; echo err >&2; exit 7'])).toMatchObject({
        exitCode: 7,
        cause: 'exited',
        stdout: 'out\n',
        stderr: 'err\n',
      })
    })

    it('is the one that was named, with its arguments as they are', async () => {
      const argument = '$(id) `id` "; rm -rf / \\ \n\u001b[31m'
      expect((await finish(['printf', '%s|', argument, '', '-n'])).stdout).toBe(`${argument}||-n|`)
    })

    it('gets the environment and nothing of the launcher’s', async () => {
      const { stdout } = await finish(['env'], { env: { GREETING: 'a=b c' } })
      expect(stdout).toContain('\nGREETING=a=b c\n')
      expect(stdout).not.toMatch(/^(stat|ticks|kills|key|value|file|OLDPWD)=/m)
    })

    it('reads its input to the end', async () => {
      const input = randomBytes(1_000_000)
      expect((await finish(['cat'], { input })).bytes.equals(input)).toBe(true)
      expect((await finish(['cat'])).bytes.length).toBe(0)
    })

    it('reads input that comes in parts, until its end', async () => {
      const program = await start(['sh', '-c', 'read first; echo "got $first"; cat'], { input: 'open' })
      const said = new Printed(program)
      program.write(Buffer.from('one\n'))
      await until('the answer', () => said.text() === 'got one\n')
      program.write(Buffer.from('two'))
      program.endInput()
      expect(await said.finished()).toMatchObject({ exitCode: 0 })
      expect(said.text()).toBe('got one\ntwo')
    })

    it('takes more input than anybody keeps, as fast as it reads', async () => {
      const program = await start(['sh', '-c', 'wc -c'], { input: 'open' })
      const said = new Printed(program)
      const piece = Buffer.alloc(65_536, 'x')
      for (let left = 100; left > 0; left -= 1)
        if (!program.write(piece)) await new Promise<void>((resolve) => program.onDrain(resolve))
      program.endInput()
      await said.finished()
      expect(said.text().trim()).toBe(String(100 * piece.length))
    })

    it.each(['INT', 'TERM', 'KILL'] as const)(
      'gets %s with all of its session, whatever group that is in',
      async (name) => {
        // With job control each of its jobs has a group of its own.
        const program = await start(['bash', '-c', 'set -m; sleep 2011 & sleep 2012 & echo ready; wait'])
        const said = new Printed(program)
        await until('the program', () => said.text() === 'ready\n')
        program.signal(name)
        const left = async () => (await subject.sh('pgrep -fx "sleep 201."')).stdout.toString()
        await until('the end of them', async () => (await left()) === '')
        const { exitCode } = await said.finished()
        if (name !== 'INT') expect(exitCode).toBe(name === 'TERM' ? 143 : 137)
      },
    )

    it('counts each of its outputs from its first byte', async () => {
      const program = await start(['sh', '-c', 'echo out; echo error >&2; echo more'])
      const ends = { stdout: 0, stderr: 0 }
      program.onOutput((chunk, from, offset) => {
        expect(offset).toBe(ends[from])
        ends[from] += chunk.length
      })
      await program.exit
      expect(ends).toEqual({ stdout: 9, stderr: 6 })
      await program.hangUp()
    })

    it('prints more than anybody keeps without losing a byte', async () => {
      const { bytes } = await finish(['sh', '-c', 'seq 1 400000'])
      expect(bytes.toString()).toBe(Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join(''))
    })

    it('stands still while nobody reads', async () => {
      const program = await start(['sh', '-c', 'yes | head -c 20000000; echo over > /tmp/over'])
      const said = new Printed(program)
      program.pause()
      const isOver = async () => (await subject.sh('cat /tmp/over')).exitCode === 0
      // The pipe is full long before this many looks are over.
      for (let look = 0; look < 5; look++) expect(await isOver()).toBe(false)
      program.resume()
      expect(await said.finished()).toMatchObject({ exitCode: 0 })
      expect(await isOver()).toBe(true)
      expect(said.bytes().length).toBe(20_000_000)
    })

    it('runs in the folder that was asked for, links resolved', async () => {
      await subject.sh('mkdir -p ~/deep/er && ln -sfn deep/er ~/link')
      expect((await finish(['pwd', '-P'], { cwd: `${HOME}/link/..` })).stdout).toBe(`${HOME}/deep\n`)
      expect((await finish(['pwd', '-P'])).stdout).toBe(`${HOME}\n`)
    })

    it.each([
      '/proc/self/fd/7',
      '/proc/1/root/home/developer/../..',
      '/',
      '/etc',
      `${HOME}/..`,
      `${HOME}/out`,
      `${HOME}/no`,
    ])('does not run in %s', async (cwd) => {
      await subject.sh('ln -sfn / ~/out; rm -f /tmp/ran')
      await expect(start(['touch', '/tmp/ran'], { cwd })).rejects.toMatchObject({ code: 'bad_folder' })
      expect((await subject.sh('ls /tmp/ran')).exitCode).not.toBe(0)
    })

    it('is ended with what it left, and without what was detached', async () => {
      const script = 'sleep 2001 & (setsid sleep 2002 &) ; trap "" TERM; echo ready; sleep 2003; sleep 2004'
      const program = await start(['sh', '-c', script])
      const said = new Printed(program)
      await until('the program', () => said.text() === 'ready\n')
      expect(await isAlive(program.leader)).toBe(true)
      await program.hangUp()
      expect(await isAlive(program.leader)).toBe(false)
      const left = (await runtime.processes(subject.containerId)).map(({ command }) => /sleep 200\d/.exec(command)?.[0])
      expect(left.filter((command) => command !== undefined)).toEqual(['sleep 2002'])
      expect((await program.exit).exitCode).not.toBe(0)
      await subject.sh('pkill -f "sleep 2002"')
    })

    it('is over when its first process is, whatever holds its outputs open', async () => {
      const program = await start(['sh', '-c', 'sleep 2005 & echo started'])
      const said = new Printed(program)
      expect(await program.exit).toMatchObject({ exitCode: 0 })
      expect(said.text()).toBe('started\n')
      await program.hangUp()
      const commands = (await runtime.processes(subject.containerId)).map(({ command }) => command)
      expect(commands.filter((command) => command.includes('sleep 2005'))).toEqual([])
    })

    it('is told by its exit code also when it has closed its outputs long before', async () => {
      const exit = await finish(['sh', '-c', 'echo out; exec >&- 2>&-; sleep 1; exit 9'])
      expect(exit).toMatchObject({ exitCode: 9, cause: 'exited', stdout: 'out\n' })
    })

    it('says that a program is not there as a shell does', async () => {
      expect(await finish(['no-such-program'])).toMatchObject({
        exitCode: 127,
        stderr: expect.stringContaining('no-such') as string,
      })
    })

    it('fails with a typed error where there is no container', async () => {
      await expect(runtime.start('0'.repeat(64), pipedSpec(['true']))).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
