import { randomUUID } from 'node:crypto'
import type { RunState } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { aCaller } from '../../../test/support/people/callers.ts'
import { LiveRuns } from './live-runs.ts'
import { type RunDeps, RunService } from './service.ts'

const caller = aCaller()

describe('a user who ends a run', () => {
  it.each<RunState>(['queued', 'starting'])(
    'ends the program, too, that starts while the row is being ended: %s',
    async (state) => {
      const id = randomUUID()
      const done: string[] = []
      const conductor = {
        terminate: (by: string) => done.push(`terminated by ${by}`),
        done: Promise.resolve(),
        run: { live: { lastSeq: 0 } },
      }
      let held: typeof conductor | null = null
      /** Its program starts now, and reads the row as one that has not ended. */
      const end = (): Promise<boolean> => {
        held = conductor
        done.push('row ended')
        return Promise.resolve(true)
      }
      const createdAt = new Date()
      const run = {
        id,
        provider: 'claude-code',
        agentId: 'agent',
        userId: caller.userId,
        state,
        prompt: 'hi',
        createdAt,
        endedAt: null,
      }
      const deps = {
        repository: { find: () => Promise.resolve(run), byId: () => Promise.resolve(run), endLeft: end },
        line: { end },
        holder: { conductorOf: () => held },
        lives: { find: () => ({ personal: false }) },
        agentRows: { byId: () => Promise.resolve({ id: 'agent', ownerId: caller.userId, sharedWith: [] }) },
      }
      await new RunService(deps as unknown as RunDeps).terminate(caller, id)
      expect(done.slice(0, 2)).toEqual(['row ended', `terminated by ${caller.email}`])
    },
  )
})

it('a run that ends while it is looked up is answered as one that has ended', async () => {
  const id = randomUUID()
  const run = { id, agentId: 'agent', userId: caller.userId, state: 'running', endedAt: null }
  const ended = { ...run, state: 'completed', endedAt: new Date() }
  const rows = [run, ended]
  const lives = new LiveRuns()
  const deps = {
    repository: { find: () => Promise.resolve(rows.shift()), byId: () => Promise.resolve(ended) },
    lives,
    agentRows: { byId: () => Promise.resolve({ id: 'agent', ownerId: caller.userId, sharedWith: [] }) },
  }
  const found = await new RunService(deps as unknown as RunDeps).require(caller, id, 'task.view')
  expect(found).toMatchObject({ run: { state: 'completed' }, live: null })
  expect(lives.find(id)).toBeNull()
})
