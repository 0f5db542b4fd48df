import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { keeping } from './changes/program.ts'
import { silentLog } from '../../lib/log.ts'
import { type LeftRun, type LeftRunDeps, LeftRuns } from './left-runs.ts'
import type { Collected } from './stored-end.ts'

const run = (id: string, agentId: string | null = 'agent'): LeftRun => ({ id, agentId, personal: false })

it('ends the runs without a session, and leaves alone those that this backend holds', async () => {
  const ended: (readonly [string, string])[] = []
  const asked: Date[] = []
  const deps = {
    repository: {
      orphans: (before: Date) => {
        asked.push(before)
        return Promise.resolve([
          run('left'),
          run('held'),
          run('of a deleted agent', null),
          run('from the line'),
          run('ended meanwhile'),
        ])
      },
      byId: () => Promise.resolve(null),
      endLeft: (id: string) => Promise.resolve(id !== 'ended meanwhile'),
    },
    line: { putBack: (one: LeftRun) => Promise.resolve(one.id === 'from the line') },
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

const ID = '0190a6e0-0000-7000-8000-000000000000'
const STARTED = new Date(1000)
const TREE = '1'.repeat(40)

it('a run whose end was stored just before its server was killed still gets its changes', async () => {
  const changed: [unknown, Collected][] = []
  const asked: string[][] = []
  const stdout = Buffer.from(`0\n0\n0\n0\n${TREE.length + 1}\n${TREE}\n`)
  const runtime = {
    held: () => Promise.resolve([]),
    run: (_containerId: string, { argv }: { argv: readonly string[] }) => {
      asked.push([...argv])
      return Promise.resolve({ exitCode: 0, stdout, stderr: Buffer.alloc(0) })
    },
  }
  const run = { id: ID, agentId: 'agent', userId: 'user', endedAt: new Date(), generation: 3, startTree: TREE }
  const repository = {
    bySession: () => Promise.resolve(run),
    book: () => Promise.resolve(),
    changed: (held: unknown, collected: Collected) => Promise.resolve(void changed.push([held, collected])),
  }
  const left = new LeftRuns({
    runtime,
    repository,
    board: { get: () => ({ runningId: 'container', container: { startedAt: STARTED } }) },
    records: { ended: () => undefined },
    agentRows: { byId: () => Promise.resolve({ id: 'agent' }) },
    provisioner: { taskSecrets: () => Promise.resolve([]) },
    changes: { runtime, repository, folder: '/nonexistent', log: silentLog },
    log: silentLog,
  } as unknown as LeftRunDeps)
  const session = { id: ID, agentId: 'agent', startedAt: STARTED, leader: null }
  const decide = left.decider()
  expect(await decide(session as unknown as Parameters<typeof decide>[0], 'server_killed')).toBe(true)
  await until('its changes', () => asked.length === 2)
  const counts = { changesDetected: false, filesChanged: 0, insertions: 0, deletions: 0 }
  expect(changed).toEqual([[run, { ...counts, startTree: null }]])
  expect(asked[0]).toContain(TREE)
  // The start is kept for a review.
  expect(asked[1]).toEqual(keeping(ID).argv)
})
