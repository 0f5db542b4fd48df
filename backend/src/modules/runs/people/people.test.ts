import { expect, it } from 'vitest'
import { Signal } from '../../../lib/emitter.ts'
import type { DialogRow } from '../../dialogs/repository.ts'
import type { Ask } from '../../providers/headless/headless.ts'
import type { AskingRun } from './asking-run.ts'
import { type PeopleDeps, RunPeople } from './people.ts'
import { RunWait, type WaitDeps } from './wait.ts'

const ASK: Ask = {
  ...{ id: '0', title: 'A CLI wants to use Bash', message: null, printed: {} },
  question: { kind: 'approval', tool: 'Bash', command: 'ls', path: null, input: {}, why: null, editable: false },
}

const setUp = () => {
  const closed = new Signal<DialogRow>()
  const done: string[] = []
  const rows: DialogRow[] = []
  const deps = {
    dialogs: {
      service: { open: () => Promise.resolve(void done.push('opened')), withdraw: () => Promise.resolve() },
      repository: { ofRun: () => Promise.resolve(rows), sent: () => Promise.resolve(void done.push('sent')) },
      rules: { inForce: () => Promise.resolve([]) },
      closed,
    },
    clock: { now: () => 0 },
  } as unknown as PeopleDeps
  const waiting = {
    repository: {
      asks: (_held: unknown, isWaiting: boolean) => {
        done.push(`waits ${isWaiting}`)
        return Promise.resolve(true)
      },
    },
    clock: { now: () => 0 },
    waits: () => undefined,
  } as unknown as WaitDeps
  const run = {
    held: { id: 'run', generation: 1 },
    input: { write: () => void done.push('written') },
    reply: () => 'an answer',
    ...{ steering: () => null, untaken: (id: string) => void done.push(`untaken ${id}`) },
    ...{ policy: 'ask', folder: '/home/developer', about: () => ({}), add: () => undefined },
  } as unknown as AskingRun
  const wait: RunWait = new RunWait(waiting, run.held, () => people.isUnanswered, false)
  const people: RunPeople = new RunPeople(deps, run, wait)
  people.whenAnswered(() => void done.push(`asked ${people.isAsked}`))
  const answered = { id: 'dialog', runId: 'run', requestId: '0', state: 'answered', answer: { decision: 'allow' } }
  const row = answered as unknown as DialogRow
  return { people, closed, done, rows, row, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

it('a run does not wait any more once it was answered, even if its CLI shows that much later', async () => {
  const { people, closed, done, row, settled } = setUp()
  people.update([ASK])
  expect(people.isAsked).toBe(true)
  await settled()
  closed.emit(row)
  await settled()
  expect(done).toEqual(['opened', 'waits true', 'sent', 'written', 'asked false', 'waits false'])
})

it('an answer is given again to a CLI that still asks after a restart, and then the run waits no more', async () => {
  const { people, done, rows, row, settled } = setUp()
  rows.push(row)
  people.update([ASK])
  await settled()
  expect(done).toEqual(['opened', 'waits true', 'sent', 'written', 'asked false', 'waits false'])
})

it('a message that its CLI has refused is told of once by a server', () => {
  const { people, done } = setUp()
  people.refused(['first'])
  people.refused(['first'])
  people.refused(['first', 'second'])
  expect(done).toEqual(['untaken first', 'untaken second'])
})
