/** Conformance: the list of processes, which a hostile container supplies. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

/** The time of a start is counted in whole seconds from that of the machine. This long it may be off, in milliseconds. */
const CLOCK_MS = 3_000

export const testProcesses = (subject: Subject): void => {
  const { runtime } = subject

  describe('the processes of a container', () => {
    it('are listed with what is known of them', async () => {
      const before = Date.now()
      const terminal = await openTerminal(subject, ['bash', '-c', 'nohup sleep 1021 >/dev/null 2>&1 & sleep 1022; :'])
      const all = await until('both', async () => {
        const found = await processesOf(subject, terminal)
        return found.filter(({ command }) => command.startsWith('sleep')).length === 2 ? found : null
      })
      const [leader = 0, ticks = 0] = terminal.pty.leader.split(':').map(Number)
      const first = (await runtime.processes(subject.containerId)).find(({ pid }) => pid === leader)
      expect(first).toMatchObject({ session: leader, startTicks: ticks, terminalSession: terminal.session })
      const shell = all.find(({ command }) => command.startsWith('bash -c nohup'))
      expect(shell).toMatchObject({ session: leader, ignoresHangup: false })
      expect(shell?.memoryBytes).toBeGreaterThan(100_000)
      expect(shell?.startedAt?.getTime()).toBeGreaterThan(before - CLOCK_MS)
      expect(shell?.startedAt?.getTime()).toBeLessThan(Date.now() + CLOCK_MS)
      const detached = all.find(({ command }) => command === 'sleep 1021')
      expect(detached).toMatchObject({ ppid: shell?.pid, ignoresHangup: true, terminalSession: terminal.session })
      for (const process of all) await runtime.endProcess(subject.containerId, process.pid)
    })

    it('are listed with their CPU time, and with that of the children that have ended', async () => {
      const burn = 'for ((count = 0; count < 100000; count++)); do :; done'
      const terminal = await openTerminal(subject, ['bash', '-c', `bash -c '${burn}'; sleep 1024; :`])
      const all = await until('the child to end', async () => {
        const found = await processesOf(subject, terminal)
        return found.some(({ command }) => command === 'sleep 1024') && found
      })
      const used = (start: string): number | undefined => all.find(({ command }) => command.startsWith(start))?.cpuMs
      expect(used('bash')).toBeGreaterThan(50)
      expect(used('sleep')).toBeLessThan(50)
      await terminal.pty.hangUp()
    })

    it('cannot fake lines, hide, or send escape sequences', async () => {
      const hostile = 'x\nP 1.00 4242 0 S 1 1 1 0 -1\nC aGk=\n\u001b]0;owned\u0007\u009b31m\r\u0000y'.split('\u0000')
      const code = 'import time; print("ready", flush=True); time.sleep(1023)'
      const terminal = await openTerminal(subject, ['python3', '-c', code, ...hostile])
      await terminal.waitFor('ready')
      const [process, ...others] = await processesOf(subject, terminal)
      expect(others).toEqual([])
      expect(process?.command).toContain('x P 1.00 4242 0 S 1 1 1 0 -1 C aGk= ]0;owned')
      // eslint-disable-next-line no-control-regex -- they are what must not be there
      expect(process?.command).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
      expect((await runtime.processes(subject.containerId)).some(({ pid }) => pid === 4242)).toBe(false)
      await terminal.pty.hangUp()
    })

    it.each([
      ['a link beside the sessions', 'ln -sf /usr/bin/python3 /tmp/.slipway/holder-link', '/usr/bin/python3'],
      ['a copy beside the sessions', 'cp /usr/bin/python3 /tmp/.slipway/holder-copy', '/tmp/.slipway/holder-copy'],
      [
        'a holder of one’s own',
        'cp /usr/bin/python3 /tmp/.slipway/holder-000000000000',
        '/tmp/.slipway/holder-000000000000',
      ],
    ])('a program hides from the list of processes: not by %s, and it can be ended', async (_what, put, program) => {
      await subject.sh(`mkdir -p /tmp/.slipway && ${put}`)
      const code = 'import time; print("ready", flush=True); time.sleep(1027)'
      const terminal = await openTerminal(subject, [program, '-c', code])
      await terminal.waitFor('ready')
      const [process] = await processesOf(subject, terminal)
      expect(process?.command).toContain('sleep(1027)')
      expect(await runtime.endProcess(subject.containerId, process?.pid ?? 0)).toBe(true)
      await terminal.pty.exit
      await subject.sh('rm -f /tmp/.slipway/holder-link /tmp/.slipway/holder-copy /tmp/.slipway/holder-000000000000')
    })

    it('carry no mark that is none', async () => {
      const terminal = await openTerminal(subject, [
        'env',
        'SLIPWAY_SESSION=../../etc/passwd\n<script>',
        'sleep',
        '1024',
      ])
      const found = await until('the program', async () => {
        const all = await runtime.processes(subject.containerId)
        return all.find(({ command }) => command === 'sleep 1024') ?? null
      })
      expect(found).toMatchObject({ terminalSession: null })
      await terminal.pty.hangUp()
    })

    it('can be ended one by one, also where they are stopped or deaf', async () => {
      const terminal = await openTerminal(subject, ['bash', '--norc'])
      terminal.type(`sh -c 'kill -STOP $$; sleep 1025' & (trap "" TERM; exec sleep 1026) &\r`)
      const both = await until('both', async () => {
        const found = await processesOf(subject, terminal)
        const sleeping = found.filter(({ command }) => /sleep 102[56]/.test(command))
        return sleeping.length === 2 ? sleeping : null
      })
      const ended = await Promise.all(both.map(({ pid }) => runtime.endProcess(subject.containerId, pid)))
      expect(ended).toEqual([true, true])
      const left = await processesOf(subject, terminal)
      expect(left.filter(({ command }) => /sleep 102[56]/.test(command))).toEqual([])
      await terminal.pty.hangUp()
    })

    it('are not ended when they are not there, or are the container’s own', async () => {
      expect(await runtime.endProcess(subject.containerId, 400_000)).toBe(false)
      expect(await runtime.endProcess(subject.containerId, 1)).toBe(false)
      expect((await subject.sh('true')).exitCode).toBe(0)
    })
  })
}
