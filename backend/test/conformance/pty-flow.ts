/** Conformance: a reader that pauses stops the program, and no output is lost. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

/** If a value does not change for so long, it counts as standing still, in milliseconds. */
const STILL_MS = 700

/** Resolves with the value of `read` once it has not changed for {@link STILL_MS}. */
const standing = async (what: string, read: () => Promise<string>): Promise<string> => {
  let last = await read()
  let since = performance.now()
  await until(what, async () => {
    const now = await read()
    if (now !== last) since = performance.now()
    last = now
    return performance.now() - since > STILL_MS
  })
  return last
}

export const testPtyFlow = (subject: Subject): void => {
  describe('a reader that pauses', () => {
    const progress = async (): Promise<string> => (await subject.sh('cat /tmp/progress')).stdout.toString()

    it('blocks the program, and lets it go on afterwards', async () => {
      const script = 'i=0; while :; do i=$((i+1)); echo $i > /tmp/progress; head -c 65536 /dev/zero; done'
      const terminal = await openTerminal(subject, ['sh', '-c', script])
      await until('the first output', () => terminal.bytes.length > 0)
      terminal.pty.pause()
      const stoodAt = await standing('the program to be blocked', progress)
      terminal.pty.resume()
      await until('the program to go on', async () => Number(await progress()) > Number(stoodAt))
      await terminal.pty.hangUp()
    })

    it('gets all that a program prints which does not read what is typed, and may still ask for a size and the end', async () => {
      const script =
        'stty raw -echo; echo ready; until [ -e /tmp/go ]; do sleep 0.05; done; head -c 3000000 /dev/zero; ' +
        'until stty size | grep "31 101"; do sleep 0.05; done; sleep 1000'
      const terminal = await openTerminal(subject, ['sh', '-c', script])
      await terminal.waitFor('ready')
      // More than the buffers on the way can hold.
      for (let typed = 0; typed < 30; typed++) terminal.type('x'.repeat(50_000))
      await subject.sh('touch /tmp/go')
      await until('all of it', () => terminal.bytes.filter((byte) => byte === 0).length === 3_000_000)
      terminal.pty.resize(101, 31)
      await terminal.waitFor('31 101')
      await terminal.pty.hangUp()
      expect(await processesOf(subject, terminal)).toEqual([])
      await subject.sh('rm /tmp/go')
    })

    it('gets the last output although the program ended long ago', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', 'read go; head -c 60000 /dev/zero; exit 4'])
      terminal.pty.pause()
      terminal.type('\r')
      await until('the program to end', async () => (await processesOf(subject, terminal)).length === 0)
      terminal.pty.resume()
      expect((await terminal.pty.exit).exitCode).toBe(4)
      expect(terminal.bytes.filter((byte) => byte === 0)).toHaveLength(60_000)
    })
  })
}
