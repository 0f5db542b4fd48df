/** In whatever order things end a run, it has one end, and nothing of it is left in the server. */
import { ProgramQuestions } from '../../src/modules/runs/people/program-questions.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RunReason } from '@slipway/protocol'
import { SECOND_MS } from '../../src/lib/time/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Reading } from '../../src/modules/providers/headless/headless.ts'
import { Conductor } from '../../src/modules/runs/conduct/conduct.ts'
import type { ConductDeps } from '../../src/modules/runs/conduct/conducted.ts'
import { EXIT_SECONDS, FIRST_EVENT_SECONDS } from '../../src/modules/runs/conduct/deadlines.ts'
import { LiveRun } from '../../src/modules/runs/conduct/follow.ts'
import { Meter } from '../../src/modules/runs/ledger/meter.ts'
import { Masking } from '../../src/modules/runs/output/masking.ts'
import { RunReader } from '../../src/modules/runs/output/reader.ts'
import type { StoredRunEnd } from '../../src/modules/runs/stored-end.ts'
import { readTranscript, TranscriptWriter } from '../../src/modules/runs/transcript/file.ts'
import type { Ending } from '../../src/modules/sessions/ending.ts'
import type { OpenProgram } from '../../src/modules/sessions/programs.ts'
import { newProgram } from '../support/runs/held-program.ts'
import { NO_GATE } from '../support/runs/no-gate.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
const TIMEOUT_SECONDS = 300
/** Fake time that passes between two looks whether the run is over, in milliseconds. */
const STEP_MS = SECOND_MS

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-one-end-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

/** Each line is a text. The line `over` ends the turn, and `limit` meets a usage limit whose end is known. */
const newReading = (): Reading => {
  let last = ''
  const failure = { reason: 'usage_limit', message: 'Later.', status: 429, resetsAt: 2_000 } as const
  return {
    line: (text) => {
      last = text
      return [{ type: 'text', text }]
    },
    verdict: () => ({
      ...{ sessionId: null, result: last, isOver: last === 'over', hasWorked: last !== '', usage: [], costUsd: null },
      failure: last === 'limit' ? failure : null,
    }),
  }
}

const UNCHANGED = { changesDetected: null, filesChanged: null, insertions: null, deletions: null, startTree: null }

/** What the database does with an end: it takes it, fails once before that, or has one of another server. */
type Database = 'takes' | 'fails' | 'has another'

let count = 0
const begin = async (database: Database) => {
  const id = `${ID.slice(0, -6)}${String((count += 1)).padStart(6, '0')}`
  const fake = newProgram()
  /** What happened, in order. */
  const log: string[] = []
  const ends: StoredRunEnd[] = []
  const loss = Promise.withResolvers<Ending>()
  let exhaust: (message: string) => void = () => undefined
  let stall: () => void = () => undefined
  let hasFailed = false
  const store = (): boolean => {
    if (database === 'fails' && !hasFailed) {
      hasFailed = true
      throw new Error('the database is away')
    }
    return database !== 'has another'
  }
  const repository = {
    named: () => Promise.resolve(),
    extended: () => Promise.resolve(),
    isTaken: () => Promise.resolve(false),
    end: async () => Promise.resolve(store()),
  }
  const deps: ConductDeps = {
    programs: { over: () => undefined, release: () => void log.push('place freed') },
    records: { ended: () => void log.push('session ended'), letGo: () => void log.push('session let go') },
    repository,
    line: { wait: async () => Promise.resolve(store()) },
    questions: new ProgramQuestions(() => undefined),
    stalls: {
      watch: ({ over }) => {
        stall = () => over({ kind: 'stalled', seconds: 900 })
        return { heard: () => undefined, leave: () => true }
      },
    },
    lives: { over: () => live.over() },
    clock: { now: () => 1_000 },
    log: silentLog,
    metrics: { firstEvent: () => undefined, used: () => undefined },
    ended: (_run, end) => void ends.push(end),
    waits: () => void log.push('waits'),
    ...NO_GATE,
  }
  const live = new LiveRun(id)
  const spending = {
    watch: (_run: unknown, end: (message: string) => void) => {
      exhaust = end
      return { spent: () => undefined, leave: () => void log.push('meter left') }
    },
  }
  const conductor = new Conductor(deps, {
    open: { row: { id: 'agent' }, ended: loss.promise, leader: null } as unknown as OpenProgram,
    held: { id, generation: 1 },
    program: fake.program,
    reader: RunReader.new({ newReading, masking: new Masking() }),
    writer: await TranscriptWriter.begin(folder, id, { generation: 1, after: null }),
    live,
    changes: {
      diff: () => Promise.reject(new Error('nobody asks')),
      collect: () => Promise.resolve(UNCHANGED),
      collectLate: () => Promise.resolve(),
      leave: () => Promise.resolve(),
    },
    provider: 'claude-code',
    model: null,
    names: { provider: 'Claude Code', agent: 'atlas' },
    timeoutSeconds: TIMEOUT_SECONDS,
    meter: new Meter(spending, { id, userId: 'user', model: null, maxTurns: null, maxBudgetUsd: null, spentUsd: 0 }),
    waitsForLimit: true,
    people: null,
    gate: null,
    wait: { keep: () => Promise.resolve() },
    ...{ ranMs: 0, hasEnded: false, isQuiet: false, answersInterrupt: true },
  })
  return {
    ...fake,
    id,
    conductor,
    log,
    ends,
    loses: loss.resolve,
    exhaust: () => exhaust('Used up.'),
    stall: () => stall(),
  }
}
type Run = Awaited<ReturnType<typeof begin>>

