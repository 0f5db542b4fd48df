/** Conformance: programs without a terminal. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject.ts'

export const testRun = (subject: Subject): void => {
  const { runtime } = subject
  const defaults = { timeoutMs: 25_000, maxOutputBytes: 10_000 }
  const run = (argv: readonly string[], options = {}) =>
    runtime.run(subject.containerId, { argv, ...defaults, ...options })

  describe('running a program', () => {
    it('tells its exit code and keeps its two outputs apart', async () => {
      const { exitCode, stdout, stderr } = await subject.sh('echo out; echo err >&2; exit 7')
      expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([7, 'out\n', 'err\n'])
    })

    it('tells the exit code of a program that closed its outputs long before its end', async () => {
      expect((await subject.sh('exec >&- 2>&-; sleep 0.3; exit 9')).exitCode).toBe(9)
    })

    it('tells each of many at once its own exit code', async () => {
      const codes = Array.from({ length: 16 }, (_, index) => index + 1)
      const results = await Promise.all(codes.map((code) => subject.sh(`exit ${code}`)))
      expect(results.map(({ exitCode }) => exitCode)).toEqual(codes)
    })

    it('runs as the agent’s user in its home', async () => {
      const { stdout } = await run(['sh', '-c', 'id -u; pwd'])
      expect(stdout.toString()).toBe('1000\n/home/developer\n')
    })

    it('takes arguments as they are, with any characters in them', async () => {
      const argument = '$(id) `id` "; rm -rf / \\ \n\u001b[31m'
      expect((await run(['printf', '%s', argument])).stdout.toString()).toBe(argument)
    })

    it('hands over its input byte by byte, and then its end', async () => {
      const input = randomBytes(300_000)
      const { stdout } = await run(['cat'], { input, maxOutputBytes: 400_000 })
      expect(stdout.equals(input)).toBe(true)
    })

    it('gives a program without input none', async () => {
      expect((await run(['cat'])).stdout).toHaveLength(0)
    })

    it('keeps as much of the output as was asked for and drops the rest', async () => {
      const { exitCode, stdout } = await run(['sh', '-c', 'yes | head -c 5000000'], { maxOutputBytes: 1001 })
      expect(exitCode).toBe(0)
      expect(stdout.toString()).toBe('y\n'.repeat(501).slice(0, 1001))
    })

    it('fails when the program takes too long', async () => {
      await expect(run(['sleep', '60'], { timeoutMs: 300 })).rejects.toMatchObject({ code: 'timed_out' })
    })

    it('says that a program is not there as a shell does', async () => {
      const { exitCode } = await run(['no-such-program'])
      expect([126, 127]).toContain(exitCode)
    })

    it('fails with a typed error where there is no container', async () => {
      const options = { argv: ['true'], ...defaults }
      await expect(runtime.run('0'.repeat(64), options)).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
