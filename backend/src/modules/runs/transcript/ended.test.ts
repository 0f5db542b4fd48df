import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LiveRun } from '../conduct/follow.ts'
import { ADDED_MAX, EndedTranscripts } from './ended.ts'
import { readTranscript, TranscriptWriter } from './file.ts'
import { packSegment } from './segment.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
const RUN = { id: ID, generation: 2 }
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-ended-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const setUp = (live: LiveRun | null = null) => {
  const added: number[] = []
  const transcripts = new EndedTranscripts({
    folder,
    lives: { find: () => live },
    repository: { addedTo: (_id, seq) => Promise.resolve(void added.push(seq)) },
    clock: { now: () => 5_000 },
  })
  const add = (text: string, left = new AbortController().signal) =>
    transcripts.add(
      RUN,
      [
        { type: 'text', text },
        { type: 'text', text: `${text}!` },
      ],
      left,
    )
  return { add, added }
}
const write = async (): Promise<void> => {
  const writer = await TranscriptWriter.begin(folder, ID, { generation: 2, after: null })
  const event: RunEvent = { seq: 1, at: '2026-11-27T12:00:00.000Z', type: 'text', text: 'first' }
  const entry = { at: 1000, raw: 'first', isCut: false, from: 'stdout', offsets: { stdout: 6, stderr: 0 } } as const
  await writer.append([{ ...entry, events: [event] }])
  await writer.close()
}
const read = async (): Promise<unknown[]> => {
  const all: unknown[] = []
  for await (const { entry } of readTranscript(folder, ID))
    for (const event of entry.events) all.push([event.seq, event.type === 'text' ? event.text : event.type])
  return all
}

it('a run that has ended gets more events, with the next numbers, also if its transcript is compressed', async () => {
  await write()
  const { add, added } = setUp()
  await add('second')
  await packSegment(folder, ID, 2)
  await add('fourth')
  expect(await read()).toEqual([
    ...[
      [1, 'first'],
      [2, 'second'],
      [3, 'second!'],
    ],
    ...[
      [4, 'fourth'],
      [5, 'fourth!'],
    ],
  ])
  expect(added).toEqual([3, 5])
})

it('a run whose transcript was removed gets none', async () => {
  const { add, added } = setUp()
  await add('second')
  expect([readdirSync(folder), added]).toEqual([[], []])
})

it('the last words of the program come first, and nothing is added if the server stops before', async () => {
  await write()
  const live = new LiveRun(ID)
  const { add, added } = setUp(live)
  await add('too early', AbortSignal.abort())
  expect(added).toEqual([])
  const done = add('second')
  live.over()
  await done
  expect(added).toEqual([3])
})

it('as often as its bound says', async () => {
  await write()
  const { add, added } = setUp()
  for (let count = 0; count <= ADDED_MAX; count += 1) await add('more')
  expect(added).toHaveLength(ADDED_MAX)
})
