import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { expect, it, onTestFinished } from 'vitest'
import { RESULT } from '../../../test/support/headless/claude.ts'
import { keeping } from './changes/program.ts'
import type { Holding } from './conduct/holder.ts'
import { silentLog } from '../../lib/log.ts'
import { type LeftRun, type LeftRunDeps, LeftRuns } from './left-runs.ts'
import { LiveRuns } from './live-runs.ts'
import type { Collected } from './stored-end.ts'
import type { Entry } from './transcript/entry.ts'
import { TranscriptWriter } from './transcript/file.ts'

const run = (id: string, agentId: string | null = 'agent'): LeftRun => ({
  ...{ id, agentId, provider: 'claude-code', personal: false },
})

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
    folder: '/nonexistent',
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
    changed: (held: unknown, collected: Collected) => Promise.resolve(void changed.push([held, collected])),
  }
  const left = new LeftRuns({
    runtime,
    repository,
    board: { get: () => ({ runningId: 'container', container: { startedAt: STARTED } }) },
    records: { ended: () => undefined },
    freed: () => undefined,
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

/** A run whose first process waited for a usage limit after one event, and what the transcript has of it. */
const SECOND = {
  ...{ ...run(ID), agentName: 'atlas', userId: 'user', provider: 'claude-code', displayName: null, outputFormat: null },
  ...{ mode: 'auto', policy: null, prompt: 'hi', model: null, cwd: '/home/developer', cliSessionId: ID, resumed: ID },
  ...{ state: 'running', sessionId: ID, generation: 2, lastSeq: 1, endedAt: null, startTree: null, reason: null },
  ...{ gateRepairs: null, repairs: 0, repairPrompt: null, workedMs: 0, askedMs: 0, asksSince: null, spentUsd: 1 },
}
const said = (line: object, seq: number): Entry => ({
  ...{ at: 1000, raw: JSON.stringify(line), isCut: false, from: 'stdout', offsets: { stdout: 100, stderr: 0 } },
  events: [{ seq, at: '2026-11-25T12:00:00.000Z', type: 'text', text: 'Done.' }],
})

it('the output of a process is read from its first byte if the server was killed before it had stored any', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-left-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const writer = await TranscriptWriter.begin(folder, ID, { generation: 1, after: null })
  await writer.append([said(RESULT, 1)])
  await writer.close()
  const asked: unknown[] = []
  const held: Holding[] = []
  const left = new LeftRuns({
    runtime: {
      held: () => Promise.resolve([ID]),
      attach: (_containerId: string, _session: string, from: unknown) => {
        asked.push(from)
        return Promise.resolve({ program: { leader: 'leader' }, size: null, hasEnded: false })
      },
    },
    repository: {
      bySession: () => Promise.resolve(SECOND),
      takeOver: () => Promise.resolve(3),
      totalsBefore: () => Promise.resolve([]),
      running: () => Promise.resolve(true),
    },
    board: { get: () => ({ runningId: 'container', container: null }) },
    programs: { arrive: () => [], adopt: () => ({}) },
    mayStill: () => Promise.resolve({ row: { id: 'agent' } }),
    lives: new LiveRuns(),
    holder: { hold: (holding: Holding) => Promise.resolve(held.push(holding)) },
    changes: {},
    folder,
    clock: { now: () => 2000 },
    log: silentLog,
  } as unknown as LeftRunDeps)
  const session = { id: ID, agentId: 'agent', userId: 'user', startedAt: STARTED, leader: 'leader', personal: false }
  const decide = left.decider()
  expect(await decide(session as unknown as Parameters<typeof decide>[0], 'server_killed')).toBe(true)
  expect(asked).toEqual([{ stdout: 0, stderr: 0 }])
  expect(held[0]?.reader.verdict.isOver).toBe(false)
  expect(held[0]?.begins?.events).toMatchObject([{ seq: 2, type: 'status', status: 'resumed' }])
})
