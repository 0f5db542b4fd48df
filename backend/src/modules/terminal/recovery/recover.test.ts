import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { ScriptedPty } from '../../../../test/support/scripted/pty.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import { type Attached, FROM_THE_START } from '../../../runtime/program.ts'
import type { Snapshot } from '../../agents/state/board.ts'
import { ENGINE_DOWN } from '../../agents/state/state.ts'
import type { Found } from '../../agents/service.ts'
import { serverStopping } from '../../sessions/ending.ts'
import { Recovery } from '../../sessions/recovery/recovery.ts'
import type { SessionEnd } from '../../sessions/records/records.ts'
import { type LeftSession, OPEN_AT_ONCE } from '../../sessions/records/repository.ts'
import { TerminalRegistry } from '../registry.ts'
import { type RecoverDeps, recoverer } from './recover.ts'

const began = new Date('2026-01-01T00:00:00Z')
const later = new Date('2026-01-01T00:00:10Z')
const running: Snapshot = {
  state: 'running',
  reason: null,
  since: began,
  runningId: 'container',
  container: { id: 'container', running: true, fingerprint: '', startedAt: began },
}
const away: Snapshot = { state: 'failed', reason: ENGINE_DOWN, since: began, runningId: null, container: null }
const stopped: Snapshot = { ...away, state: 'stopped', reason: null }

const left = {
  id: 'session',
  mode: 'bash',
  agentId: 'agent',
  userId: 'ann',
  leader: '7:1',
  startedAt: later,
  personal: false,
  via: { kind: 'sign_in', id: 'laptop' },
} as const
const found = {
  caller: { userId: 'ann', via: { kind: 'sign_in', signInId: 'laptop' } },
  row: { id: 'agent' },
  relation: 'owner',
} as unknown as Found

const kept = { offset: 0, size: { cols: 80, rows: 24 }, data: Buffer.from('its screen'), sizes: [], past: null }

const answered: (id: string) => Promise<Attached | null> = () =>
  Promise.resolve({
    program: new ScriptedPty(),
    size: { cols: 80, rows: 24 },
    takesInput: true,
    hasEnded: false,
    from: FROM_THE_START,
    to: FROM_THE_START,
  })

/** Sets up what the container holds (`held`), and whether the user may still have it (`may`). */
const setup = async (
  first: Snapshot,
  {
    held = [] as string[],
    may = true,
    stopping = false,
    refusals = 0,
    isAwaited = true,
    sessions = [left] as readonly LeftSession[],
    page = (): readonly LeftSession[] | Promise<readonly LeftSession[]> => sessions,
    lookEveryMs = 5,
    attach = answered,
  } = {},
) => {
  const database = <T>(answer: T): Promise<T> =>
    refusals-- > 0 ? Promise.reject(new Error('no database')) : Promise.resolve(answer)
  let snapshot = first
  const hungUp: string[] = []
  const ended: string[] = []
  const adopted: string[] = []
  const forgotten: string[] = []
  const registry = new TerminalRegistry(new Signal())
  if (stopping) await registry.stop(serverStopping)
  const leaders: string[] = []
  let again: () => void = () => undefined
  const records = {
    onLeft: (listener: () => void) => void (again = listener),
    leftOpen: async () => database([...(await page())]),
    ended: (_id: string, { reason }: SessionEnd) => void ended.push(reason),
    running: (_id: string, leader: string) => void leaders.push(leader),
    settled: () => Promise.resolve(),
  }
  const board = { get: () => snapshot }
  const deps: RecoverDeps = {
    runtime: {
      hangUp: (_id, leader) => Promise.resolve(void hungUp.push(leader)),
      held: () => Promise.resolve(held),
      attach: (_id, session) => attach(session),
    },
    board,
    records,
    registry,
    starter: {
      adopt: ({ sessionId }, _attached, adoption) => {
        expect(adoption.kept).toBe(kept)
        adopted.push(sessionId)
        return scriptedSession().session
      },
    },
    recorder: { resume: () => Promise.resolve(null) },
    screens: {
      load: () => Promise.resolve(kept),
      forget: (id) => void forgotten.push(id),
    },
    reinstate: ({ userId }) => database(may ? { ...found, caller: { ...found.caller, userId } } : null),
    log: silentLog,
  }
  const recovery = new Recovery({ board, records, log: silentLog, lookEveryMs })
  const looked = recovery.start(recoverer(deps, lookEveryMs))
  if (isAwaited) await looked
  return {
    leaders,
    recovery,
    hungUp,
    ended,
    adopted,
    forgotten,
    registry,
    stop: () => recovery.stop(),
    leave: () => again(),
    becomes: (next: Snapshot) => void (snapshot = next),
  }
}

