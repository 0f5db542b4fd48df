/** Tests all guarantees of the holder (decision 15). The backend, which attaches at the beginning, uses only some. */
import { randomUUID } from 'node:crypto'
import { until as untilWithin } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine.ts'
import { type Attachment, Holders } from '../../../../test/support/holder/holder.ts'
import { useSubject } from '../../../../test/conformance/subject.ts'
import { BUILT_IN, FOLDER } from './binary.ts'
import { ackFrame, endFrame, inputEndFrame, signalFrame, sizeFrame, waitFrame } from './frames.ts'

/** How much output is kept for a terminal, and in the smallest log (LOG_BYTES and LOG_LEAST_BYTES in streams/log.h). */
const LOG_BYTES = 1_048_576
const LOG_LEAST_BYTES = 65_536
/** Capacity of a pipe, in bytes. */
const PIPE_BYTES = 65_536
/** Most input that waits (TYPING_BYTES), and how much consumed input is reported at once (TELL_TAKEN_BYTES). */
const WINDOW_BYTES = 262_144
const TELL_TAKEN_BYTES = 32_768
/** For how long a full log blocks the program without a client, in seconds (BLOCK_DETACHED_MS in holder.c). */
const BLOCK_SECONDS = 60
/** Seconds that exceed any test, so that the holder ends nothing by itself. */
const LONG = 600
/** Exit codes of main.c. */
const NONE = 3
const TAKEN = 4
const BAD_FOLDER = 6

/** Length of a record, in bytes. Each is a padded number, so any piece of the output shows its position. */
const RECORD_BYTES = 1024
const RECORDS = 4096
/** More records than a terminal buffers if the holder does not read. */
const IN_THE_TERMINAL = 128
/**
 * Prints the records after a key. The file `$1` has how many are printed, and after which one it was blocked longest,
 * for how many seconds.
 */
const PRINTER = `
import os, sys, time, tty
tty.setraw(0)
progress = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
stood, at = 0, 0
os.write(1, b'R')
os.read(0, 1)
for i in range(${RECORDS}):
    began = time.monotonic()
    line = b'%0${RECORD_BYTES}d' % i
    while line: line = line[os.write(1, line):]
    if time.monotonic() - began > stood: stood, at = time.monotonic() - began, i
    os.pwrite(progress, b'%08d %08.2f %08d' % (i + 1, stood, at), 0)
os.read(0, 1)`
const READY_BYTES = 1
/** Output beyond what the holder keeps, in bytes. A terminal buffers more than this. */
const LAST_BYTES = 4096
/** Prints more than the holder keeps, at once, and ends. */
const LAST_WORDS = `
import os, tty
tty.setraw(0)
os.write(1, b'R')
os.read(0, 1)
left = b'x' * ${LOG_BYTES + LAST_BYTES - 'the end'.length} + b'the end'
while left: left = left[os.write(1, left):]`
/** Closes its terminal and goes on after SIGUSR1. */
const CLOSER = `
import os, signal, tty
tty.setraw(0)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGUSR1, lambda *_: os.closerange(0, 3))
os.write(1, b'ready')
while True: signal.pause()`

/** Connects to the socket `$1` several times with four descriptors instead of three, and waits for each refusal. */
const INTRUDER = `
import os, socket, sys
for fill in (b"\\x00", b"\\xff") * 4:
    guest = socket.socket(socket.AF_UNIX)
    guest.connect(sys.argv[1])
    socket.send_fds(guest, [fill * 8], [0, 1, 2, 2])
    assert guest.recv(1) == b""`

/** Connects to the socket `$1` with offsets of every invalid length, and waits for each refusal. */
const MUMBLER = `
import os, socket, sys
for length in (1, 7, 9, 12, 15):
    guest = socket.socket(socket.AF_UNIX)
    guest.connect(sys.argv[1])
    socket.send_fds(guest, [bytes(length)], [0, 1, 2])
    assert guest.recv(1) == b""`

/** Timeout of most tests here, in milliseconds. They run in parallel. */
const WITHIN_MS = 30_000
const until: typeof untilWithin = (what, condition, withinMs) => untilWithin(what, condition, withinMs ?? WITHIN_MS)

const { docker, runtime } = useEngine()
const subject = useSubject({ runtime, image: IMAGE })
const holders = (): Holders => new Holders(docker.getContainer(subject.containerId))

const output = async (script: string): Promise<string> => (await subject.sh(script)).stdout.toString()
const listed = async (): Promise<string[]> => (await output(`${BUILT_IN} list ${FOLDER}`)).split('\n').filter(Boolean)
const doors = async (): Promise<string[]> => (await output(`ls ${FOLDER}`)).split('\n').filter(Boolean)
const isAlive = async (pid: number): Promise<boolean> => (await subject.sh(`kill -0 ${pid}`)).exitCode === 0

