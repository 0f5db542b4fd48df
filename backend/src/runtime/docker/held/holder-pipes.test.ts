/** Tests all guarantees of the holder of a program on pipes. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Attachment } from '../../../../test/support/holder/holder.ts'
import { NONE, TELL_TAKEN_BYTES, until, useHolders, WINDOW_BYTES } from '../../../../test/support/holder/use-holders.ts'
import { ackFrame, endFrame, inputEndFrame, signalFrame } from './frames.ts'

/** The smallest log of a program, in bytes (LOG_LEAST_BYTES in streams/log.h). */
const LOG_LEAST_BYTES = 65_536
/** Capacity of a pipe, in bytes. */
const PIPE_BYTES = 65_536
/** Exit code of main.c. */
const BAD_FOLDER = 6

const { holders, output, doors, isAlive } = useHolders()

describe.concurrent('a program on pipes: its holder', () => {
  const numbers = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')
  const collected = async (attachment: Attachment): Promise<void> => {
    attachment.send(endFrame())
    expect(await attachment.exitCode()).toBe(0)
    expect(attachment.isGone).toBe(true)
  }

  it('keeps its outputs apart, and hands over its input and the end of it', async () => {
    const program = await holders().hold(['sh', '-c', 'echo out; echo err >&2; cat; exit 7'], { acknowledges: true })
    expect([program.said('version'), program.hello.get('io'), program.hello.get('input')]).toEqual([2, 'pipes', 'open'])
    program.type('typed')
    program.send(inputEndFrame())
    await until('its end', () => program.status === 7 << 8)
    expect([program.text, program.errors]).toEqual(['out\ntyped', 'err\n'])
    await collected(program)
  })

  it('blocks it where the log is full, for as long as no server acknowledges, attached or not', async () => {
    const file = `/tmp/${randomUUID()}`
    const script = `for i in 1 2 3 4 5 6 7 8; do head -c ${LOG_LEAST_BYTES} /dev/zero; echo $i >${file}; done`
    const first = await holders().hold(['sh', '-c', script])
    expect(first.said('log')).toBe(LOG_LEAST_BYTES)
    await until('all that there is room for', () => first.text.length === LOG_LEAST_BYTES)
    const printed = async (): Promise<number> => Number(await output(`cat ${file}`))
    await until(
      'the pipe to be full',
      async () => (await printed()) === (LOG_LEAST_BYTES + PIPE_BYTES) / LOG_LEAST_BYTES,
    )
    first.leave()
    for (let look = 0; look < 5; look += 1) expect(await printed()).toBe(2)
    const second = await holders().attach(first.session, LOG_LEAST_BYTES)
    await until('its end', () => second.status === 0)
    expect([second.first, second.text.length, second.lost]).toEqual([LOG_LEAST_BYTES, 7 * LOG_LEAST_BYTES, []])
    await collected(second)
  })

  it('believes no acknowledgement of what it has not sent, or of less than before', async () => {
    const program = await holders().hold(['sh', '-c', `head -c ${3 * LOG_LEAST_BYTES} /dev/zero; sleep 1000`])
    await until('all that there is room for', () => program.text.length === LOG_LEAST_BYTES)
    for (const wrong of [2 ** 50, LOG_LEAST_BYTES + 1]) program.send(ackFrame('stdout', wrong))
    program.send(ackFrame('stderr', LOG_LEAST_BYTES))
    program.send(ackFrame('stdout', 1000))
    program.send(ackFrame('stdout', 10))
    await until('a thousand bytes more', () => program.text.length >= LOG_LEAST_BYTES + 1000)
    const next = await holders().attach(program.session, 0)
    expect(next.said('to')).toBe(LOG_LEAST_BYTES + 1000)
    await collected(next)
  })

  it('goes on with each output from where it is asked to', async () => {
    const first = await holders().hold(['sh', '-c', 'seq 1 50000; seq 1 70000 >&2; exit 3'])
    await until('some of it', () => first.text.length > 0)
    first.leave()
    const [out, errors] = [first.text, first.errors]
    const second = await holders().attach(first.session, out.length, errors.length)
    await until('its end', () => second.status === 3 << 8)
    expect(out + second.text === numbers(50_000)).toBe(true)
    expect(errors + second.errors === numbers(70_000)).toBe(true)
    await collected(second)
  })

  it('keeps its end until a server has collected it, however often one is killed before', async () => {
    const first = await holders().hold(['sh', '-c', 'echo said; exit 9'])
    await until('its end', () => first.status === 9 << 8)
    first.leave()
    for (let killed = 0; killed < 2; killed += 1) {
      const next = await holders().attach(first.session, 0)
      await until('its end', () => next.status === 9 << 8)
      expect(next.text).toBe('said\n')
      next.leave()
    }
    await collected(await holders().attach(first.session, 5))
    expect(await holders().refusal(first.session)).toBe(NONE)
    expect(await doors()).not.toContain(first.session)
  })

  it.each([
    ['an attached server does not collect its end', false],
    ['no server is attached', true],
  ])('is gone, with its files, when its seconds have passed and %s', async (_name, leaves) => {
    const first = await holders().hold(['true'], { waitSeconds: 1 })
    if (leaves) first.leave()
    await until('the holder to be gone', async () => !(await isAlive(first.said('holder'))))
    expect(await doors()).not.toContain(first.session)
  })

  it('passes on the three signals that it may, and no other', async () => {
    const traps =
      'trap "echo int" INT; trap "echo term" TERM; trap "echo usr" USR1; echo ready; while :; do sleep 0.05; done'
    const program = await holders().hold(['sh', '-c', traps], { io: 'no-input' })
    await program.shows('ready')
    const wrong = signalFrame('INT')
    for (const number of [10, 0, 19, 255]) program.send(Buffer.concat([wrong.subarray(0, -1), Buffer.of(number)]))
    program.send(Buffer.concat([Buffer.from('s\0\0\x02'), Buffer.from([15, 15])]))
    program.send(signalFrame('INT'))
    await program.shows('int')
    program.send(signalFrame('TERM'))
    await program.shows('term')
    program.send(signalFrame('KILL'))
    await until('its end', () => program.status === 9)
    expect(program.text).toBe('ready\nint\nterm\n')
    await collected(program)
  })

  it('starts it in no folder outside its own', async () => {
    await output('mkdir -p ~/inside && ln -sfn / ~/outside')
    const inside = await holders().hold(['pwd', '-P'], { folder: 'inside' })
    await inside.shows('/home/developer/inside\n')
    await collected(inside)
    for (const folder of ['/', '..', 'outside', '/home/developerx', 'nowhere'])
      expect(await holders().refusedFolder(folder)).toBe(BAD_FOLDER)
  })

  it('drops input that the program no longer reads, and goes on', async () => {
    const program = await holders().hold(['sh', '-c', 'exec <&-; echo closed; sleep 1; echo alive'])
    await program.shows('closed')
    for (let typed = 0; typed < 4 * WINDOW_BYTES; typed += 32_768) program.type('x'.repeat(32_768))
    await program.shows('alive')
    await until('most of it to be told', () => program.taken > 4 * WINDOW_BYTES - TELL_TAKEN_BYTES)
    await until('its end', () => program.status === 0)
    await collected(program)
  })
})
