import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodingSession, RunEvent, RunHappening, TextEvent } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../transcript/transcript.ts'
import { CALLS_MAX } from './calls.ts'
import { barsOf, COLUMNS, lanesOf, sumsOf, TOOL_LANES } from './lanes.ts'
import { coveredBy, SLOWEST, type Span, slowestOf, type Timeline, timelineOf } from './spans.ts'
import { shareOf, shortTime } from './words.ts'

const START = Date.UTC(2026, 10, 26, 12)
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()
/** Happenings with the second at which each came. */
type Timed = readonly (readonly [second: number, happening: RunHappening])[]
const gathered = (timed: Timed, inPieces: TextEvent[] = []): Transcript => {
  const transcript = new Transcript({ inPieces })
  transcript.apply(
    timed.map(([second, happening], index): RunEvent => ({ seq: index + 1, at: at(second), ...happening })),
  )
  return transcript
}
type Task = Pick<CodingSession, 'state' | 'startedAt' | 'completedAt' | 'cwd'>
const task = (seconds: number | null, state: CodingSession['state'] = 'completed'): Task => ({
  ...{ state, startedAt: at(0), cwd: '/home/developer' },
  completedAt: seconds === null ? null : at(seconds),
})
const drawn = (transcript: Transcript, of: Task, now = START): Timeline => {
  const { entries, firstAt, dropped } = transcript
  const timeline = timelineOf({ task: of, entries, firstAt, isPart: dropped > 0, now })
  if (timeline === null) throw new Error('there is no timeline')
  return timeline
}
const briefly = ({ spans }: Timeline) =>
  spans.map(({ kind, name, from, to }) => [kind === 'tool' ? name : kind, (from - START) / 1000, (to - START) / 1000])

const started: RunHappening = { type: 'status', status: 'started', message: '' }
const text = (value: string): RunHappening => ({ type: 'text', text: value })
const call = (callId: string, name = 'Read'): RunHappening => ({ type: 'tool_call', callId, name, input: {} })
const result = (callId: string): RunHappening => ({ type: 'tool_result', callId, text: '', isError: false })
const answer: RunHappening = { type: 'result', text: 'Done.', isError: false }

describe('the timeline of a task', () => {
  it('gives the time to the CLI, the model and the tools', () => {
    const told = gathered([
      [2, started],
      [5, call('a')],
      [9, result('a')],
      [10, text('Done.')],
      [10, answer],
    ])
    expect(briefly(drawn(told, task(12)))).toEqual([
      ['cli', 0, 2],
      ['model', 2, 5],
      ['Read', 5, 9],
      ['model', 9, 10],
      ['cli', 10, 12],
    ])
  })

  it('counts tools that run at the same time once, and none of that time for the model', () => {
    const told = gathered([
      [1, call('a')],
      [2, call('b', 'Grep')],
      [4, result('a')],
      [6, text('so')],
      [8, result('b')],
    ])
    const { model, tools, total } = sumsOf(drawn(told, task(10)))
    expect({ model, tools, total }).toEqual({ model: 2000, tools: 7000, total: 10_000 })
  })

  it('shows the wait for a usage limit, and for a model server that refused', () => {
    const told = gathered([
      [1, started],
      [2, text('first')],
      [62, { type: 'status', status: 'resumed', message: 'The usage limit is over.' }],
      [64, { type: 'status', status: 'retrying', message: 'Overloaded' }],
      [70, text('then')],
    ])
    expect(briefly(drawn(told, task(71, 'failed')))).toEqual([
      ['cli', 0, 1],
      ['model', 1, 2],
      ['waiting', 2, 62],
      ['model', 62, 64],
      ['waiting', 64, 70],
      ['model', 70, 71],
    ])
  })

  it('goes on to this moment while the task is active, with what runs now', () => {
    const running = gathered([
      [1, started],
      [3, call('a')],
    ])
    expect(briefly(drawn(running, task(null, 'running'), START + 9000)).at(-1)).toEqual(['Read', 3, 9])
    const waits = gathered([
      [1, started],
      [3, text('a')],
    ])
    expect(briefly(drawn(waits, task(null, 'waiting'), START + 9000)).at(-1)).toEqual(['waiting', 3, 9])
  })

  it('holds where the clock of the page is behind the one of the server', () => {
    const running = gathered([
      [1, started],
      [30, text('a')],
    ])
    expect(drawn(running, task(null, 'running'), START).to).toBe(START + 30_000)
  })

  it('does not exist before the first row', () => {
    const parts = { entries: [], firstAt: null, isPart: false, now: START }
    expect(timelineOf({ task: task(null, 'starting'), ...parts })).toBeNull()
  })

  it('lists the slowest parts with what they were about', () => {
    const shell = { type: 'command', callId: 'a', command: 'npm test' } as const
    const told = gathered([
      [1, { ...shell, state: 'started', exitCode: null, output: '' }],
      [31, { ...shell, state: 'ended', exitCode: 0, output: '' }],
      [33, text('Done.\nMore.')],
      ...Array.from({ length: 30 }, (_, step) => [34 + step, text('x')] as const),
    ])
    const slowest = slowestOf(drawn(told, task(70)))
    expect(slowest).toHaveLength(SLOWEST)
    expect(slowest.slice(0, 2)).toMatchObject([
      { name: 'Shell', object: 'npm test', id: 1 },
      { name: 'Model', from: START + 63_000 },
    ])
  })

  it('has few bars for ten thousand steps, and loses none of their time', () => {
    const timed = Array.from({ length: 5000 }, (_, step) => [
      [step * 2, call(String(step), `tool ${step % 20}`)] as const,
      [step * 2 + 1, result(String(step))] as const,
    ])
    const lanes = lanesOf(drawn(gathered(timed.flat()), task(10_000)))
    expect(lanes).toHaveLength(TOOL_LANES + 2)
    expect(lanes.flatMap(({ bars }) => bars).length).toBeLessThanOrEqual(COLUMNS * lanes.length)
    const tools = lanes.filter(({ kind }) => kind === 'tool')
    expect(tools.reduce((sum, { count }) => sum + count, 0)).toBe(5000)
    expect(tools.reduce((sum, { ms }) => sum + ms, 0)).toBe(5_000_000)
  })

  it('has a bar for spans that are too close to be apart, which leads to the longest', () => {
    const span = (id: number, from: number, to: number): Span => ({
      ...{ id, from, to },
      kind: 'tool',
      name: 'x',
      object: '',
    })
    expect(barsOf([span(1, 0, 10), span(2, 15, 40), span(3, 90, 100)], 20)).toMatchObject([
      { id: 2, count: 2, from: 0, to: 40, ms: 35 },
      { id: 3, count: 1, from: 90, to: 100, ms: 10 },
    ])
  })
})

