import { randomUUID } from 'node:crypto'
import type { RunState } from '@slipway/protocol'
import { describe, expect, it, vi } from 'vitest'
import { aCaller } from '../../../test/support/people/callers.ts'
import { actorOf } from '../identity/caller.ts'
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
        repository: { find: () => Promise.resolve(run), byId: () => Promise.resolve(run) },
        line: { end },
        left: { terminate: end },
        holder: { conductorOf: () => held },
        lives: { find: () => ({ personal: false }) },
        folder: '/nonexistent',
        audit: { recordNow: () => Promise.resolve(done.push('recorded')) },
        agentRows: { byId: () => Promise.resolve({ id: 'agent', ownerId: caller.userId, sharedWith: [] }) },
      }
      await new RunService(deps as unknown as RunDeps).terminate(caller, id)
      expect(done.slice(0, 3)).toEqual(['recorded', 'row ended', `terminated by ${caller.email}`])
    },
  )

  it('ends one whose process has ended meanwhile as it is now, and reads nothing of that process again', async () => {
    const id = randomUUID()
    const run = {
      id,
      provider: 'claude-code',
      agentId: 'agent',
      userId: caller.userId,
      state: 'running',
      endedAt: null,
    }
    const waiting = { ...run, state: 'waiting', lastSeq: 3 }
    let row = run
    const end = vi.fn(() => Promise.resolve(true))
    const terminate = vi.fn(() => Promise.resolve(true))
    const deps = {
      repository: {
        find: () => Promise.resolve({ ...run, prompt: 'hi', createdAt: new Date() }),
        byId: () => Promise.resolve(row),
      },
      line: { end },
      left: { terminate },
      holder: { conductorOf: () => null },
      lives: { find: () => ({ personal: false }) },
      agentRows: { byId: () => Promise.resolve({ id: 'agent', ownerId: caller.userId, sharedWith: [] }) },
      audit: { recordNow: () => Promise.resolve((row = waiting)) },
    }
    await new RunService(deps as unknown as RunDeps).terminate(caller, id)
    const any: unknown = expect.anything()
    expect(end).toHaveBeenCalledExactlyOnceWith(waiting, any, any, any)
    expect(terminate).not.toHaveBeenCalled()
  })

  it('is recorded before a program that runs is ended, and ends nothing if that is refused', async () => {
    const id = randomUUID()
    const run = { id, provider: 'claude-code', agentId: 'agent', userId: 'another', state: 'running', endedAt: null }
    const agent = { id: 'agent', name: 'wanted', ownerId: caller.userId, ownerEmail: caller.email, sharedWith: [] }
    const terminate = vi.fn()
    const recordNow = vi.fn<RunDeps['audit']['recordNow']>().mockRejectedValueOnce(new Error('refused'))
    const deps = {
      repository: {
        find: () => Promise.resolve({ ...run, prompt: 'hi', createdAt: new Date() }),
        byId: () => Promise.resolve(run),
      },
      holder: { conductorOf: () => ({ terminate, done: new Promise(() => undefined), run: { live: { lastSeq: 0 } } }) },
      lives: { find: () => ({ personal: false }) },
      agentRows: { byId: () => Promise.resolve(agent) },
      audit: { recordNow },
    }
    const service = new RunService(deps as unknown as RunDeps)
    await expect(service.terminate(caller, id)).rejects.toThrow('refused')
    expect(terminate).not.toHaveBeenCalled()
    await service.terminate(caller, id)
    expect(terminate).toHaveBeenCalledWith(caller.email)
    expect(recordNow).toHaveBeenLastCalledWith({
      actor: actorOf(caller),
      action: 'task.terminated',
      target: { id: 'agent', name: 'wanted' },
      detail: { owner: caller.email, taskId: id },
    })
  })
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
