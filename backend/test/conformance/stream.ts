/** Conformance: programs whose input and output are streams. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import type { ProgramStream } from '../../src/runtime/port.ts'
import type { Subject } from './subject.ts'

const MIB = 1024 * 1024

export const testStream = (subject: Subject): void => {
  const start = (script: string, ...args: string[]): Promise<ProgramStream> =>
    subject.runtime.stream(subject.containerId, ['sh', '-c', script, 'sh', ...args])
  const running = async (command: string): Promise<boolean> =>
    (await subject.runtime.processes(subject.containerId)).some((process) => process.command.includes(command))

  describe('streaming a program', () => {
    it('passes megabytes in and out, byte by byte, and tells the exit code', async () => {
      const program = await start('cat; echo done >&2; exit 7')
      const bytes = randomBytes(8 * MIB)
      program.input.end(bytes)
      const output = await buffer(program.output)
      expect(createHash('sha256').update(output).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(await program.exit).toEqual({ exitCode: 7, stderr: Buffer.from('done\n') })
    })

    it('does not let a program print what is not read', async () => {
      const program = await start('head -c 200000000 /dev/zero; echo printed > /tmp/printed')
      program.output.once('readable', () => undefined)
      await once(program.output, 'readable')
      const held = program.output.readableLength
      expect(held).toBeLessThan(MIB)
      expect((await subject.sh('cat /tmp/printed')).stdout.toString()).toBe('')
      program.close()
    })

    it('does not take input that the program does not read', async () => {
      const program = await start('read -r line; exit 0')
      let taken = 0
      while (program.input.write(Buffer.alloc(65_536)) && taken < 64 * MIB) taken += 65_536
      expect(taken).toBeLessThan(64 * MIB)
      program.close()
    })

    it('lets the program see the end of its input when it is closed', async () => {
      const program = await start('cat > /dev/null; echo over > /tmp/over; sleep 2001')
      program.close()
      await until('the program to see the end', async () => (await subject.sh('cat /tmp/over')).stdout.length > 0)
      await subject.sh('pkill -f "sleep 2001"')
    })

    it('leaves no program behind that prints without a reader', async () => {
      const program = await start('head -c 30000000 /dev/zero')
      await once(program.output, 'readable')
      program.close()
      await until('the program to end', async () => !(await running('head -c 30000000')))
    })

    it('tells the exit code of a program that ends before its input does', async () => {
      const program = await start('exit 9')
      program.input.on('error', () => undefined)
      const writing = setInterval(() => program.input.write(Buffer.alloc(65_536)), 1)
      program.output.resume()
      expect((await program.exit).exitCode).toBe(9)
      clearInterval(writing)
    })

    it('fails with a typed error where there is no container', async () => {
      await expect(subject.runtime.stream('0'.repeat(64), ['true'])).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
