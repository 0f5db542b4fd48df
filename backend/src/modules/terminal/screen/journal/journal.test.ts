/** The journal of a session's output, which one server writes and the next one reads. */
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  openSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { PATIENT } from '../../../../../test/support/terminals/patient-disk.ts'
import { ALL_BYTES, Journal, SESSION_BYTES } from './journal.ts'
import { Past } from './past.ts'
import { parseSegmentName, PIECE_BYTES, SEGMENT_BYTES, SEGMENT_FILE_BYTES, segmentName } from './segments.ts'

const key = randomBytes(32)
const id = randomUUID()
/** Size of the pieces that the tests write, in bytes. */
const PIECE = 65_536
const output = (from: number, to: number): Buffer => {
  const all = Buffer.alloc(to - from)
  for (let at = 0; at < all.length; at += 1) all[at] = (from + at) % 251
  return all
}

let folder: string
let failures: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-journal-'))
  failures = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const failed = (error: unknown): void => void failures.push((error as Error).message)
const begin = (from = 0, { older = [] as number[], minFreeBytes = 0, at = folder, isPatient = true } = {}): Journal => {
  const place = { folder: at, key, minFreeBytes, ...(isPatient && PATIENT) }
  const journal = new Journal(place, { id, from, older, failed })
  onTestFinished(() => journal.end(false))
  return journal
}
const write = async (journal: Journal, from: number, to: number): Promise<void> => {
  for (let at = from; at < to; at += PIECE) await journal.append(output(at, Math.min(to, at + PIECE)))
}
const read = async (from: number, { to = 1e9, keys = [key] as Uint8Array[], of = id } = {}): Promise<Buffer | null> => {
  const past = await Past.open({ folder, keys, id: of, from, to })
  if (!past) return null
  const all: Uint8Array[] = []
  for (let piece = await past.next(); piece; piece = await past.next()) all.push(piece)
  return Buffer.concat(all)
}
/** Offsets at which full segments before `to` begin. */
const segments = (to: number): number[] => Array.from({ length: to / SEGMENT_BYTES }, (_, n) => n * SEGMENT_BYTES)
const files = (): string[] => readdirSync(folder).sort()
/** Files are removed in the background, so their removal is polled. */
const filesBecome = (names: string[]): Promise<void> => expect.poll(files).toEqual(names)
const path = (from: number, of = id): string => join(folder, segmentName(of, from))
const isOutput = (found: Buffer | null, from: number, to: number): void => {
  expect(found?.length).toBe(to - from)
  expect(found!.equals(output(from, to))).toBe(true)
}

