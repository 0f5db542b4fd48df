/** Conformance: a stopped program that is no shell's job is continued. A shell's job control works as usual. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { openTerminal, processesOf, type Terminal } from './terminal.ts'

const SUSPEND = '\u001a'
/** The signals that stop a process, as `kill -l` names them. */
const STOPS = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGSTOP'] as const

/**
 * For each line, it stops its group or itself with the signal in the line. After it was continued, it prints a line.
 */
const STOPPER = `
import os, signal, sys, time
continued = 0
def note(*_):
    global continued
    continued += 1
signal.signal(signal.SIGCONT, note)
print('ready', flush=True)
for line in sys.stdin:
    who, name = line.split()
    before = continued
    os.kill(0 if who == 'group' else os.getpid(), getattr(signal, name))
    while continued == before: time.sleep(0.01)
    print('after', who, name, flush=True)`
/** Stops only itself at Ctrl+Z, which its terminal passes on as a byte. Then it waits until it is continued. */
const CHILD = `
import os, signal, sys, time, tty
continued = False
def note(*_):
    global continued
    continued = True
signal.signal(signal.SIGCONT, note)
tty.setraw(0)
os.write(1, b'ready')
while os.read(0, 1) != b'\\x1a': pass
os.kill(os.getpid(), signal.SIGTSTP)
while not continued: time.sleep(0.01)
os.write(1, b'went on')`
/** How often a program stops that stops again at once. */
const AGAIN = 10
/** Least time between two continuations, in milliseconds: half of the pause that the runtime makes. */
const PAUSE_MS = 50
const STUBBORN = `
import os, signal, time
for stop in range(${AGAIN + 2}):
    os.kill(0, signal.SIGSTOP)
    if stop == 0: began = time.monotonic()
print('took', int(1000 * (time.monotonic() - began)), 'ms', flush=True)`
/** Reads while the terminal belongs to a group without a process. */
const READER = `
import os, signal
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    os._exit(0)
os.waitpid(child, 0)
signal.signal(signal.SIGTTOU, signal.SIG_DFL)
print('ready', flush=True)
print('read', input(), flush=True)`

export const testPtyStops = (subject: Subject): void => {
  const python = (program: string): Promise<Terminal> => openTerminal(subject, ['python3', '-c', program])

  describe('a program that stops itself, and that no shell has as a job,', () => {
    it('goes on after each stop signal, whether it stops its group or itself alone', async () => {
      const terminal = await python(STOPPER)
      await terminal.waitFor('ready')
      for (const who of ['group', 'self'])
        for (const name of STOPS) {
          terminal.type(`${who} ${name}\r`)
          await terminal.waitFor(`after ${who} ${name}`)
        }
      await terminal.pty.hangUp()
    })

    it('goes on when its terminal stops it at a key', async () => {
      const terminal = await openTerminal(subject, ['cat'])
      for (const word of ['first', 'second']) {
        terminal.type(`${SUSPEND}${word}\r`)
        await terminal.waitFor(new RegExp(`${word}\\r\\n${word}\\r\\n`))
      }
      await terminal.pty.hangUp()
    })

    it('goes on where another program waits for it that is no shell with job control', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', `python3 -c "$1"; echo over`, 'sh', CHILD])
      await terminal.waitFor('ready')
      terminal.type(SUSPEND)
      await terminal.waitFor('went on')
      await terminal.pty.exit
    })

    it('goes on with its terminal, if it read while the terminal had no process group in the foreground', async () => {
      const terminal = await python(READER)
      await terminal.waitFor('ready')
      terminal.type('a line\r')
      await terminal.waitFor('read a line')
      expect(await terminal.pty.exit).toEqual({ exitCode: 0, cause: 'exited' })
    })

    it('is continued at a bounded pace where it stops again at once', async () => {
      const terminal = await python(STUBBORN)
      await terminal.pty.exit
      expect(Number(/took (\d+) ms/.exec(terminal.text)?.[1])).toBeGreaterThan(AGAIN * PAUSE_MS)
    })

    it('ends as any other after it went on', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', 'kill -STOP $$; exit 7'])
      expect(await terminal.pty.exit).toEqual({ exitCode: 7, cause: 'exited' })
    })
  })

  describe('a shell with job control', () => {
    const shell = async (): Promise<Terminal> => {
      const terminal = await openTerminal(subject, ['bash', '--norc'], { env: { PS1: '> ' } })
      await terminal.waitFor('> ')
      return terminal
    }
    /** The program's state as `ps` prints it. */
    const stateOf = async (command: string): Promise<string> =>
      (await subject.sh(`ps -eo stat=,args= | grep '${command}$' | grep -v grep`)).stdout.toString().charAt(0)

    it('has its programs stopped, in the background and in the foreground as it likes', async () => {
      const terminal = await shell()
      terminal.type('sleep 3001\r')
      await until('the program', async () => (await stateOf('sleep 3001')) === 'S')
      terminal.type(SUSPEND)
      await terminal.waitFor(/\[1\]\+ +Stopped +sleep 3001\r\n/)
      // The runtime looks for stopped programs after input.
      for (const word of ['once', 'twice', 'again']) {
        terminal.type(`read -t 0.7; echo looked-${word}\r`)
        await terminal.waitFor(`\rlooked-${word}`)
      }
      terminal.type('jobs; echo "that is ${PS1}all"\r')
      await terminal.waitFor('that is > all')
      expect(terminal.text).toMatch(/\[1\]\+ +Stopped +sleep 3001\r\nthat is > all/)
      expect(await stateOf('sleep 3001')).toBe('T')
      terminal.type('bg\r')
      await terminal.waitFor('[1]+ sleep 3001 &')
      await until('it to run', async () => (await stateOf('sleep 3001')) === 'S')
      terminal.type('fg\r')
      await terminal.waitFor(/fg\r\n[^\n]*sleep 3001\r\n$/)
      // The shell names the program before it gives it the terminal.
      await until('it to be over', async () => {
        terminal.type('\u0003')
        return (await stateOf('sleep 3001')) === ''
      })
      await terminal.pty.hangUp()
    })

    it('goes on when it suspends itself', async () => {
      const terminal = await shell()
      terminal.type('suspend\r')
      terminal.type('echo still-$((40 + 2))\r')
      await terminal.waitFor('still-42')
      await terminal.pty.hangUp()
      expect(await processesOf(subject, terminal)).toEqual([])
    })
  })
}
