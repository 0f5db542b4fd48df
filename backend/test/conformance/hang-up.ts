/** Conformance: the end of a session ends its processes, as the end of a terminal would. */
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

/** From the hang-up to the kill, in milliseconds. */
const GRACE_MS = 5000
/** How often a time is taken until it is short enough. */
const TRIES = 5

export const testHangUp = (subject: Subject): void => {
  const { runtime } = subject

  describe('hanging up', () => {
    it('ends all of a shell’s programs but those that were detached on purpose', async () => {
      const terminal = await openTerminal(subject, ['bash', '--norc'])
      const commands = [
        'sleep 1001 &',
        `sh -c 'kill -STOP $$; sleep 1002' &`,
        `bash -c 'trap : HUP; while :; do sleep 0.1; done' trapper &`,
        'setsid --wait sleep 1004 &',
        'nohup sh -c "sleep 1005; :" >/dev/null 2>&1 &',
        'setsid sleep 1006 &',
        'sh -c "sleep 1007 & sleep 1008"',
      ]
      terminal.type(`${commands.join('\r')}\r`)
      const commandsOf = async (): Promise<string[]> => {
        const all = await processesOf(subject, terminal)
        return all.map(({ command }) => /sleep 10\d\d|trapper/.exec(command)?.[0] ?? '').filter((text) => text !== '')
      }
      const wanted = ['sleep 1001', 'sleep 1002', 'trapper', 'sleep 1004', 'sleep 1005', 'sleep 1006', 'sleep 1007']
      await until('all programs', async () => {
        const running = await commandsOf()
        return [...wanted, 'sleep 1008'].every((command) => running.includes(command))
      })

      const started = performance.now()
      await terminal.pty.hangUp()
      // The shell that traps the hang-up is killed after the grace period.
      expect(performance.now() - started).toBeGreaterThan(GRACE_MS - 500)
      expect(new Set(await commandsOf())).toEqual(new Set(['sleep 1005', 'sleep 1006']))
      expect((await terminal.pty.exit).cause).toBe('exited')

      await terminal.pty.hangUp()
      expect(new Set(await commandsOf())).toEqual(new Set(['sleep 1005', 'sleep 1006']))
    })

    it('lets a program end in order, and does not wait longer than it takes', async () => {
      const script = 'trap "echo saved > /tmp/saved; exit 0" HUP; echo ready; while :; do sleep 0.1; done'
      const hungUp = async (): Promise<number> => {
        await subject.sh('rm -f /tmp/saved')
        const terminal = await openTerminal(subject, ['bash', '-c', script])
        await terminal.waitFor('ready')
        const started = performance.now()
        await terminal.pty.hangUp()
        const took = performance.now() - started
        expect(await terminal.pty.exit).toEqual({ exitCode: 0, cause: 'exited' })
        expect((await subject.sh('cat /tmp/saved')).stdout.toString()).toBe('saved\n')
        return took
      }
      // A busy machine delays some of them. One that waits for the whole grace period always takes longer.
      let took = Infinity
      for (let tries = 0; tries < TRIES && took >= GRACE_MS - 1000; tries++) took = await hungUp()
      expect(took).toBeLessThan(GRACE_MS - 1000)
    })

    // The first test has a program that is killed after the grace period.
    longIt('ends a first process that ignores it', async () => {
      const terminal = await openTerminal(subject, [
        'sh',
        '-c',
        'trap "" HUP TERM INT; echo ready; sleep 1009; sleep 1010',
      ])
      await terminal.waitFor('ready')
      await terminal.pty.hangUp()
      const left = (await processesOf(subject, terminal)).map(({ command }) => command)
      // Its child inherited that the hang-up is ignored, so it counts as detached.
      expect(left.filter((command) => command.startsWith('sh '))).toEqual([])
    })

    it('finds a program whose name has a line’s end in it', async () => {
      const named =
        'import ctypes, time; ctypes.CDLL(None).prctl(15, b"ev\\nil) S 1 1 1"); print("ready", flush=True); time.sleep(1011)'
      const terminal = await openTerminal(subject, ['bash', '-c', `python3 -c '${named}' & wait`])
      await terminal.waitFor('ready')
      expect(await processesOf(subject, terminal)).toHaveLength(2)
      await terminal.pty.hangUp()
      expect(await processesOf(subject, terminal)).toEqual([])
    })

    it('does not touch a process that was given the number of one that is gone', async () => {
      const terminal = await openTerminal(subject, ['sleep', '1012'])
      const [pid = '', ticks = ''] = terminal.pty.leader.split(':')
      await runtime.hangUp(subject.containerId, `${pid}:${Number(ticks) - 1}`)
      expect(await processesOf(subject, terminal)).toHaveLength(1)
      await runtime.hangUp(subject.containerId, terminal.pty.leader)
      expect(await processesOf(subject, terminal)).toEqual([])
    })

    it('takes nothing but the name of a first process', async () => {
      for (const leader of ['', '1', '1:2; id', '-1:5', 'a:b'])
        await expect(runtime.hangUp(subject.containerId, leader)).rejects.toMatchObject({ code: 'engine_error' })
    })
  })
}
