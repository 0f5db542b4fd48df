import { randomUUID } from 'node:crypto'
import type { RunState } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { aCaller } from '../../../../test/support/people/callers.ts'
import type { NewRun } from '../new-run.ts'
import type { StarterDeps } from './starter-deps.ts'
import { RunStarter } from './starter.ts'

/** Starts a run that may wait in an agent that stops meanwhile. `meanwhile` gets the row of the run. */
const startLate = async (meanwhile: (row: { state: RunState }) => void) => {
  const id = randomUUID()
  const caller = aCaller()
  const row = { id: 'agent', name: 'a', ownerEmail: null }
  const run = { id, sessionId: id, userId: caller.userId, provider: 'claude-code', queue: true }
  const rows = new Map<string, NewRun & { state: RunState }>()
  const audited: unknown[] = []
  const open = { ending: () => null, personal: false }
  const deps = {
    planner: { plan: () => Promise.resolve({ found: { caller, row, relation: 'owner' }, run, options: {} }) },
    programs: { arrive: () => undefined, admit: () => open, release: () => undefined },
    line: { countQueued: () => Promise.resolve(0), heldBesides: () => Promise.resolve([]) },
    spending: { require: () => Promise.resolve() },
    leases: { forRun: (_run: unknown, _resume: unknown, store: () => Promise<void>) => store() },
    repository: {
      byId: (one: string) => Promise.resolve(rows.get(one) ?? null),
      create: async (one: NewRun, state: RunState, record?: (tx: unknown) => Promise<void>) => {
        if (rows.has(one.id)) throw new Error('there is such a run')
        await record?.({ $executeRaw: () => Promise.resolve(1), codingRun: { count: () => Promise.resolve(0) } })
        rows.set(one.id, { ...one, state })
        return true
      },
      forget: (one: string) => {
        if (rows.get(one)?.state === 'starting') rows.delete(one)
        return Promise.resolve()
      },
    },
    agents: {
      snapshot: () => {
        meanwhile(rows.get(id)!)
        return { runningId: null, reason: null }
      },
    },
    places: { look: () => undefined },
    audit: { record: (_tx: unknown, entry: unknown) => Promise.resolve(void audited.push(entry)) },
  }
  const starter = new RunStarter(deps as unknown as StarterDeps)
  await starter.start(caller, { prompt: 'hi' }, id, () => Promise.reject(new Error('no run')))
  return { id, row: rows.get(id), audited }
}

it('a run that a user ends while it starts does not go into the line', async () => {
  const { row, audited } = await startLate((row) => (row.state = 'terminated'))
  expect([row?.state, audited]).toEqual(['terminated', []])
})

it('a run that could not start goes into the line, with another session than the one that may be recorded', async () => {
  const { id, row, audited } = await startLate(() => undefined)
  expect(row).toMatchObject({ id, state: 'queued' })
  expect(row?.sessionId).not.toBe(id)
  expect(audited).toMatchObject([{ action: 'task.queued', detail: { sessionId: id } }])
})
