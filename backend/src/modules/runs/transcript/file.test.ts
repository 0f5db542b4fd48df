import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { type TranscriptPosition, readTranscript, TranscriptWriter } from './file.ts'
import { packSegment, segmentsIn } from './segment.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-transcript-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const entry = (seq: number): Entry => ({
  at: 1000 + seq,
  raw: `{"line":${seq},"text":"größer\\n😀"}`,
  isCut: false,
  from: 'stdout',
  offsets: { stdout: seq * 10, stderr: 0 },
  events: [{ seq, at: '2026-11-25T12:00:00.000Z', type: 'text', text: `number ${seq}` }],
})
const entries = (first: number, last: number): Entry[] =>
  Array.from({ length: last - first + 1 }, (_, index) => entry(first + index))

const read = async (options: Parameters<typeof readTranscript>[2] = {}): Promise<number[]> => {
  const all: number[] = []
  for await (const placed of readTranscript(folder, ID, options)) all.push(...placed.entry.events.map(({ seq }) => seq))
  return all
}
const endOf = async (): Promise<TranscriptPosition | null> => {
  let last: TranscriptPosition | null = null
  for await (const { place } of readTranscript(folder, ID)) last = place
  return last
}
const begin = (generation: number, after: TranscriptPosition | null = null): Promise<TranscriptWriter> =>
  TranscriptWriter.begin(folder, ID, { generation, after })

describe('the transcript of a run', () => {
  it('has every entry as it was written', async () => {
    const writer = await begin(1)
    await writer.append(entries(1, 3))
    await writer.close()
    const all: Entry[] = []
    for await (const placed of readTranscript(folder, ID)) all.push(placed.entry)
    expect(all).toEqual(entries(1, 3))
  })

  it('keeps the order of entries that come while others are being written', async () => {
    const writer = await begin(1)
    await Promise.all([writer.append(entries(1, 2)), writer.append(entries(3, 3)), writer.append(entries(4, 200))])
    await writer.close()
    expect(await read()).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  })

  it('is read on from any place', async () => {
    const writer = await begin(1)
    await writer.append(entries(1, 2))
    const { place } = writer
    await writer.append(entries(3, 5))
    expect(await read({ from: place })).toEqual([3, 4, 5])
    expect(await read({ until: place })).toEqual([1, 2])
    await writer.close()
  })

  it('ends before a line that a killed server wrote half', async () => {
    const writer = await begin(1)
    await writer.append(entries(1, 2))
    const { bytes } = writer.place
    await writer.append(entries(3, 3))
    await writer.close()
    truncateSync(join(folder, readdirSync(folder)[0]!), bytes + 20)
    expect(await read()).toEqual([1, 2])
    expect(await endOf()).toEqual({ generation: 1, bytes })
  })

  it('goes on in a new segment after a takeover, and leaves out what the old backend wrote afterwards', async () => {
    const old = await begin(1)
    await old.append(entries(1, 3))
    const next = await begin(2, await endOf())
    await next.append(entries(4, 5))
    await old.append(entries(4, 9))
    expect(await read()).toEqual([1, 2, 3, 4, 5])
    const third = await begin(3, next.place)
    await third.append(entries(6, 6))
    expect(await read()).toEqual([1, 2, 3, 4, 5, 6])
    for (const writer of [old, next, third]) await writer.close()
  })

  it('is read on in a segment that is known to be the last one', async () => {
    const old = await begin(1)
    await old.append(entries(1, 3))
    const before = (await endOf())!
    const next = await begin(2, before)
    await next.append(entries(4, 5))
    const { place } = next
    await next.append(entries(6, 7))
    expect(await read({ from: before, last: 2 })).toEqual([4, 5, 6, 7])
    expect(await read({ from: place, last: 2 })).toEqual([6, 7])
    for (const writer of [old, next]) await writer.close()
  })

  it('is not begun twice with the same generation', async () => {
    const first = await begin(1)
    await expect(begin(1)).rejects.toThrow('EEXIST')
    await first.close()
  })

  it('is empty where there is none', async () => {
    expect(await read()).toEqual([])
  })
})

describe('the transcript of a run that has ended', () => {
  /** A transcript of two segments, the first of which an outdated backend went on to write. */
  const write = async (): Promise<TranscriptPosition> => {
    const old = await begin(1)
    await old.append(entries(1, 900))
    const between = (await endOf())!
    const next = await begin(2, between)
    await next.append(entries(901, 1000))
    await old.append(entries(901, 905))
    for (const writer of [old, next]) await writer.close()
    return between
  }
  const all = Array.from({ length: 1000 }, (_, index) => index + 1)

  it('is the same after its compression, from any place, and smaller', async () => {
    const between = await write()
    const before = await sizes()
    await Promise.all([1, 2].map((generation) => packSegment(folder, ID, generation)))
    expect(await read()).toEqual(all)
    expect(await read({ from: between })).toEqual(all.slice(900))
    expect(await read({ until: between })).toEqual(all.slice(0, 900))
    expect(readdirSync(folder).toSorted()).toEqual([`${ID}.1.ndjson.zst`, `${ID}.2.ndjson.zst`])
    expect(await sizes()).toBeLessThan(before / 5)
  })

  it('is read to its end by a reader that began before its compression', async () => {
    await write()
    const seen: number[] = []
    for await (const { entry: one } of readTranscript(folder, ID)) {
      if (seen.length === 10) await Promise.all([1, 2].map((generation) => packSegment(folder, ID, generation)))
      seen.push(...one.events.map(({ seq }) => seq))
    }
    expect(seen).toEqual(all)
  })

  it('is there once, whenever a server is killed that compresses it', async () => {
    await write()
    const plain = readFileSync(join(folder, `${ID}.1.ndjson`))
    await packSegment(folder, ID, 1)
    const packed = readFileSync(join(folder, `${ID}.1.ndjson.zst`))
    const made = join(folder, `${ID}.1.ndjson.${randomUUID()}`)
    // Killed while it writes the compressed file, and before it removes the plain one.
    writeFileSync(made, packed.subarray(0, 100))
    writeFileSync(join(folder, `${ID}.1.ndjson`), plain)
    rmSync(join(folder, `${ID}.1.ndjson.zst`))
    expect(await read()).toEqual(all)
    writeFileSync(join(folder, `${ID}.1.ndjson.zst`), packed)
    expect(await read()).toEqual(all)
    expect(
      (await segmentsIn(folder))
        .get(ID)!
        .map(({ form }) => form)
        .toSorted(),
    ).toEqual(['packed', 'plain', 'plain', 'unfinished'])
    await packSegment(folder, ID, 1)
    expect(await read()).toEqual(all)
    expect(readdirSync(folder)).not.toContain(`${ID}.1.ndjson`)
  })

  const sizes = async (): Promise<number> =>
    [...(await segmentsIn(folder)).values()].flat().reduce((sum, { bytes }) => sum + bytes, 0)
})
