import { expect, it } from 'vitest'
import { type LeftRun, type LeftRunDeps, LeftRuns } from './left-runs.ts'

const run = (id: string, agentId: string | null = 'agent'): LeftRun => ({ id, agentId, personal: false })

it('ends the runs without a session, and leaves alone those that this backend holds', async () => {
  const ended: (readonly [string, string])[] = []
  const asked: Date[] = []
  const deps = {
    repository: {
      orphans: (before: Date) => {
        asked.push(before)
        return Promise.resolve([run('left'), run('held'), run('of a deleted agent', null), run('ended meanwhile')])
      },
      endLeft: (id: string) => Promise.resolve(id !== 'ended meanwhile'),
    },
    holder: { conductorOf: (id: string) => (id === 'held' ? {} : null) },
    ended: ({ id }: LeftRun, { reason }: { readonly reason: string }) => ended.push([id, reason]),
  }
  await new LeftRuns(deps as unknown as LeftRunDeps).sweep(new Date(1000))
  expect(ended).toEqual([
    ['left', 'lost'],
    ['of a deleted agent', 'agent_deleted'],
  ])
  expect(asked).toEqual([new Date(1000)])
})
