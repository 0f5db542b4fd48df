/** Conformance: a reader that pauses holds the program back, and loses nothing. */
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

/** How long something has to stay as it is to count as standing still, in milliseconds. */
const STILL_MS = 700

/** Resolves with the value that `read` answers for a while. */
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

    it('gets the last output although the program ended long ago', async () => {
      const terminal = await openTerminal(subject, ['sh', '-c', 'read go; head -c 60000 /dev/zero; exit 4'])
      terminal.pty.pause()
      terminal.type('\r')
      const left = async (): Promise<string> => String((await processesOf(subject, terminal)).length)
      expect(await standing('the program to end', left)).toBe('0')
      terminal.pty.resume()
      expect((await terminal.pty.exit).exitCode).toBe(4)
      expect(terminal.bytes.filter((byte) => byte === 0)).toHaveLength(60_000)
    })
  })
}