const pass = async (seconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(seconds * SECOND_MS)
}
/** What may happen to a run, and the reasons with which it may end it. */
const ACTS: Readonly<Record<string, readonly [act: (run: Run) => unknown, ...reasons: RunReason[]]>> = {
  'it prints a line': [(run) => run.prints('one\n')],
  'it prints half a line': [(run) => run.prints('half')],
  'it prints its last answer': [(run) => run.prints('over\n'), 'finished_without_exit'],
  'it meets a usage limit': [(run) => run.prints('limit\n'), 'usage_limit'],
  'it exits': [(run) => run.exits(0), 'completed', 'finished_without_work'],
  'it fails': [(run) => run.exits(3), 'exit_code'],
  'its container stops': [(run) => run.exits(null, 'container_stopped'), 'container_stopped'],
  'the engine is lost': [(run) => run.exits(null, 'engine_unavailable')],
  'a user ends it': [(run) => run.conductor.terminate('ann@example.org'), 'terminated'],
  'its user loses the right': [
    (run) => run.loses({ reason: 'access_revoked', message: 'Not shared.', code: 4003 }),
    'access_revoked',
  ],
  'a budget is used up': [(run) => run.exhaust(), 'budget_exhausted'],
  'it stalls': [(run) => run.stall(), 'stalled'],
  'the server stops': [(run) => void run.conductor.letGo()],
  'some time passes': [() => pass(EXIT_SECONDS), 'no_first_event'],
  'more time passes': [() => pass(FIRST_EVENT_SECONDS), 'no_first_event', 'timed_out'],
  'all of its time passes': [() => pass(TIMEOUT_SECONDS), 'no_first_event', 'timed_out'],
  'the server has a moment': [() => turn()],
}
const NAMES = Object.keys(ACTS)

const times = (log: readonly string[], what: string): number => log.filter((one) => one === what).length

it('a run has exactly one end, whatever happens to it in whatever order', async () => {
  const order = fc.array(fc.constantFrom(...NAMES), { maxLength: 8 })
  const database = fc.constantFrom<Database>('takes', 'takes', 'fails', 'has another')
  await fc.assert(
    fc.asyncProperty(order, database, async (names, stores) => {
      const run = await begin(stores)
      let isOver = false
      void run.conductor.done.then(() => (isOver = true))
      for (const name of names) await ACTS[name]?.[0](run)
      run.exits(0)
      while (!isOver) {
        await vi.advanceTimersByTimeAsync(STEP_MS)
        await turn()
      }

      const isLeft = run.done.includes('released')
      const waits = times(run.log, 'waits')
      // It was left to another server, waits for a limit, has another end, or has this one.
      const isElsewhere = isLeft || waits > 0 || stores === 'has another'
      // A server that stops does not wait for its database, and the next one finds what ended.
      const isInDoubt = stores === 'fails' && names.includes('the server stops')
      expect(run.ends.length + waits).toBeLessThanOrEqual(1)
      if (!isElsewhere && !isInDoubt) expect(run.ends).toHaveLength(1)
      if (isElsewhere) expect(run.ends).toEqual([])
      // Its program is collected, or goes on for the next server.
      expect(run.done.includes('hung up')).toBe(!isLeft)
      expect(times(run.log, 'place freed')).toBe(1)
      expect(times(run.log, 'meter left')).toBe(1)
      expect(times(run.log, 'session ended')).toBeLessThanOrEqual(isLeft ? 0 : 1)

      const [end] = run.ends
      const possible = [...names, 'it exits'].flatMap((name) => ACTS[name]?.slice(1) ?? [])
      if (end) expect(possible).toContain(end.reason)
      const seqs: number[] = []
      for await (const { entry } of readTranscript(folder, run.id)) seqs.push(...entry.events.map(({ seq }) => seq))
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      expect(end?.lastSeq ?? 0).toBeLessThanOrEqual(seqs.length)
    }),
    { numRuns: 100 },
  )
})
