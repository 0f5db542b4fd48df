import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SECOND_MS } from '../../../lib/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import type { Reading } from '../../providers/headless/headless.ts'
import type { Ending } from '../../sessions/ending.ts'
import type { OpenProgram } from '../../sessions/programs.ts'
import { newProgram } from '../../../../test/support/runs/held-program.ts'
import { type ConductDeps, Conductor, INTERRUPT_SECONDS } from './conduct.ts'
import { EXIT_SECONDS, FIRST_EVENT_SECONDS } from './deadlines.ts'
import { LiveRun } from './follow.ts'
import type { StoredWait } from '../line/repository.ts'
import { Masking } from '../output/masking.ts'
import { Meter, type MeteredRun } from '../ledger/meter.ts'
import type { Spending } from '../ledger/spending.ts'
import { RunReader } from '../output/reader.ts'
import type { StoredRunEnd } from '../repository.ts'
import { readTranscript, TranscriptWriter } from '../transcript/file.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-conduct-'))))
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

/** Each line is a text, and an empty one says nothing; the line `over` ends the turn. The first line tells of a cost. */
const reading = (): Reading => {
  let isOver = false
  let hasBegun = false
  return {
    line: (text) => {
      if (text === '') return []
      isOver = text === 'over'
      hasBegun = true
      return [{ type: 'text', text }]
    },
    verdict: () => ({
      sessionId: 'cli',
      result: isOver ? 'over' : null,
      isOver,
      hasWorked: true,
      failure: null,
      usage: [],
      costUsd: hasBegun ? 1 : null,
    }),
  }
}

/** Lets the test decide when a time is over. Call it first. */
const holdTime = (): unknown => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const COLLECTED = { changesDetected: true, filesChanged: 1, insertions: 2, deletions: 3, startTree: null }
/** Changes that say when they are collected. */
const newChanges = (recorded: string[]) => ({
  diff: () => Promise.reject(new Error('no test asks for it')),
  collect: () => {
    recorded.push('changes collected')
    return Promise.resolve(COLLECTED)
  },
  collectLate: () => Promise.resolve(void recorded.push('changes collected late')),
  forget: () => Promise.resolve(void recorded.push('changes forgotten')),
})

const begin = async (
  more: Partial<ConductDeps['repository']> = {},
  past = { ranMs: 0, hasEnded: false, isQuiet: false },
  limits: Partial<MeteredRun> = {},
) => {
  let exhaust: (message: string) => void = () => undefined
  const left: string[] = []
  const spending: Pick<Spending, 'watch'> = {
    watch: ({ id }, end) => {
      exhaust = end
      return { spent: () => undefined, leave: () => left.push(id) }
    },
  }
  const metered = { id: ID, userId: 'user', model: null, maxTurns: null, maxBudgetUsd: null, ...limits }
  const fake = newProgram()
  const ends: StoredRunEnd[] = []
  const recorded: string[] = []
  const told: StoredRunEnd[] = []
  const waits: StoredWait[] = []
  const loss = Promise.withResolvers<Ending>()
  const writer = await TranscriptWriter.begin(folder, ID, { generation: 1, after: null })
  const live = new LiveRun(ID)
  const conductor = new Conductor(
    {
      programs: { over: () => undefined, release: () => recorded.push('place freed') },
      records: {
        ended: (_id, { reason }) => recorded.push(`session ended: ${reason}`),
        letGo: () => recorded.push('session let go'),
      },
      repository: {
        named: () => Promise.resolve(),
        extended: () => Promise.resolve(),
        isTaken: () => Promise.resolve(false),
        end: (_held, end) => {
          ends.push(end)
          return Promise.resolve(true)
        },
        ...more,
      },
      clock: { now: () => 1000 },
      log: silentLog,
      metrics: { firstEvent: () => undefined },
      ended: (_run, end) => told.push(end),
      line: { wait: (_held, wait) => Promise.resolve(waits.push(wait) > 0) },
      lives: { over: () => live.over() },
      stalls: { watch: () => ({ heard: () => undefined, leave: () => true }) },
      waits: () => undefined,
    },
    {
      open: { row: { id: 'agent' }, ended: loss.promise, leader: null } as unknown as OpenProgram,
      held: { id: ID, generation: 1 },
      program: fake.program,
      reader: RunReader.new({ newReading: reading, masking: new Masking() }),
      writer,
      live,
      changes: newChanges(recorded),
      provider: 'claude-code',
      model: null,
      names: { provider: 'Claude Code', agent: 'atlas' },
      timeoutSeconds: 300,
      meter: new Meter(spending, metered),
      waitsForLimit: true,
      ...past,
      answersInterrupt: true,
    },
  )
  return { ...fake, conductor, ends, waits, recorded, told, live, left, exhaust, loses: loss.resolve }
}
const stored = async (): Promise<string[]> => {
  const lines: string[] = []
  for await (const { entry } of readTranscript(folder, ID)) lines.push(entry.raw ?? '')
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
    expect(run.recorded).toEqual(['changes collected', 'place freed', 'changes forgotten', 'session ended: completed'])
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
    expect(run.left).toEqual([ID])
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
