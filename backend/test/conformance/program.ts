/** Conformance: programs on pipes. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { until } from '@slipway/testing'
import { HOME, Piped, startPiped, type PipedOptions } from './piped.ts'
import type { Subject } from './subject.ts'

/** Reports each signal that a caller may send. It runs in a process group of its own, and so does its parent. */
const DEAF_TO_NONE = `
import os, signal, subprocess, sys, time
# A signal may interrupt it while it prints, so it writes at once.
def say(what): os.write(1, f'{sys.argv[1]} {what}\\n'.encode())
def note(number, _): say(signal.Signals(number).name)
for name in ('SIGINT', 'SIGTERM'): signal.signal(getattr(signal, name), note)
if sys.argv[1] == 'parent': subprocess.Popen([sys.executable, '-c', os.environ['CODE'], 'child'], process_group=0)
say('ready')
while True: time.sleep(1000)`

export const testProgram = (subject: Subject): void => {
  const { runtime } = subject
  const start = (argv: readonly string[], options?: PipedOptions): Promise<Piped> => startPiped(subject, argv, options)
  const finish = async (argv: readonly string[], options?: PipedOptions) => {
    const piped = await start(argv, options)
    const exit = await piped.program.exit
    const [stdout, stderr] = [piped.text('stdout'), piped.text('stderr')]
    return { ...exit, stdout, stderr, bytes: piped.bytes('stdout') }
  }
  const isAlive = async (leader: string): Promise<boolean> => {
    const all = await runtime.processes(subject.containerId)
    return all.some(({ pid, startTicks }) => `${pid}:${startTicks}` === leader)
  }

  describe('a program on pipes', () => {
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
      const input = randomBytes(5_000_000)
      expect((await finish(['cat'], { stdin: input })).bytes.equals(input)).toBe(true)
      expect((await finish(['cat'], { stdin: Buffer.alloc(0) })).bytes).toHaveLength(0)
      expect((await finish(['cat'])).bytes).toHaveLength(0)
    })

    it('is given input as long as it is open, and then the end of it', async () => {
      const cat = await start(['sh', '-c', 'cat; echo over'], { stdin: 'open' })
      for (const word of ['one\n', 'two\n']) {
        cat.program.write(Buffer.from(word))
        await until(word, () => cat.text('stdout').endsWith(word))
      }
      cat.program.write(Buffer.from('last'))
      cat.program.endInput()
      expect((await cat.program.exit).exitCode).toBe(0)
      expect(cat.text('stdout')).toBe('one\ntwo\nlastover\n')
    })

    it('ends although its input does not, and takes none after it has closed it', async () => {
      const { program } = await start(['sh', '-c', 'exec <&-; echo closed; sleep 0.5; exit 3'], { stdin: 'open' })
      const writing = setInterval(() => program.write(Buffer.alloc(65_536)), 5)
      expect((await program.exit).exitCode).toBe(3)
      clearInterval(writing)
      await program.hangUp()
    })

    it('has the offset of each piece of its outputs, counted for each of them', async () => {
      const piped = await start(['sh', '-c', 'seq 1 20000; seq 1 30000 >&2'])
      await piped.program.exit
      for (const from of ['stdout', 'stderr'] as const) expect(piped.gaps(from)).toEqual([])
      expect(piped.text('stderr').endsWith('\n30000\n')).toBe(true)
    })

    it.each([['INT'], ['TERM']] as const)('hears SIG%s, and so does what is in another process group', async (name) => {
      const argv = ['python3', '-c', DEAF_TO_NONE, 'parent']
      const piped = await start(argv, { env: { CODE: DEAF_TO_NONE } })
      await piped.says('child ready\n')
      await piped.says('parent ready\n')
      await piped.program.signal(name)
      await piped.says(`parent SIG${name}\n`)
      await piped.says(`child SIG${name}\n`)
      await piped.program.hangUp()
    })

    it('is killed with what is in another process group', async () => {
      const argv = ['python3', '-c', DEAF_TO_NONE, 'parent']
      const piped = await start(argv, { env: { CODE: DEAF_TO_NONE } })
      await piped.says('child ready\n')
      await piped.program.signal('KILL')
      expect(await piped.program.exit).toEqual({ exitCode: 137, cause: 'exited' })
      const left = async () =>
        (await runtime.processes(subject.containerId)).filter((one) => one.terminalSession === piped.session)
      await until('all of it to be gone', async () => (await left()).length === 0)
      await piped.program.hangUp()
    })

    it('prints more than is kept of it without losing a byte', async () => {
      const { bytes } = await finish(['sh', '-c', 'seq 1 400000'])
      expect(bytes.toString()).toBe(Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join(''))
    })

    it('stands still while its output is not read', async () => {
      const { program } = await start(['sh', '-c', 'yes | head -c 20000000; echo over > /tmp/all-of-it'])
      program.pause()
      const isOver = async () => (await subject.sh('cat /tmp/all-of-it')).exitCode === 0
      // The pipe is full long before the last of these checks.
      for (let look = 0; look < 5; look++) expect(await isOver()).toBe(false)
      program.resume()
      expect(await program.exit).toMatchObject({ exitCode: 0 })
      expect(await isOver()).toBe(true)
    })

    it('runs in the folder that was asked for, links resolved', async () => {
      await subject.sh('mkdir -p ~/deep/er && ln -sfn deep/er ~/link')
      expect((await finish(['pwd', '-P'], { folder: `${HOME}/link/..` })).stdout).toBe(`${HOME}/deep\n`)
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
    ])('does not run in %s', async (folder) => {
      await subject.sh('ln -sfn / ~/out; rm -f /tmp/ran')
      await expect(start(['touch', '/tmp/ran'], { folder })).rejects.toMatchObject({ code: 'bad_folder' })
      expect((await subject.sh('ls /tmp/ran')).exitCode).not.toBe(0)
    })

    it('is ended with what it left, and without what was detached', async () => {
      const script = 'sleep 2001 & (setsid sleep 2002 &) ; trap "" TERM; echo ready; sleep 2003; sleep 2004'
      const piped = await start(['sh', '-c', script])
      const { program } = piped
      await piped.says('ready\n')
      expect(await isAlive(program.leader)).toBe(true)
      await program.hangUp()
      expect(await isAlive(program.leader)).toBe(false)
      const left = (await runtime.processes(subject.containerId)).map(({ command }) => /sleep 200\d/.exec(command)?.[0])
      expect(left.filter((command) => command !== undefined)).toEqual(['sleep 2002'])
      expect((await program.exit).exitCode).not.toBe(0)
      await subject.sh('pkill -f "sleep 2002"')
    })

    it('leaves alone what detaches itself in the moment after its end', async () => {
      const script =
        '(while kill -0 $$ 2>/dev/null; do :; done; sleep 0.05; exec setsid sleep 2006) >/dev/null 2>&1 & exit 0'
      const { program } = await start(['sh', '-c', script])
      expect(await program.exit).toMatchObject({ exitCode: 0 })
      await program.hangUp()
      expect((await subject.sh('pgrep -cf "[s]leep 2006"')).stdout.toString()).toBe('1\n')
      await subject.sh('pkill -f "[s]leep 2006"')
    })

    it('is over when its first process is, also while other processes hold its outputs open', async () => {
      const piped = await start(['sh', '-c', 'sleep 2005 & echo started'])
      const { program } = piped
      expect(await program.exit).toMatchObject({ exitCode: 0 })
      expect(piped.text('stdout')).toBe('started\n')
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
      const gone = { runtime, containerId: '0'.repeat(64) }
      await expect(startPiped(gone, ['true'])).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