describe('output on the disk', () => {
  it('is there again from any offset on, up to where it is wanted', async () => {
    const end = SEGMENT_BYTES * 2 + 12_345
    await write(begin(1000), 1000, end)
    expect(files().length).toBe(3)
    expect(await read(999)).toBeNull()
    isOutput(await read(5000, { to: 5010 }), 5000, 5010)
    for (const from of [1000, 1001, SEGMENT_BYTES, end - 1]) isOutput(await read(from), from, end)
    expect(await read(end)).toEqual(Buffer.alloc(0))
    // Segments that end before the requested offset are removed.
    expect(files().length).toBe(1)
    expect(failures).toEqual([])
  })

  it('is there also where it came by the megabyte, or by the letter', async () => {
    const journal = begin()
    await journal.append(output(0, 3 * PIECE_BYTES + 1))
    for (let at = 3 * PIECE_BYTES + 1; at < 3 * PIECE_BYTES + 100; at += 1) await journal.append(output(at, at + 1))
    isOutput(await read(7), 7, 3 * PIECE_BYTES + 100)
  })

  it('goes by the segment where a screen is kept of what came before, and altogether with its session', async () => {
    const journal = begin()
    await write(journal, 0, 3 * SEGMENT_BYTES + PIECE)
    const [first, ...rest] = files()
    expect(first).toBe(segmentName(id, 0))
    journal.kept(SEGMENT_BYTES + 100_000)
    await journal.append(output(3 * SEGMENT_BYTES + PIECE, 3 * SEGMENT_BYTES + PIECE + 1))
    await filesBecome(rest)
    isOutput(await read(SEGMENT_BYTES + 100_000), SEGMENT_BYTES + 100_000, 3 * SEGMENT_BYTES + PIECE + 1)
    await journal.end(true)
    expect(files()).toEqual([])
  })

  it('is gone on with by the next server, and is one then', async () => {
    const first = begin()
    await write(first, 0, 300_000)
    await first.end(false)
    const past = (await Past.open({ folder, keys: [key], id, from: 100, to: 300_000 }))!
    const next = begin(300_000, { older: [...past.segments] })
    await write(next, 300_000, 500_000)
    isOutput(await read(100), 100, 500_000)
    next.kept(400_000)
    await next.append(output(500_000, 500_001))
    await filesBecome([segmentName(id, 300_000)])
    await next.end(true)
  })

  it('is not removed with what came before it, where another one begins at the same place', async () => {
    const first = begin()
    await write(first, 0, SEGMENT_BYTES + PIECE)
    const { from } = parseSegmentName(files().at(-1)!)!
    void first.end(true)
    const next = new Journal(
      { folder, key, minFreeBytes: 0, ...PATIENT },
      { id, from, older: [], after: first.settled, failed },
    )
    await next.append(output(from, from + 100))
    await first.settled
    expect(files()).toEqual([segmentName(id, from)])
    isOutput(await read(from), from, from + 100)
    await next.end(true)
  })

  it('takes the place of what a thread that was replaced has left of the same session', async () => {
    const other = randomUUID()
    for (const from of [100, 500, 900]) writeFileSync(path(from), 'left')
    writeFileSync(path(300, other), 'left')
    await write(begin(500, { older: [100] }), 500, 600)
    expect(files()).toEqual([segmentName(id, 100), segmentName(id, 500), segmentName(other, 300)].sort())
    isOutput(await read(500), 500, 600)
  })

  it('is read also where what came before it cannot be removed', async () => {
    await write(begin(500), 500, 600)
    mkdirSync(path(0))
    isOutput(await read(550), 550, 600)
    expect(files()).toEqual([segmentName(id, 0), segmentName(id, 500)])
  })

  it('is readable by its owner alone, and neither without the key nor in another place', async () => {
    await write(begin(), 0, 1000)
    expect(statSync(path(0)).mode & 0o777).toBe(0o600)
    expect(readFileSync(path(0)).includes(output(0, 100))).toBe(false)
    expect(await read(0, { keys: [randomBytes(32)] })).toEqual(Buffer.alloc(0))
    isOutput(await read(0, { keys: [randomBytes(32), key] }), 0, 1000)
    const other = randomUUID()
    writeFileSync(path(0, other), readFileSync(path(0)))
    expect(await read(0, { of: other })).toEqual(Buffer.alloc(0))
    writeFileSync(path(500, other), readFileSync(path(0)))
    expect(await read(500, { of: other })).toEqual(Buffer.alloc(0))
  })

  it('ends before what was being written when the server was killed', async () => {
    await write(begin(), 0, 3 * PIECE)
    const whole = readFileSync(path(0))
    for (const length of [whole.length - 1, whole.length - PIECE, 2 * PIECE + 67]) {
      writeFileSync(path(0), whole.subarray(0, length))
      isOutput(await read(0), 0, 2 * PIECE)
    }
    writeFileSync(path(0), whole)
    appendFileSync(path(0), Buffer.alloc(10, 0xff))
    isOutput(await read(0), 0, 3 * PIECE)
  })

  it('ends where a segment is missing, damaged, no file, or longer than any', async () => {
    const journal = begin()
    await write(journal, 0, 2 * SEGMENT_BYTES + PIECE)
    await journal.end(false)
    const [second, third] = (await Past.open({ folder, keys: [key], id, from: 0, to: 1e9 }))!.segments.slice(1)
    const bytes = readFileSync(path(second!))
    const spoiled = Buffer.from(bytes)
    spoiled[100]! ^= 1
    const spoil: (() => void)[] = [
      () => rmSync(path(second!)),
      () => writeFileSync(path(second!), spoiled),
      () => void (rmSync(path(second!)), mkdirSync(path(second!))),
      () =>
        void (
          rmSync(path(second!), { recursive: true }),
          writeFileSync(path(second!), Buffer.alloc(SEGMENT_FILE_BYTES + 1))
        ),
    ]
    for (const act of spoil) {
      act()
      isOutput(await read(0), 0, second!)
    }
    isOutput(await read(third!), third!, 2 * SEGMENT_BYTES + PIECE)
  })
})

