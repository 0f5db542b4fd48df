import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { answered, away, later, left, running, setup, stopped } from '../../../../test/support/scripted/recovery.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import { type LeftSession, OPEN_AT_ONCE } from '../../sessions/records/repository.ts'

describe('sessions that an earlier backend left', () => {
  it('are hung up and recorded as ended, and their screen goes', async () => {
    const { hungUp, ended, forgotten, stop } = await setup(running)
    expect({ hungUp, ended, forgotten }).toEqual({ hungUp: ['7:1'], ended: ['server_killed'], forgotten: ['session'] })
    stop()
  })

  it('free the conversation of the CLI that they continued', async () => {
    const { freed, stop } = await setup(running, { sessions: [{ ...left, cliSessionId: 'cli-1' }] })
    expect(freed).toEqual(['cli-1'])
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

  it('are taken over in all tabs of their user, whatever the agent’s setting says now', async () => {
    const tabs = [null, 'shell', 'tests']
    const sessions = tabs.map((tab) => ({ ...left, id: `session-${tab}`, tab }))
    const held = sessions.map(({ id }) => id)
    const { ended, adopted, registry, stop } = await setup(running, { held, sessions })
    expect({ ended, adopted: adopted.toSorted() }).toEqual({ ended: [], adopted: held.toSorted() })
    expect(tabs.map((tab) => registry.of('ann', 'agent', tab)?.sessionId)).toEqual(held)
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
