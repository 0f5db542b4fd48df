import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { beginRun, COLLECTED, RUN_ID } from '../../../../test/support/runs/conducted-run.ts'
import { INTERRUPT_SECONDS } from './interrupt.ts'
import { EXIT_SECONDS, FIRST_EVENT_SECONDS } from './deadlines.ts'
import { readTranscript } from '../transcript/file.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-conduct-'))))
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

/** Lets the test decide when a time is over. Call it first. */
const holdTime = (): unknown => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

type More = Parameters<typeof beginRun> extends [string, ...infer Rest] ? Rest : never
const begin = (...more: More) => beginRun(folder, ...more)
const stored = async (): Promise<string[]> => {
  const lines: string[] = []
  for await (const { entry } of readTranscript(folder, RUN_ID)) lines.push(entry.raw ?? '')
  return lines
}

describe('a run that this server holds', () => {
  it('ends with everything stored, its last line too, before its processes are collected', async () => {
    const run = await begin()
    run.prints('one\nover\nhalf')
    run.exits(0)
    await run.conductor.done
    expect(await stored()).toEqual(['one', 'over', 'half'])
    expect(run.ends).toMatchObject([{ state: 'completed', reason: 'completed', lastSeq: 3, cliSessionId: 'cli' }])
    expect(run.recorded).toEqual(['changes collected', 'place freed', 'changes left', 'session ended: completed'])
    expect(run.done).toEqual(['hung up'])
  })

  it('acknowledges output only when it is stored', async () => {
    const run = await begin()
    run.prints('one\ntw')
    expect(run.acknowledged.stdout).toBe(0)
    await until('the acknowledgement', () => run.acknowledged.stdout === 4)
    expect(await stored()).toEqual(['one'])
    await run.conductor.letGo()
  })

  it('is ended when it has printed its last answer and does not exit', async () => {
    holdTime()
    const run = await begin()
    run.prints('over\n')
    await vi.advanceTimersByTimeAsync((EXIT_SECONDS - 1) * SECOND_MS)
    // A line that says nothing gives it no more time.
    run.prints('\n')
    await vi.advanceTimersByTimeAsync(SECOND_MS)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'completed', reason: 'finished_without_exit', ...COLLECTED }])
    expect(run.done).toContain('hung up')
  })

  it('goes on when another turn follows its answer', async () => {
    holdTime()
    const run = await begin()
    run.prints('over\n')
    run.prints('more\n')
    await vi.advanceTimersByTimeAsync(2 * EXIT_SECONDS * SECOND_MS)
    expect(run.ends).toEqual([])
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ reason: 'completed' }])
  })

  it('is ended when it says nothing from its start on', async () => {
    holdTime()
    const run = await begin()
    await vi.advanceTimersByTimeAsync(FIRST_EVENT_SECONDS * SECOND_MS)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', reason: 'no_first_event' }])
  })

  it('is not ended for its silence if its first line may be its last', async () => {
    holdTime()
    const run = await begin({}, { ranMs: 0, hasEnded: false, isQuiet: true })
    await vi.advanceTimersByTimeAsync(2 * FIRST_EVENT_SECONDS * SECOND_MS)
    run.prints('over\n')
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ reason: 'completed' }])
  })

  it('is not timed out while one of its programs asks people', async () => {
    holdTime()
    const run = await begin({}, { ranMs: 0, hasEnded: false, isQuiet: true })
    run.questions.opened(RUN_ID, 'one')
    run.questions.opened(RUN_ID, 'two')
    run.questions.closed(RUN_ID, 'one')
    run.questions.opened('another run', 'three')
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.ends).toEqual([])
    run.questions.closed(RUN_ID, 'two')
    expect(run.kept).toEqual([false, true, true, true, false])
    await vi.advanceTimersByTimeAsync(300_000)
    await vi.advanceTimersByTimeAsync(300_000)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ reason: 'timed_out' }])
  })

  it('that had ended in time is not timed out by a server that comes back late', async () => {
    holdTime()
    const run = await begin({}, { ranMs: 3_600_000, hasEnded: true, isQuiet: false })
    await vi.advanceTimersByTimeAsync(FIRST_EVENT_SECONDS * SECOND_MS)
    run.prints('over\n')
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'completed', reason: 'completed' }])
  })

  it('is interrupted first when a user ends it', async () => {
    const run = await begin()
    run.prints('one\n')
    run.conductor.terminate('ann@example.org')
    await until('the interrupt', () => run.done.includes('INT'))
    run.prints('over\n')
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([COLLECTED])
    expect(run.done).toEqual(['INT', 'hung up', 'hung up'])
    expect(run.ends).toMatchObject([{ state: 'terminated', reason: 'terminated', result: 'over' }])
  })

  it('is interrupted when it has used up its own budget, and keeps what it did', async () => {
    const run = await begin({}, undefined, { maxBudgetUsd: 1 })
    run.prints('one\n')
    await until('the interrupt', () => run.done.includes('INT'))
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', reason: 'max_budget', costUsd: 1, usage: [{ costUsd: 1 }] }])
    expect(await stored()).toEqual(['one'])
    expect(run.left).toEqual([RUN_ID])
  })

  it('is ended when a budget of its user is used up, unless it has done its work', async () => {
    const run = await begin()
    run.prints('over\n')
    run.exhaust('Too early.')
    run.prints('more\n')
    run.exhaust('The budget is used up.')
    await until('the interrupt', () => run.done.includes('INT'))
    run.exits(0)
    await run.conductor.done
    expect(run.ends).toMatchObject([{ reason: 'budget_exhausted', error: 'The budget is used up.' }])
  })

  it('has ended for others at once when its user lost the right, before the program has', async () => {
    const run = await begin()
    run.prints('one\n')
    run.loses({ reason: 'access_revoked', message: 'No longer shared.', code: 4003 })
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'terminated', reason: 'access_revoked' }])
    expect(run.ends[0]).not.toHaveProperty('changesDetected')
    expect(run.recorded[0]).toBe('changes collected late')
    expect(run.done).not.toContain('INT')
  })

  it('is left to the next server when this one stops, and nothing ends it', async () => {
    const run = await begin()
    run.prints('one\n')
    await run.conductor.letGo()
    expect(await stored()).toEqual(['one'])
    expect(run.done).toEqual(['released'])
    expect([run.ends, run.recorded]).toEqual([[], ['place freed']])
  })

  it('is looked for again when the engine is lost', async () => {
    const run = await begin()
    run.exits(null, 'engine_unavailable')
    await run.conductor.done
    expect([run.ends, run.recorded]).toEqual([[], ['place freed', 'session let go']])
  })

  it.each([
    ['ends', 'over', true],
    ['waits for a usage limit', 'limit', false],
  ] as const)('is in the metrics with what its process has used when it %s', async (_how, last, ends) => {
    const run = await begin()
    run.prints(`one\n${last}\n`)
    run.exits(0)
    await run.conductor.done
    const figures = await run.figures()
    expect(figures).toMatch(/^slipway_tasks_cost_usd_total\{provider="claude-code"\} 1$/m)
    expect([run.waits.length, run.told.length]).toEqual(ends ? [0, 1] : [1, 0])
    expect(figures.includes('slipway_tasks_ended_total{provider="claude-code",reason="completed"} 1')).toBe(ends)
  })

  it('gets its end as soon as the database takes it', async () => {
    const ends: string[] = []
    const run = await begin({
      end: (_held, { reason }) => {
        ends.push(reason)
        return ends.length < 3 ? Promise.reject(new Error('away')) : Promise.resolve(true)
      },
    })
    run.prints('over\n')
    run.exits(0)
    await run.conductor.done
    expect(ends).toEqual(['completed', 'completed', 'completed'])
    expect(run.told).toHaveLength(1)
  })

  it('is left with its exit to the next server if the database refuses until this one stops', async () => {
    const refused = Promise.withResolvers<null>()
    const run = await begin({
      end: () => {
        refused.resolve(null)
        return Promise.reject(new Error('away'))
      },
    })
    run.prints('over\n')
    run.exits(0)
    await refused.promise
    await run.conductor.letGo()
    expect(run.done).toEqual(['released'])
    expect(run.recorded).not.toContain('session ended: completed')
  })

  it('that has an end already gets no second one', async () => {
    const run = await begin({ end: () => Promise.resolve(false) })
    run.exits(0)
    await run.conductor.done
    expect(run.told).toEqual([])
    expect(run.done).toEqual(['hung up'])
  })
})

describe('a run that another server took over', () => {
  const TAKEN = { end: () => Promise.resolve(false), isTaken: () => Promise.resolve(true) }

  it.each<[because: string, end: (run: Awaited<ReturnType<typeof begin>>) => void]>([
    ['a user ends it', (run) => run.conductor.terminate('ann@example.org')],
    ['its right is lost', (run) => run.loses({ reason: 'access_revoked', message: 'Not shared.', code: 4003 })],
    ['its program seems to have ended', (run) => run.exits(null)],
    ['the container gives it to the other server', (run) => run.exits(null, 'engine_unavailable')],
  ])('keeps its program and its session when %s here', async (_because, end) => {
    holdTime()
    const run = await begin(TAKEN)
    end(run)
    await vi.advanceTimersByTimeAsync(INTERRUPT_SECONDS * SECOND_MS)
    await run.conductor.done
    expect(run.told).toEqual([])
    expect(run.done.filter((act) => act !== 'INT')).toEqual(['released'])
    expect(run.recorded.filter((act) => act !== 'changes collected')).toEqual(['place freed'])
  })
})
