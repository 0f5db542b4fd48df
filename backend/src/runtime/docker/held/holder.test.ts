/**
 * Tests all guarantees of a terminal's holder (decision 15). The backend, which attaches at the beginning, uses only
 * some.
 */
import { randomUUID } from 'node:crypto'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { NONE, TELL_TAKEN_BYTES, until, useHolders, WINDOW_BYTES } from '../../../../test/support/holder/use-holders.ts'
import { FOLDER } from './binary.ts'
import { endFrame, sizeFrame, waitFrame } from './frames.ts'

/** How much output is kept for a terminal, in bytes (LOG_BYTES in streams/log.h). */
const LOG_BYTES = 1_048_576
/** For how long a full log blocks the program without a client, in seconds (BLOCK_DETACHED_MS in holder.c). */
const BLOCK_SECONDS = 60
/** Seconds that exceed any test, so that the holder ends nothing by itself. */
const LONG = 600
/** Exit code of main.c. */
const TAKEN = 4

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

const { runtime, subject, holders, output, listed, doors, isAlive } = useHolders()

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
describe.concurrent('the server is killed and does not come back: a holder', () => {
  // The next test blocks a program, too. This one waits for the whole minute.
  longIt(
    'blocks a program for a minute when its log is full and no server is attached, then drops the oldest and says where it goes on',
    async () => {
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
    },
  )

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

  // `put.test.ts` lists what is held.
  longIt('is listed while it holds something; a door behind which it was killed is cleared away', async () => {
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
