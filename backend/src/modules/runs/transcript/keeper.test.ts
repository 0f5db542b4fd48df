import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../lib/time/clock.ts'
import type { Keeping } from '../../../lib/time/keeping.ts'
import { silentLog } from '../../../lib/log.ts'
import type { StoredEnding } from '../repository.ts'
import type { Entry } from './entry.ts'
import { readTranscript, TranscriptWriter } from './file.ts'
import { TranscriptKeeper } from './keeper.ts'

const NOW = Date.now()
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-keeper-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const endings = new Map<string, StoredEnding>()
beforeEach(() => endings.clear())

/** A run with a transcript that ended so long ago; null: it is active. */
const add = async (endedMsAgo: number | null, lines = 100): Promise<string> => {
  const id = randomUUID()
  const endedAt = endedMsAgo === null ? null : new Date(NOW - endedMsAgo)
  endings.set(id, { endedAt, generation: 1 })
  const writer = await TranscriptWriter.begin(folder, id, { generation: 1, after: null })
  const offsets = { stdout: 0, stderr: 0 }
  const entry: Entry = { at: 1, raw: '{"type":"text"}', isCut: false, from: 'stdout', offsets, events: [] }
  await writer.append(Array.from({ length: lines }, () => entry))
  await writer.close()
  return id
}
const newKeeper = (keeping: Partial<Keeping> = {}, held: readonly string[] = []) => {
  const measured: number[] = []
  const keeper = new TranscriptKeeper({
    folder,
    repository: {
      endings: (ids) =>
        Promise.resolve(new Map([...endings].filter(([id]) => ids.includes(id)).map(([id, one]) => [id, one]))),
    },
    keeping: { days: 90, totalBytes: 1e9, ...keeping },
    isHeld: (id) => held.includes(id),
    measured: (bytes) => measured.push(bytes),
    clock: { now: () => NOW },
    log: silentLog,
  })
  return { keeper, measured }
}
const nameOf = (id: string): string | undefined => readdirSync(folder).find((name) => name.startsWith(id))
const isPacked = (id: string): boolean => nameOf(id) === `${id}.1.ndjson.zst`
const linesOf = async (id: string): Promise<number> => {
  const entries: Entry[] = []
  for await (const { entry } of readTranscript(folder, id)) entries.push(entry)
  return entries.length
}

describe('the transcript of a run that ends', () => {
  it('is compressed, and has all of its lines', async () => {
    const id = await add(0)
    await newKeeper().keeper.pack({ id, generation: 1 })
    expect([isPacked(id), await linesOf(id)]).toEqual([true, 100])
  })

  it('stays as it is while the run is active, and where another backend holds the run', async () => {
    const [active, taken] = [await add(null), await add(0)]
    endings.set(taken, { endedAt: new Date(NOW), generation: 2 })
    const { keeper } = newKeeper()
    await keeper.pack({ id: active, generation: 1 })
    await keeper.pack({ id: taken, generation: 1 })
    expect([nameOf(active), nameOf(taken)]).toEqual([`${active}.1.ndjson`, `${taken}.1.ndjson`])
  })

  it('is kept where it cannot be compressed', async () => {
    const id = await add(0)
    const { keeper } = newKeeper()
    // Its name is taken.
    const taken = join(folder, `${id}.1.ndjson.zst`)
    mkdirSync(taken)
    await keeper.pack({ id, generation: 1 })
    rmSync(taken, { recursive: true })
    expect(readdirSync(folder)).toEqual([`${id}.1.ndjson`])
    expect(await linesOf(id)).toBe(100)
  })
})

describe('a sweep', () => {
  it('compresses what a killed server left, and nothing that another backend may still write', async () => {
    const [left, fresh, active] = [await add(11 * MINUTE_MS), await add(MINUTE_MS), await add(null)]
    await newKeeper().keeper.sweep()
    expect([left, fresh, active].map(isPacked)).toEqual([true, false, false])
    expect(await Promise.all([left, fresh, active].map(linesOf))).toEqual([100, 100, 100])
  })

  it('removes transcripts after their days, and keeps those of active and held runs', async () => {
    const [old, young, active, held] = [
      await add(91 * DAY_MS),
      await add(89 * DAY_MS),
      await add(null),
      await add(1e12),
    ]
    await newKeeper({}, [held]).keeper.sweep()
    expect([old, young, active, held].map((id) => nameOf(id) !== undefined)).toEqual([false, true, true, true])
  })

  it('keeps them for ever without a number of days', async () => {
    const old = await add(9000 * DAY_MS)
    await newKeeper({ days: null }).keeper.sweep()
    expect(isPacked(old)).toBe(true)
  })

  it('removes the oldest where all of them are too large, and says how much is left', async () => {
    const [oldest, older, active] = [await add(3 * DAY_MS, 2000), await add(2 * DAY_MS, 2000), await add(null, 2000)]
    const room = statSync(join(folder, nameOf(active)!)).size + 1000
    const { keeper, measured } = newKeeper({ totalBytes: room })
    await keeper.sweep()
    // Both fit once they are compressed.
    expect([oldest, older].map(isPacked)).toEqual([true, true])
    const packed = statSync(join(folder, nameOf(older)!)).size
    const smaller = newKeeper({ totalBytes: room - 1000 + packed })
    await smaller.keeper.sweep()
    expect([oldest, older, active].map((id) => nameOf(id) !== undefined)).toEqual([false, true, true])
    expect([measured[0]! - smaller.measured[0]!, smaller.measured[0]]).toEqual([packed, room - 1000 + packed])
    await newKeeper({ totalBytes: 0 }).keeper.sweep()
    expect([older, active].map((id) => nameOf(id) !== undefined)).toEqual([false, true])
  })

  it('removes transcripts without a run, and files that a killed server was making, and nothing else', async () => {
    const [stray, kept] = [await add(0), await add(0)]
    endings.delete(stray)
    const [left, made] = [randomUUID(), randomUUID()].map((id) => join(folder, `${kept}.1.ndjson.${id}`))
    for (const path of [left!, made!, join(folder, 'notes.txt')]) writeFileSync(path, 'x')
    utimesSync(left!, new Date(NOW - DAY_MS), new Date(NOW - DAY_MS))
    await newKeeper().keeper.sweep()
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .toSorted(),
    ).toEqual([join(folder, `${kept}.1.ndjson`), made!, join(folder, 'notes.txt')].toSorted())
  })
})
