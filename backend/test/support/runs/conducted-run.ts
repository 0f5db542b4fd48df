/** A run of a program that a test controls, under a conductor. */
import { Registry } from 'prom-client'
import { ProgramQuestions } from '../../../src/modules/runs/people/program-questions.ts'
import type { Reading } from '../../../src/modules/providers/headless/headless.ts'
import type { Ending } from '../../../src/modules/sessions/ending.ts'
import type { OpenProgram } from '../../../src/modules/sessions/programs.ts'
import { Conductor } from '../../../src/modules/runs/conduct/conduct.ts'
import type { ConductDeps } from '../../../src/modules/runs/conduct/conducted.ts'
import { LiveRun } from '../../../src/modules/runs/conduct/follow.ts'
import { Meter, type MeteredRun } from '../../../src/modules/runs/ledger/meter.ts'
import type { Spending } from '../../../src/modules/runs/ledger/spending.ts'
import type { Judge } from '../../../src/modules/runs/gate/gates.ts'
import type { StoredRepair } from '../../../src/modules/runs/gate/repository.ts'
import type { Gate } from '../../../src/modules/runs/gate/standing.ts'
import type { StoredWait } from '../../../src/modules/runs/line/repository.ts'
import { RunMetrics } from '../../../src/modules/runs/metrics.ts'
import { Masking } from '../../../src/modules/runs/output/masking.ts'
import { RunReader } from '../../../src/modules/runs/output/reader.ts'
import type { StoredRunEnd } from '../../../src/modules/runs/stored-end.ts'
import { TranscriptWriter } from '../../../src/modules/runs/transcript/file.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { newProgram } from './held-program.ts'

export const RUN_ID = '0190a6e0-0000-7000-8000-000000000000'

const LIMIT = { reason: 'usage_limit', message: 'Later.', status: 429, resetsAt: 2_000 } as const

/**
 * Each line is a text, and an empty one says nothing; the line `over` ends the turn, and `limit` meets a usage limit. The first
 * line tells of a cost.
 */
const reading = (): Reading => {
  let isOver = false
  let isLimited = false
  let hasBegun = false
  return {
    line: (text) => {
      if (text === '') return []
      isOver = text === 'over'
      isLimited = text === 'limit'
      hasBegun = true
      return [{ type: 'text', text }]
    },
    verdict: () => ({
      sessionId: 'cli',
      result: isOver ? 'over' : null,
      isOver,
      hasWorked: true,
      failure: isLimited ? LIMIT : null,
      usage: [],
      costUsd: hasBegun ? 1 : null,
    }),
  }
}

export const COLLECTED = { changesDetected: true, filesChanged: 1, insertions: 2, deletions: 3, startTree: null }
/** Changes that say when they are collected. */
const newChanges = (recorded: string[]) => ({
  diff: () => Promise.reject(new Error('no test asks for it')),
  collect: () => {
    recorded.push('changes collected')
    return Promise.resolve(COLLECTED)
  },
  collectLate: () => Promise.resolve(void recorded.push('changes collected late')),
  leave: () => Promise.resolve(void recorded.push('changes left')),
})

/** The gate of a run; absent: it has none. */
export interface Gated {
  readonly gate?: Gate | null
  readonly judge?: Judge
  /** Whether the database takes a repair. */
  readonly canRepair?: boolean
}

/** `folder` is that of the transcripts. */
export const beginRun = async (
  folder: string,
  more: Partial<ConductDeps['repository']> = {},
  past = { ranMs: 0, hasEnded: false, isQuiet: false },
  limits: Partial<MeteredRun> = {},
  { gate = null, judge = () => Promise.reject(new Error('the run has no gate')), canRepair = true }: Gated = {},
) => {
  const repairs: StoredRepair[] = []
  let exhaust: (message: string) => void = () => undefined
  const left: string[] = []
  const spending: Pick<Spending, 'watch'> = {
    watch: ({ id }, end) => {
      exhaust = end
      return { spent: () => undefined, leave: () => left.push(id) }
    },
  }
  const metered = {
    id: RUN_ID,
    userId: 'user',
    model: null,
    maxTurns: null,
    maxBudgetUsd: null,
    spentUsd: 0,
    ...limits,
  }
  const fake = newProgram()
  const ends: StoredRunEnd[] = []
  const recorded: string[] = []
  const told: StoredRunEnd[] = []
  const waits: StoredWait[] = []
  const loss = Promise.withResolvers<Ending>()
  const writer = await TranscriptWriter.begin(folder, RUN_ID, { generation: 1, after: null })
  const live = new LiveRun(RUN_ID)
  const questions = new ProgramQuestions(() => undefined)
  const kept: boolean[] = []
  const registry = new Registry()
  const metrics = new RunMetrics(
    registry,
    () => 0,
    () => Promise.resolve([]),
  )
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
      metrics,
      ended: ({ provider }, end) => {
        told.push(end)
        metrics.ended(provider, end)
      },
      line: { wait: (_held, wait) => Promise.resolve(waits.push(wait) > 0) },
      lives: { over: () => live.over() },
      questions,
      stalls: { watch: () => ({ heard: () => undefined, leave: () => true }) },
      waits: () => undefined,
      gates: { judge: (asked) => judge(asked) },
      repairs: {
        repair: (_held, repair) => {
          repairs.push(repair)
          return Promise.resolve(canRepair)
        },
      },
      repaired: ({ held }) => void recorded.push(`repair of ${held.generation} in line`),
    },
    {
      open: { row: { id: 'agent' }, ended: loss.promise, leader: null } as unknown as OpenProgram,
      held: { id: RUN_ID, generation: 1 },
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
      people: null,
      gate,
      wait: { keep: () => Promise.resolve(void kept.push(questions.has(RUN_ID))) },
      ...past,
      answersInterrupt: true,
    },
  )
  return {
    ...fake,
    conductor,
    questions,
    kept,
    ends,
    waits,
    repairs,
    recorded,
    told,
    live,
    left,
    exhaust,
    loses: loss.resolve,
    /** The figures for Prometheus. */
    figures: () => registry.metrics(),
  }
}
