import { until } from '@slipway/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { AppError } from '../../../lib/errors.ts'
import { silentLog } from '../../../lib/log.ts'
import type { RunRow } from '../repository.ts'
import { type LineDeps, RunLine } from './line.ts'

const USER = 'user'
const AGENT = 'agent'
const NOW = 1_000_000

const opened: RunLine[] = []
afterEach(() => {
  for (const line of opened.splice(0)) line.stop()
})

/** A line of these runs, and what it plans and begins. Each start fails with what `failure` answers. */
const newLine = (
  ids: readonly string[],
  { places = 1, failure }: { places?: number; failure: (id: string) => Error | null },
) => {
  const of = { userId: USER, agentId: AGENT, via: 'user', viaId: USER, endedAt: null }
  const rows = new Map(ids.map((id) => [id, { ...of, id, state: 'queued', generation: 1 }]))
  const planned: string[][] = []
  const held = new Set<string>()
  const ended: string[] = []
  const putBack = vi.fn(() => Promise.resolve(true))
  let step: (id: string) => Promise<void> = () => Promise.resolve()
  const deps = {
    jobs: {
      handle: (_kind: string, one: typeof step) => (step = one),
      plan: (_kind: string, ids: string[]) => Promise.resolve(void planned.push(ids)),
    },
    repository: {
      byId: (id: string) => Promise.resolve(rows.get(id) ?? null),
      endLeft: (id: string) => Promise.resolve(ended.push(id) > 0),
    },
    line: {
      async *due() {
        for (const row of rows.values()) yield row
      },
      heldBesides: () => Promise.resolve([]),
      putBack,
    },
    programs: {
      arrive: () => [],
      refusal: (_user: string, _agent: string, others: readonly unknown[]) =>
        others.length < places ? null : new AppError('TOO_MANY_TASKS', 'full'),
    },
    planner: { again: () => Promise.resolve({}) },
    starter: {
      startWaiting: (_plan: unknown, run: RunRow) => {
        const error = failure(run.id)
        if (error) return Promise.reject(error)
        rows.delete(run.id)
        return Promise.resolve(true)
      },
    },
    running: () => [AGENT],
    isHeld: (id: string) => held.has(id),
    mayStill: () => Promise.resolve({ row: { id: AGENT, name: 'atlas' } }),
    started: () => undefined,
    ended: () => undefined,
    folder: '/nonexistent',
    audit: { recordNow: () => Promise.resolve() },
    clock: { now: () => NOW },
    log: silentLog,
  }
  const line = new RunLine(deps as unknown as LineDeps)
  opened.push(line)
  const look = async (): Promise<string[]> => {
    const before = planned.length
    line.look()
    await until('the look', () => planned.length > before)
    return planned.at(-1) ?? []
  }
  line.start()
  return { rows, held, ended, putBack, look, step: (id: string) => step(id) }
}

const inUse = (): AppError => new AppError('SESSION_IN_USE', 'in use')

it('gives the free places to the first ones', async () => {
  const { look } = newLine(['a', 'b', 'c'], { places: 2, failure: () => null })
  expect(await look()).toEqual(['a', 'b'])
})

it('starts others meanwhile if the conversation of the first one is in use, and goes on trying it', async () => {
  const { look, step } = newLine(['a', 'b', 'c'], { failure: (id) => (id === 'a' ? inUse() : null) })
  expect(await look()).toEqual(['a'])
  await step('a')
  expect(await look()).toEqual(['a', 'b'])
  expect(await look()).toEqual(['a', 'b'])
})

it.each(['DISK_FULL', 'WORKTREE_IN_USE'] as const)('puts a run back with a growing pause after %s', async (code) => {
  const { rows, ended, putBack, step } = newLine(['a'], { failure: () => new AppError(code, 'not now') })
  for (const generation of [1, 2, 15]) {
    Object.assign(rows.get('a') ?? {}, { state: 'starting', generation })
    // It was in line when the step began.
    vi.spyOn(rows, 'get').mockReturnValueOnce({ ...rows.get('a')!, state: 'queued' })
    await step('a')
  }
  const pauses = putBack.mock.calls.map((call: unknown[]) => {
    const { notBefore } = call[1] as { readonly notBefore: Date }
    return notBefore.getTime() - NOW
  })
  expect([pauses, ended]).toEqual([[2_000, 4_000, 600_000], []])
})

it('ends a run whose start failed for a reason that stays', async () => {
  const { ended, step } = newLine(['a'], { failure: () => new AppError('CLI_NOT_INSTALLED', 'no CLI') })
  await step('a')
  expect(ended).toEqual(['a'])
})

it('a run does not continue while its last process is still being ended', async () => {
  const { rows, held, step } = newLine(['a'], { failure: () => null })
  held.add('a')
  await step('a')
  expect(rows.size).toBe(1)
  held.clear()
  await step('a')
  expect(rows.size).toBe(0)
})