describe('output that cannot be written', () => {
  it('is given up where the disk is full, with all that there is of it, and is waited for no more', async () => {
    const journal = begin(0, { minFreeBytes: Number.MAX_SAFE_INTEGER })
    await write(journal, 0, 10 * PIECE)
    expect([failures, files()]).toEqual([['too little of the disk is free'], []])
    await journal.end(true)
  })

  it('is given up where it has become too much', async () => {
    const from = SESSION_BYTES - 2 * SEGMENT_BYTES
    const journal = begin(from, { older: segments(from) })
    await write(journal, from, SESSION_BYTES)
    expect(failures).toEqual([])
    await write(journal, SESSION_BYTES, SESSION_BYTES + PIECE)
    expect(failures).toEqual(['there is too much of it'])
    await filesBecome([])
  })

  it('is given up where an earlier server has left too much', async () => {
    await begin(SESSION_BYTES, { older: segments(SESSION_BYTES) }).append(output(0, 100))
    expect(failures).toEqual(['there is too much of it'])
  })

  it('is given up where the disk hangs, and is waited for no longer than a second', async () => {
    const journal = begin(0, { isPatient: false })
    await journal.settled
    // Opening a FIFO blocks until it has a reader.
    execFileSync('mkfifo', [path(0)])
    await journal.append(output(0, 100))
    expect(failures).toEqual(['the disk takes too long'])
    await journal.append(output(100, 200))
    const reader = openSync(path(0), 'r')
    await journal.end(true)
    await filesBecome([])
    closeSync(reader)
  })

  it('is not given up where it was this thread that took so long', async () => {
    const journal = begin(0, { isPatient: false })
    const written = journal.append(output(0, PIECE))
    for (const from = performance.now(); performance.now() - from < 1200;);
    await written
    expect(failures).toEqual([])
    isOutput(await read(0), 0, PIECE)
  })

  it('is written anew where the last server had begun the same segment', async () => {
    await write(begin(), 0, 100)
    writeFileSync(path(100), 'the beginning of a piece')
    const past = (await Past.open({ folder, keys: [key], id, from: 0, to: 1e9 }))!
    while (await past.next());
    const journal = begin(100, { older: [...past.segments] })
    await write(journal, 100, 200)
    journal.kept(150)
    await journal.append(output(200, 300))
    await filesBecome([segmentName(id, 100)])
    isOutput(await read(150), 150, 300)
  })

  it('takes nothing of what others may write once it is over, however it ended', async () => {
    const room = 8 * SEGMENT_BYTES
    begin(ALL_BYTES - room, { older: segments(ALL_BYTES - room) })
    const mebibyte = output(0, PIECE_BYTES)
    for (let written = 0; written <= room; written += 16 * PIECE_BYTES) {
      const journal = begin()
      const writing = Array.from({ length: 16 }, () => journal.append(mebibyte))
      await journal.end(true)
      await Promise.all(writing)
    }
    await write(begin(), 0, PIECE)
    expect(failures).toEqual([])
  })

  it('is given up where the folder is no folder', async () => {
    writeFileSync(join(folder, 'file'), '')
    await write(begin(0, { at: join(folder, 'file') }), 0, PIECE)
    expect(failures.length).toBe(1)
  })

  it('leaves what there is of others to them', async () => {
    const journal = begin()
    await write(journal, 0, PIECE)
    writeFileSync(join(folder, `${id}.screen`), 'a screen')
    await journal.end(true)
    expect(files()).toEqual([`${id}.screen`])
  })
})