const newPrinter = async () => {
  const file = `/tmp/${randomUUID()}`
  const attachment = await holders().serve(['python3', '-c', PRINTER, file], LONG)
  await attachment.shows('R')
  const progress = async () => {
    const [out = 0, stood = 0, at = 0] = (await output(`cat ${file}`)).split(' ').map(Number)
    return { out, stood, at }
  }
  return { attachment, progress, session: attachment.session }
}
const recordsFrom = (first: number): string =>
  Array.from({ length: RECORDS - first }, (_, index) => String(first + index).padStart(RECORD_BYTES, '0')).join('')

// The tests run in parallel, because one of them is idle for a minute.
describe.concurrent('the server is killed and does not come back: a holder', { timeout: 180_000 }, () => {
  it('blocks a program for a minute when its log is full and no server is attached, then drops the oldest and says where it goes on', async () => {
    const { attachment, progress, session } = await newPrinter()
    attachment.type('g')
    attachment.leave()
    await until('the rest to be printed', async () => (await progress()).out === RECORDS, 150_000)
    const { stood, at } = await progress()
    expect(stood).toBeGreaterThan(BLOCK_SECONDS - 5)
    expect(at).toBeGreaterThanOrEqual(LOG_BYTES / RECORD_BYTES - 1)
    expect(at).toBeLessThan(LOG_BYTES / RECORD_BYTES + IN_THE_TERMINAL)
    const end = READY_BYTES + RECORDS * RECORD_BYTES
    const late = await until('all of it to be with the holder', async () => {
      const next = await holders().attach(session, 0)
      return next.said('to') === end ? next : null
    })
    expect(late.said('from')).toBe(end - LOG_BYTES)
    await until('what is kept', () => late.text.length === LOG_BYTES)
    expect(late.lost).toEqual([end - LOG_BYTES])
    expect(late.first).toBe(end - LOG_BYTES)
    expect(late.text === recordsFrom(RECORDS - LOG_BYTES / RECORD_BYTES)).toBe(true)
    late.type('.')
  })

  it('blocks a program without losing anything for a server that reconnects within the minute', async () => {
    const { attachment, progress, session } = await newPrinter()
    attachment.type('g')
    attachment.leave()
    await until('what is kept to be full', async () => (await progress()).out >= LOG_BYTES / RECORD_BYTES)
    const back = await holders().attach(session, READY_BYTES)
    await until('all of it', () => back.text.length === RECORDS * RECORD_BYTES)
    expect(back.lost).toEqual([])
    expect(back.text === recordsFrom(0)).toBe(true)

    // All output was acknowledged by now, so the oldest was dropped. A client that asks for it is told.
    const again = await holders().attach(session, READY_BYTES)
    const kept = READY_BYTES + RECORDS * RECORD_BYTES - LOG_BYTES
    await until('what is kept', () => again.text.length === LOG_BYTES)
    expect([again.lost, again.first, again.said('from')]).toEqual([[kept], kept, kept])
    again.type('.')
  })

  it('gives the last output to a server that comes late, also what was still in the terminal when the program ended', async () => {
    const first = await holders().serve(['python3', '-c', LAST_WORDS], LONG)
    await first.shows('R')
    first.type('g')
    first.leave()
    await until('the program to end', async () => !(await isAlive(first.said('pid'))))
    // Longer than the holder waits for more output while a client reads.
    await output('sleep 1')
    const late = await holders().attach(first.session, READY_BYTES)
    await until('its end', () => late.status === 0)
    late.send(endFrame())
    expect(await late.exitCode()).toBe(0)
    expect([late.text.length, late.text.endsWith('the end')]).toEqual([LOG_BYTES + LAST_BYTES, true])
  })

  it('goes on from any offset, and from the end for an offset beyond it', async () => {
    const first = await holders().serve(['sh', '-c', 'stty raw -echo; printf 0123456789; cat'], LONG)
    await first.shows('0123456789')
    const middle = await holders().attach(first.session, 4)
    await middle.shows('456789')
    expect(middle).toMatchObject({ text: '456789', first: 4, lost: [] })
    expect([middle.said('from'), middle.said('to')]).toEqual([4, 10])
    for (const offset of [10, 1_000_000]) {
      const late = await holders().attach(first.session, offset)
      expect([late.said('from'), late.said('to'), late.text]).toEqual([10, 10, ''])
    }
    const last = await holders().attach(first.session, 10)
    last.type('more')
    await last.shows('more')
    expect(last).toMatchObject({ text: 'more', first: 10, lost: [] })
    last.send(waitFrame(0))
    last.leave()
  })

  it('keeps what was typed for a program that reads it late, accepts messages meanwhile, and tells the next server how much waits', async () => {
    const go = `/tmp/${randomUUID()}`
    const late = `stty raw -echo; echo ready; until [ -e ${go} ]; do sleep 0.05; done; head -c ${WINDOW_BYTES} | wc -c; cat`
    const first = await holders().serve(['sh', '-c', late], LONG)
    await first.shows('ready')
    expect([first.said('window'), first.said('typing')]).toEqual([WINDOW_BYTES, 0])
    for (let typed = 0; typed < WINDOW_BYTES; typed += WINDOW_BYTES / 8) first.type('x'.repeat(WINDOW_BYTES / 8))
    first.send(sizeFrame(101, 31))
    const size = async () => (await output(`stty size -F /proc/${first.said('pid')}/fd/0`)).trim()
    await until('its size', async () => (await size()) === '31 101')
    const second = await holders().attach(first.session, 0)
    const waits = second.said('typing')
    expect(waits).toBeLessThanOrEqual(WINDOW_BYTES)
    expect(waits).toBeGreaterThan(WINDOW_BYTES - IN_THE_TERMINAL * RECORD_BYTES)
    await output(`touch ${go}`)
    await second.shows(String(WINDOW_BYTES))
    // Counted from the attachment on. The last bytes are too few for a report.
    await until('most of it to be told', () => second.taken > waits - TELL_TAKEN_BYTES)
    expect(second.taken).toBeLessThanOrEqual(waits)
    second.send(waitFrame(0))
    second.leave()
  })

  it('keeps nothing for a terminal that its program has closed, and says so at once', async () => {
    const first = await holders().serve(['python3', '-c', CLOSER], LONG)
    await first.shows('ready')
    for (let typed = 0; typed < WINDOW_BYTES; typed += WINDOW_BYTES / 8) first.type('x'.repeat(WINDOW_BYTES / 8))
    await subject.sh(`kill -USR1 ${first.said('pid')}`)
    await until('all of it to be told', () => first.taken > WINDOW_BYTES - TELL_TAKEN_BYTES)
    expect(await isAlive(first.said('pid'))).toBe(true)
    const second = await holders().attach(first.session, 0)
    expect(second.said('typing')).toBe(0)
    second.send(waitFrame(0))
    second.leave()
  })

  it('is taken over by a server that attaches, and tells the one before', async () => {
    const first = await holders().serve(['cat'], LONG)
    const second = await holders().attach(first.session, 0)
    expect(await first.exitCode()).toBe(TAKEN)
    second.type('mine\r')
    await second.shows('mine')
    expect(first.text).toBe('')
    second.send(waitFrame(0))
    second.leave()
  })

  it('is listed while it holds something; a door behind which it was killed is cleared away', async () => {
    const [kept, killed] = await Promise.all([holders().serve(['cat'], LONG), holders().serve(['cat'], LONG)])
    expect(await listed()).toEqual(expect.arrayContaining([kept.session, killed.session]))
    await subject.sh(`kill -9 ${killed.said('holder')}`)
    await until('the holder to be gone', async () => !(await isAlive(killed.said('holder'))))
    expect(await doors()).toContain(killed.session)
    expect(await holders().refusal(killed.session)).toBe(NONE)
    const left = await listed()
    expect([left.includes(kept.session), left.includes(killed.session)]).toEqual([true, false])
    expect(await doors()).not.toContain(killed.session)
    expect(await doors()).toContain(kept.session)
    kept.send(waitFrame(0))
    kept.leave()
  })

  it('goes on after a knock with more in it than belongs there', async () => {
    const attachment = await holders().serve(['cat'], LONG)
    const { exitCode, stderr } = await subject.sh(`python3 -c '${INTRUDER}' ${FOLDER}/${attachment.session}`)
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
    attachment.type('still here\r')
    await attachment.shows('still here')
    attachment.send(waitFrame(0))
    attachment.leave()
  })

  it('is not taken over by a knock that is none of any version', async () => {
    const attachment = await holders().serve(['cat'], LONG)
    const { exitCode, stderr } = await subject.sh(`python3 -c '${MUMBLER}' ${FOLDER}/${attachment.session}`)
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
    attachment.type('still mine\r')
    await attachment.shows('still mine')
    attachment.send(waitFrame(0))
    attachment.leave()
  })

  it('that does not exist cannot be attached to', async () => {
    expect(await holders().refusal(randomUUID())).toBe(NONE)
  })

  it.each([
    ['that it was started with', 1, null],
    ['that it was told last', LONG, 1],
  ])('ends its session, processes and all, when no server comes within the seconds %s', async (_name, begun, told) => {
    const attachment = await holders().serve(['bash', '-ic', 'sleep 1000 & sleep 1001'], begun)
    const { session } = attachment
    const left = async () =>
      (await runtime.processes(subject.containerId)).filter(({ terminalSession }) => terminalSession === session)
    await until('all three', async () => (await left()).length === 3)
    if (told !== null) attachment.send(waitFrame(told))
    attachment.leave()
    await until('nothing to be left', async () => (await left()).length === 0)
    await until('the holder to be gone', async () => !(await isAlive(attachment.said('holder'))))
    expect(await doors()).not.toContain(session)
    expect(await holders().refusal(session)).toBe(NONE)
  })
})

describe.concurrent('a program on pipes: its holder', { timeout: 120_000 }, () => {
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
