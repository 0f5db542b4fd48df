import type { RunEvent, RunPolicy } from '@slipway/protocol'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newProgram } from '../../../../test/support/runs/held-program.ts'
import { NO_GATE } from '../../../../test/support/runs/no-gate.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import type { DialogRow } from '../../dialogs/repository.ts'
import type { Reading } from '../../providers/headless/headless.ts'
import { NOTHING_SAID } from '../../providers/headless/parts/verdict.ts'
import { LiveRun } from './follow.ts'
import { type HolderDeps, type Holding, RunHolder, type Untaken } from './holder.ts'
import { ProgramQuestions } from '../people/program-questions.ts'
import { Told } from '../people/told.ts'
import { Masking } from '../output/masking.ts'
import { RunReader } from '../output/reader.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
const LIMITS = { maxTurns: null, maxBudgetUsd: null, spentUsd: 9.5 }
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-holder-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const reading = (): Reading => ({ line: () => [], verdict: () => NOTHING_SAID })

/** A holder, what it says of the ends of its runs, and a way to give it a process of the run. */
const newHolder = (more: Partial<HolderDeps['repository']> = {}, rows: DialogRow[] = []) => {
  const left: number[] = []
  const working: boolean[] = []
  const watched: number[] = []
  const questions = new ProgramQuestions(() => undefined)
  const untaken = new Signal<Untaken>()
  const holder = new RunHolder({
    programs: { over: () => undefined, release: () => undefined },
    records: { ended: () => undefined, letGo: () => undefined },
    repository: {
      end: () => Promise.resolve(true),
      named: () => Promise.resolve(),
      extended: () => Promise.resolve(),
      isTaken: () => Promise.resolve(false),
      endings: () => Promise.resolve(new Map()),
      asks: () => Promise.resolve(true),
      ...more,
    },
    line: { wait: () => Promise.resolve(false) },
    lives: { over: () => undefined },
    clock: { now: () => 1000 },
    log: silentLog,
    metrics: { firstEvent: () => undefined, used: () => undefined },
    questions,
    untaken,
    stalls: { watch: () => ({ heard: () => undefined, leave: () => true }) },
    spending: {
      watch: ({ spentUsd }) => {
        watched.push(spentUsd)
        return { spent: (costUsd) => watched.push(costUsd), leave: () => undefined }
      },
    },
    provisioner: { taskSecrets: () => Promise.resolve([]) },
    ended: () => undefined,
    waits: () => undefined,
    ...NO_GATE,
    left: ({ generation }) => left.push(generation),
    folder,
    dialogs: {
      rules: { inForce: () => Promise.resolve([]) },
      service: { open: () => Promise.resolve(), withdraw: () => Promise.resolve() },
      repository: {
        ofRun: () => Promise.resolve([]),
        ofPrograms: () => Promise.resolve(rows),
        sent: () => Promise.resolve(true),
      },
      closed: new Signal(),
    },
    asking: () => undefined,
    working: (_open, isAtWork) => working.push(isAtWork),
  })
  const live = new LiveRun(ID)
  const hold = async (
    generation: number,
    program = newProgram().program,
    told = new Told(),
    { policy = null, newReading = reading }: { policy?: RunPolicy | null; newReading?: () => Reading } = {},
  ): Promise<void> => {
    const gone = () => Promise.resolve()
    await holder.hold({
      open: { row: { id: 'agent' }, caller: { userId: 'user' }, ended: new Promise(() => undefined), leader: null },
      held: { id: ID, generation },
      program,
      reader: RunReader.new({ newReading, masking: new Masking() }),
      after: null,
      live,
      changes: { collect: gone, collectLate: gone, leave: gone },
      run: { provider: 'claude-code', timeoutSeconds: 300, agentName: 'a', model: null, policy, ...LIMITS },
      begins: null,
      isAsking: false,
      ranMs: 0,
      hasEnded: false,
      told,
    } as unknown as Holding)
  }
  return { holder, left, hold, live, working, watched, questions, untaken }
}

it('the end of a process leaves alone the next process of its run', async () => {
  const { holder, left, hold } = newHolder()
  const first = newProgram()
  const hungUp = Promise.withResolvers<undefined>()
  await hold(1, Object.assign(first.program, { hangUp: () => hungUp.promise }))
  first.exits(0)
  await holder.conductorOf(ID)?.settled
  const second = newProgram()
  await hold(2, second.program)
  const conductor = holder.conductorOf(ID)
  hungUp.resolve(undefined)
  await until('the first process to be left', () => left.length > 0)
  expect(holder.conductorOf(ID)).toBe(conductor)
  second.exits(0)
  await until('the second process to be left', () => left.length > 1)
  expect([left, holder.conductorOf(ID)]).toEqual([[1, 2], null])
})