describe('sessions that an earlier backend left', () => {
  it('are hung up and recorded as ended, and their screen goes', async () => {
    const { hungUp, ended, forgotten, stop } = await setup(running)
    expect({ hungUp, ended, forgotten }).toEqual({ hungUp: ['7:1'], ended: ['server_killed'], forgotten: ['session'] })
    stop()
  })

  it('are looked for again when an engine went away under some', async () => {
    const { ended, leave, stop } = await setup(running)
    leave()
    await until('the second look', () => ended.length === 2)
    expect(ended).toEqual(['server_killed', 'container_stopped'])
    stop()
  })

  it('are taken over where their container holds them, and keep their place and their screen', async () => {
    const { hungUp, ended, adopted, forgotten, registry, stop } = await setup(running, { held: ['session'] })
    expect({ hungUp, ended, adopted, forgotten }).toEqual({
      hungUp: [],
      ended: [],
      adopted: ['session'],
      forgotten: [],
    })
    expect(registry.of('ann', 'agent')?.sessionId).toBe('session')
    stop()
  })

  it('are left to the next start by a server that is stopping', async () => {
    const { hungUp, ended, adopted, registry, stop } = await setup(running, { held: ['session'], stopping: true })
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: [], ended: [], adopted: [] })
    expect(registry.of('ann', 'agent')).toBeNull()
    stop()
  })

  it('are ended when their user has lost the right to them meanwhile', async () => {
    const { hungUp, ended, adopted, registry, stop } = await setup(running, { held: ['session'], may: false })
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: ['7:1'], ended: ['access_revoked'], adopted: [] })
    expect(registry.of('ann', 'agent')).toBeNull()
    stop()
  })

  it('have no processes in a container that was stopped, or started again, and no screen', async () => {
    for (const snapshot of [stopped, { ...running, container: { ...running.container!, startedAt: new Date() } }]) {
      const { hungUp, ended, forgotten, stop } = await setup(snapshot)
      expect({ hungUp, ended, forgotten }).toEqual({ hungUp: [], ended: ['container_stopped'], forgotten: ['session'] })
      stop()
    }
  })

  it('are taken over from their holder, although their container began after them by its clock', async () => {
    const container = { ...running.container!, startedAt: new Date(later.getTime() + 60_000) }
    const { ended, adopted, stop } = await setup({ ...running, container }, { held: ['session'] })
    expect({ ended, adopted }).toEqual({ ended: [], adopted: ['session'] })
    stop()
  })

  it('wait for an engine that does not answer at the start, and are ended when it does', async () => {
    const { hungUp, ended, becomes, stop } = await setup(away)
    expect({ hungUp, ended }).toEqual({ hungUp: [], ended: [] })
    becomes(running)
    await until('the session to be ended', () => ended.length > 0)
    expect({ hungUp, ended }).toEqual({ hungUp: ['7:1'], ended: ['server_killed'] })
    stop()
  })

  it('wait for a database that does not answer at the start, and are taken over when it does', async () => {
    // The database refuses the list of sessions, and later the first user's rights.
    const { hungUp, ended, adopted, registry, stop } = await setup(running, { held: ['session'], refusals: 3 })
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: [], ended: [], adopted: [] })
    await until('the session to be taken over', () => adopted.length > 0)
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: [], ended: [], adopted: ['session'] })
    expect(registry.of('ann', 'agent')?.sessionId).toBe('session')
    stop()
  })

  it('are asked for again where an engine that answers fails, or is late', async () => {
    const answers = [new RuntimeError('timed_out', 'late'), new RuntimeError('engine_error', 'busy')]
    const attach = (id: string) => {
      const error = answers.shift()
      return error ? Promise.reject(error) : answered(id)
    }
    const { hungUp, ended, adopted, stop } = await setup(running, { held: ['session'], attach })
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: [], ended: [], adopted: ['session'] })
    stop()
  })

  it('are over where it goes on failing, and leave their place to another one', async () => {
    const attach = () => Promise.reject(new RuntimeError('timed_out', 'late'))
    const { ended, adopted, registry, stop } = await setup(running, { held: ['session'], attach })
    expect({ ended, adopted }).toEqual({ ended: ['server_killed'], adopted: [] })
    expect(registry.of('ann', 'agent')).toBeNull()
    stop()
  })

  it('are not taken over from another process that answers for them', async () => {
    const { hungUp, ended, adopted, stop } = await setup(running, {
      held: ['session'],
      sessions: [{ ...left, leader: '8:2' }],
    })
    expect({ hungUp, ended, adopted }).toEqual({ hungUp: ['8:2'], ended: ['server_killed'], adopted: [] })
    stop()
  })

  it('are taken over if their first process is no longer recorded', async () => {
    const sessions = [{ ...left, leader: null }]
    const { hungUp, adopted, leaders, stop } = await setup(running, { held: ['session'], sessions })
    expect({ hungUp, adopted, leaders }).toEqual({ hungUp: [], adopted: ['session'], leaders: ['7:1'] })
    stop()
  })

  it('are waited for by their own user only', async () => {
    const slow = Promise.withResolvers<null>()
    const sessions = [left, { ...left, id: 'other', userId: 'ben' }]
    const { recovery, adopted, ended, stop } = await setup(running, {
      isAwaited: false,
      held: ['session', 'other'],
      sessions,
      attach: (id) => (id === 'other' ? slow.promise : answered(id)),
    })
    await recovery.decided('ann', 'agent')
    await recovery.decided('carl', 'agent')
    expect(adopted).toEqual(['session'])
    // Also a caller without a user, who asks for all sessions of the agent, waits.
    for (const who of ['ben', null]) {
      const others = recovery.decided(who, 'agent').then(() => 'decided')
      expect(await Promise.race([others, Promise.resolve('not yet')])).toBe('not yet')
    }
    slow.resolve(null)
    expect(await Promise.all([recovery.decided('ben', 'agent'), recovery.decided(null, 'agent')])).toEqual([true, true])
    expect(ended).toEqual(['server_killed'])
    stop()
  })

  it('are back in their place for a user who reconnects at once, however long the next look takes', async () => {
    const pages = [[], [left]]
    const { recovery, adopted, leave, stop } = await setup(running, {
      held: ['session'],
      page: () => pages.shift() ?? [],
      lookEveryMs: 3_600_000,
    })
    leave()
    expect(await recovery.decided('ann', 'agent')).toBe(true)
    expect(adopted).toEqual(['session'])
    stop()
  })

  it('are back in their place for a user who reconnects when the engine is back, and are not known of before', async () => {
    const { recovery, adopted, becomes, stop } = await setup(away, { held: ['session'], lookEveryMs: 3_600_000 })
    expect([await recovery.decided('ann', 'agent'), await recovery.decided('carl', 'agent')]).toEqual([false, true])
    becomes(running)
    expect(await recovery.decided('ann', 'agent')).toBe(true)
    expect(adopted).toEqual(['session'])
    stop()
  })

  it('are back in their place for a user who reconnects while other sessions are looked for', async () => {
    const slow = Promise.withResolvers<readonly LeftSession[]>()
    const pages = [[], slow.promise, [left]]
    const { recovery, adopted, leave, stop } = await setup(running, {
      held: ['session'],
      page: () => pages.shift() ?? [],
      lookEveryMs: 3_600_000,
    })
    leave()
    const first = recovery.decided('ben', 'agent')
    await until('the look to have begun', () => pages.length === 1)
    leave()
    const second = recovery.decided('ann', 'agent')
    slow.resolve([])
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(adopted).toEqual(['session'])
    stop()
  })

  it('do not wait, when they were left later, for a session that takes long to decide', async () => {
    const slow = Promise.withResolvers<null>()
    const pages = [[{ ...left, id: 'slow', userId: 'ben' }], [left]]
    const { adopted, leave, stop } = await setup(running, {
      isAwaited: false,
      held: ['slow', 'session'],
      page: () => pages.shift() ?? [],
      attach: (id) => (id === 'slow' ? slow.promise : answered(id)),
    })
    await until('the first to be asked for', () => pages.length === 1)
    leave()
    await until('the second to be taken over', () => adopted.length > 0)
    expect(adopted).toEqual(['session'])
    slow.resolve(null)
    stop()
  })

  it('are listed until there are no more', async () => {
    const many = Array.from({ length: OPEN_AT_ONCE }, (_, index) => ({ ...left, id: `${index}` }))
    const pages = [many, [left]]
    const { ended, stop } = await setup(stopped, { page: () => pages.shift() ?? [] })
    expect(ended).toHaveLength(OPEN_AT_ONCE + 1)
    stop()
  })
})