describe('what a task has used, in parts', () => {
  const usage = (inputTokens: number, costUsd: number | null = null): RunHappening => ({
    type: 'usage',
    models: [{ model: 'm', inputTokens, outputTokens: 0, cacheReadTokens: null, cacheWriteTokens: null, costUsd }],
  })

  it('is the difference of two totals, and begins anew with a new process', () => {
    const { calls } = gathered([
      [1, usage(100, 0.5)],
      [2, usage(100, 0.5)],
      [3, usage(250, 0.75)],
      [4, { type: 'status', status: 'resumed', message: 'again' }],
      [5, usage(40)],
    ])
    expect(calls.all.map(({ id, used }) => [id, used.inputTokens, used.costUsd])).toEqual([
      [1, 100, 0.5],
      [3, 150, 0.25],
      [5, 40, null],
    ])
  })

  it('has a bound', () => {
    const { calls } = gathered(Array.from({ length: CALLS_MAX + 50 }, (_, step) => [step, usage(step + 1)] as const))
    expect(calls.all).toHaveLength(CALLS_MAX)
    expect(calls.all.at(-1)?.id).toBe(CALLS_MAX + 50)
  })
})

describe('the timeline of what a real CLI told', () => {
  const folder = join(import.meta.dirname, '../../../../../backend/test/fixtures/transcripts')
  const recorded = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.golden.json'),
  )

  it.each(recorded)('accounts for the whole time of %s', (name) => {
    const { happenings } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { happenings: RunHappening[] }
    // One event a second. A recording has no times of its own.
    const told = gathered(happenings.map((happening, second) => [second + 1, happening] as const))
    const timeline = drawn(told, task(happenings.length + 1))
    const { total, model, tools, waiting } = sumsOf(timeline)
    const cli = coveredBy(timeline.spans.filter(({ kind }) => kind === 'cli'))
    expect(model + tools + waiting + cli).toBe(total)
    expect(tools > 0).toBe(happenings.some(({ type }) => type === 'command' || type === 'tool_call'))
    for (const { from, to } of timeline.spans) expect(to).toBeGreaterThanOrEqual(from)
    const rows = new Set(told.entries.map(({ id }) => id))
    for (const { bars } of lanesOf(timeline)) for (const { id } of bars) expect(rows).toContain(id)
  })
})

it('a time and a share are short', () => {
  expect([0, 40, 1449, 9999, 10_001, 125_000].map(shortTime)).toEqual([
    '0 s',
    '40 ms',
    '1.4 s',
    '9.9 s',
    '10 s',
    '2 min 5 s',
  ])
  expect([shareOf(0, 0), shareOf(1, 1000), shareOf(430, 1000)]).toEqual(['0 %', '< 1 %', '43 %'])
})
