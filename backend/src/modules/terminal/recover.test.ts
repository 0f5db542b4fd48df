import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { silentLog } from '../../lib/log.ts'
import type { Snapshot } from '../agents/board.ts'
import { ENGINE_DOWN } from '../agents/state.ts'
import { endLeftSessions } from './recover.ts'

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

const setup = async (first: Snapshot) => {
  let snapshot = first
  const hungUp: string[] = []
  const ended: string[] = []
  const stop = await endLeftSessions({
    runtime: { hangUp: (_id, leader) => Promise.resolve(void hungUp.push(leader)) },
    board: { get: () => snapshot },
    records: {
      leftOpen: () => Promise.resolve([{ id: 'session', agentId: 'agent', leader: '7:1', startedAt: later }]),
      ended: (id) => void ended.push(id),
      settled: () => Promise.resolve(),
    },
    log: silentLog,
    lookEveryMs: 5,
  })
  return { hungUp, ended, stop, becomes: (next: Snapshot) => void (snapshot = next) }
}

describe('sessions that an earlier backend left', () => {
  it('are hung up and recorded as ended', async () => {
    const { hungUp, ended, stop } = await setup(running)
    expect({ hungUp, ended }).toEqual({ hungUp: ['7:1'], ended: ['session'] })
    stop()
  })

  it('have no processes in a container that was stopped, or started again', async () => {
    for (const snapshot of [stopped, { ...running, container: { ...running.container!, startedAt: new Date() } }]) {
      const { hungUp, ended, stop } = await setup(snapshot)
      expect({ hungUp, ended }).toEqual({ hungUp: [], ended: ['session'] })
      stop()
    }
  })

  it('wait for an engine that does not answer at the start, and are ended when it does', async () => {
    const { hungUp, ended, becomes, stop } = await setup(away)
    expect({ hungUp, ended }).toEqual({ hungUp: [], ended: [] })
    becomes(running)
    await until('the session to be ended', () => ended.length > 0)
    expect({ hungUp, ended }).toEqual({ hungUp: ['7:1'], ended: ['session'] })
    stop()
  })
})
