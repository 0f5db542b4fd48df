import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aCaller } from '../../../../test/support/people/callers.ts'
import type { Unshared } from '../../agents/news/signals.ts'
import type { AuditEntry } from '../../audit/audit.ts'
import { ShareeProcesses } from './sharee-processes.ts'

const [AGENT, OWNER, SHAREE] = ['agent', 'owner', 'sharee']
const [THEIRS, OWN] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
const AGAIN_MS = 1000
const HOUR_MS = 3_600_000
/** The doubled times between attempts that fail, twice over. */
const LONG_MS = 100 * AGAIN_MS

const left = (pid: number, terminalSession: string | null) => ({
  ...{ pid, ppid: 1, session: pid, startTicks: pid, terminalSession, startedAt: new Date() },
  ...{ cpuMs: 0, memoryBytes: 0, ignoresHangup: false, command: `program-${pid} secret` },
})
const running = (startedAt: Date) => ({
  state: 'running',
  reason: null,
  runningId: 'container',
  container: { startedAt },
})
const ENGINE_AWAY = { state: 'failed', reason: { code: 'engine_unavailable' }, runningId: null, container: null }

/** An agent whose share with a user was just revoked, and which runs what the user and the owner left there. */
const scene = () => {
  const row = { id: AGENT, name: 'atlas', ownerId: OWNER, ownerEmail: 'ann@example.org', sharedWith: [] as string[] }
  const state = {
    board: running(new Date(Date.now() - HOUR_MS)) as object,
    row: row as object | null,
    former: [] as { agentId: string; userId: string }[],
    fails: null as Error | null,
    processes: [left(10, THEIRS), left(11, OWN), left(12, null)],
    listings: 0,
  }
  const [acts, logged]: [AuditEntry[], object[]] = [[], []]
  const origins = new Map([THEIRS, OWN].map((id) => [id, { sessionId: id }]))
  const answer = async <T>(what: T): Promise<T> => {
    if (state.fails) throw state.fails
    return what
  }
  const parts = {
    runtime: {
      processes: () => {
        state.listings += 1
        return answer([...state.processes])
      },
      endProcess: (_container: string, pid: number) => {
        state.processes = state.processes.filter((one) => one.pid !== pid)
        return answer(true)
      },
    },
    agents: { snapshot: () => state.board },
    agentRows: { byId: async () => state.row },
    attended: () => [],
    recovered: async () => true,
    records: {
      origins: async () => origins,
      ofUser: async (_ids: string[], userId: string) => new Set(userId === SHAREE ? [THEIRS] : []),
      formerUsers: async () => state.former,
    },
    audit: { recordNow: async (...entries: AuditEntry[]) => void acts.push(...entries) },
    log: { error: (facts: object) => void logged.push(facts) },
    againEveryMs: AGAIN_MS,
  }
  const sharees = new ShareeProcesses(parts as unknown as ConstructorParameters<typeof ShareeProcesses>[0])
  const unshared = { row, userId: SHAREE, sharedAt: new Date(Date.now() - HOUR_MS), caller: aCaller() }
  const unshare = () => sharees.end(unshared as unknown as Unshared)
  const pids = () => state.processes.map(({ pid }) => pid)
  open.push(sharees)
  return { sharees, state, row, unshare, pids, acts, logged }
}
const open: ShareeProcesses[] = []

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  for (const sharees of open.splice(0)) sharees.stop()
  vi.useRealTimers()
})

describe('a revoked share', () => {
  it('ends what its user left running, once the engine answers again', async () => {
    const { sharees, state, unshare, pids, acts, logged } = scene()
    sharees.start()
    state.fails = new Error('the engine went away')
    await unshare()
    state.board = ENGINE_AWAY
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect([pids(), acts, logged.length]).toEqual([[10, 11, 12], [], 1])
    Object.assign(state, { fails: null, board: running(new Date(Date.now() - 2 * HOUR_MS)) })
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect(pids()).toEqual([11])
    expect(acts.map(({ actor, action, detail }) => [actor.email, action, detail?.['program']])).toEqual([
      ['caller@example.org', 'process.ended', 'program-10'],
      ['caller@example.org', 'process.ended', 'program-12'],
    ])
    // It is over.
    const { listings } = state
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect(state.listings).toBe(listings)
  })

  it('is not over while the engine is away, although no container seems to run', async () => {
    const { sharees, state, unshare, pids } = scene()
    sharees.start()
    const board = state.board
    state.board = ENGINE_AWAY
    await unshare()
    state.board = board
    await vi.advanceTimersByTimeAsync(AGAIN_MS)
    expect(pids()).toEqual([11])
  })

  it.each<[what: string, change: (state: ReturnType<typeof scene>['state']) => void]>([
    ['the agent was stopped', (state) => (state.board = { ...ENGINE_AWAY, state: 'stopped', reason: null })],
    ['its container was started anew', (state) => (state.board = running(new Date(Date.now() + HOUR_MS)))],
    ['the agent was deleted', (state) => (state.row = null)],
    ['the agent is shared with its user again', (state) => (state.row = { ...state.row, sharedWith: [SHAREE] })],
  ])('ends nothing more once %s', async (_what, change) => {
    const { sharees, state, unshare, pids } = scene()
    sharees.start()
    state.fails = new Error('the engine went away')
    await unshare()
    state.fails = null
    change(state)
    const { listings } = state
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect([pids(), state.listings]).toEqual([[10, 11, 12], listings])
  })

  it('asks a container that always fails less and less often', async () => {
    const { sharees, state, unshare } = scene()
    sharees.start()
    state.fails = new Error('the processes could not be listed')
    await unshare()
    await vi.advanceTimersByTimeAsync(1000 * AGAIN_MS)
    expect(state.listings).toBeGreaterThan(30)
    expect(state.listings).toBeLessThan(45)
  })
})

describe('a server that starts', () => {
  it('ends what users without a right left in known sessions, as the platform, and nothing else', async () => {
    const { sharees, state, pids, acts } = scene()
    state.former = [{ agentId: AGENT, userId: SHAREE }]
    sharees.start()
    await vi.advanceTimersByTimeAsync(AGAIN_MS)
    expect(pids()).toEqual([11, 12])
    expect(acts).toMatchObject([
      { actor: { email: null }, action: 'process.ended', detail: { because: 'no_right', sessionId: THEIRS } },
    ])
  })
})