it('a run works while it is held, except while it waits for people', async () => {
  const { hold, left, working, questions } = newHolder()
  const { program, exits } = newProgram()
  await hold(1, program)
  expect(working).toEqual([true])
  questions.opened(ID, 'Deploy')
  await until('the run to wait', () => working.length === 2)
  questions.closed(ID, 'Deploy')
  await until('the run to go on', () => working.length === 3)
  exits(0)
  await until('its process to be left', () => left.length > 0)
  expect(working).toEqual([true, false, true, false])
})

it('a message that the CLI of a run has refused is told of as soon as the run is held', async () => {
  const { hold, left, untaken } = newHolder()
  const told: Untaken[] = []
  untaken.on((message) => told.push(message))
  const { program, exits } = newProgram()
  await hold(1, Object.assign(program, { onDrain: () => undefined, endInput: () => undefined }), new Told(), {
    policy: 'ask',
    newReading: () => ({ ...reading(), untaken: () => ['first'] }),
  })
  expect(told).toEqual([{ runId: ID, messageId: 'first' }])
  exits(0)
  await until('its process to be left', () => left.length > 0)
})

it('the cost of the earlier processes of a run counts as soon as the next one is held', async () => {
  const { hold, left, watched } = newHolder()
  const { program, exits } = newProgram()
  await hold(2, program)
  expect(watched).toEqual([9.5, 9.5])
  exits(0)
  await until('its process to be left', () => left.length > 0)
})

it('a run that a user ended before its process was known here does not go on', async () => {
  const endedAt = new Date()
  const { hold, left } = newHolder({
    end: () => Promise.resolve(false),
    endings: () => Promise.resolve(new Map([[ID, { endedAt, generation: 1 }]])),
  })
  const { program, done, exits } = newProgram()
  const signal = (name: string): Promise<void> => Promise.resolve(exits(null)).then(() => void done.push(name))
  await hold(1, Object.assign(program, { signal }))
  await until('its process to be left', () => left.length > 0)
  expect(done).toEqual(expect.arrayContaining(['INT', 'hung up']))
})

it('what programs asked, and people answered, while no server followed a run is added to its events once', async () => {
  const row = (askId: string, opened: number, closed: number | null): DialogRow =>
    ({
      ...{
        askId,
        title: `${askId}?`,
        openedAt: new Date(opened),
        closedBy: closed === null ? null : 'ann@example.org',
      },
      ...{ state: closed === null ? 'open' : 'answered', closedAt: closed === null ? null : new Date(closed) },
    }) as DialogRow
  const rows = [row('Deploy', 3, null), row('Delete', 2, 5), row('Old', 1, 4)]
  const { holder, hold, live, left } = newHolder({}, rows)
  const told = new Told()
  // The transcript has them from before.
  told.isNew({ type: 'question', requestId: 'Old', callId: null, title: 'Old?' })
  told.isNew({ type: 'answer', requestId: 'Old', decision: 'answer', text: 'Answered.', by: 'ann@example.org' })
  const events: RunEvent[] = []
  live.on((entries) => events.push(...entries.flatMap((entry) => entry.events)))
  const { program, exits } = newProgram()
  await hold(2, program, told)
  await until('what was missed', () => events.length === 3)
  // The answer of one that it knows now, and a question that it knows already.
  const answer = {
    type: 'answer',
    requestId: 'Deploy',
    decision: 'answer',
    text: 'Answered.',
    by: 'ben@example.org',
  } as const
  holder.add(ID, { type: 'question', requestId: 'Deploy', callId: null, title: 'Deploy?' })
  holder.add(ID, answer)
  holder.add(ID, answer)
  holder.add(ID, { type: 'status', status: 'notice', message: 'Done.' })
  await until('the rest', () => events.some(({ type }) => type === 'status'))
  expect(events.map((event) => [event.type, 'requestId' in event ? event.requestId : null])).toEqual([
    ['question', 'Delete'],
    ['question', 'Deploy'],
    ['answer', 'Delete'],
    ['answer', 'Deploy'],
    ['status', null],
  ])
  exits(0)
  await until('its process to be left', () => left.length > 0)
})
