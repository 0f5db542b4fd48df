import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { bootApp } from '../../../../test/support/server/app.ts'
import { openTestDatabase } from '../../../../test/support/database/test-database.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../../../../test/support/people/team.ts'
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { DiskWatch } from './disk.ts'

const MIB = 2 ** 20
const LIMIT = 40 * MIB

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE], diskLimitBytes: LIMIT } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const agent = async (name: string) => (await owner(`GET /agents/${name}`)).json<Agent>()
/** Writes this many MiB into a file of the agent. */
const fill = async (name: string, file: string, mib: number): Promise<void> => {
  const { Id } = await docker.getContainer(`${namespace}-agent-${name}`).inspect()
  const script = `mkdir -p ~/hidden && head -c ${mib}M /dev/urandom > ${file} && sync ${file} && chmod 000 ~/hidden`
  const { exitCode } = await runtime.run(Id, { argv: ['sh', '-c', script], timeoutMs: 120_000, maxOutputBytes: 0 })
  expect(exitCode).toBe(0)
}

describe('a tenant fills the disk, and hides what it wrote: the disk that an agent uses', () => {
  it('is shown, is a warning from 80 % on, stops the agent at its limit, also after a restart, and can be tidied up', async () => {
    // Its own measurement after a minute must not run during these.
    team().disk.close()
    await systemAgentSettled(team())
    const created = (await owner('POST /agents?wait=true', newAgent('filler'))).json<Agent>()
    expect(created.disk).toBeUndefined()
    await fill('filler', '~/hidden/one', 20)
    await team().disk.measure()
    const some = await agent('filler')
    expect(some.disk).toMatchObject({ limitBytes: LIMIT, isLow: false })
    expect(some.disk?.usedBytes).toBeGreaterThan(20 * MIB)

    // Outside its home, and in a folder that the agent's user cannot read.
    await fill('filler', '/tmp/two', 14)
    await team().disk.measure()
    expect((await agent('filler')).disk).toMatchObject({ isLow: true })
    expect((await agent('filler')).state).toBe('running')

    await fill('filler', '/var/tmp/three', 10)
    // A restart gives no more time.
    await owner('POST /agents/filler/restart?wait=true')
    await team().disk.measure()
    expect(await agent('filler')).toMatchObject({ state: 'failed', reason: { code: 'disk_full' } })
    // A stopped agent is not stopped again.
    await team().disk.measure()

    await owner('POST /agents/filler/start?wait=true')
    const { Id } = await docker.getContainer(`${namespace}-agent-filler`).inspect()
    const tidy = ['sh', '-c', 'chmod 700 ~/hidden; rm -rf ~/hidden /tmp/two /var/tmp/three']
    await runtime.run(Id, { argv: tidy, timeoutMs: 60_000, maxOutputBytes: 0 })
    await team().disk.measure()
    const tidied = await agent('filler')
    expect(tidied).toMatchObject({ state: 'running', disk: { isLow: false } })
  })

  it('is measured by the server on its own, a minute after its start, and no more when it stops', async () => {
    // Time advances with the real clock, so that the server starts normally.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    const database = await openTestDatabase()
    try {
      const diskUse = vi.fn(() => Promise.resolve(new Map<string, number>()))
      const { app } = await bootApp(database, {
        runtime: { ...new MemoryEngine().runtime, diskUse },
        config: { diskLimitBytes: LIMIT },
      })
      expect(diskUse).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(MINUTE_MS)
      expect(diskUse).toHaveBeenCalledTimes(1)
      await app.close()
      await vi.advanceTimersByTimeAsync(60 * MINUTE_MS)
      expect(diskUse).toHaveBeenCalledTimes(1)
    } finally {
      vi.useRealTimers()
      await database.close()
    }
  })

  it('is not measured where nothing limits it, nor while the engine is away', async () => {
    let asked = 0
    const parts = {
      runtime: { available: true, diskUse: () => Promise.resolve(new Map([['a', ++asked]])) },
      limitBytes: null,
      clock: team().clock,
      log: silentLog,
      changed: () => undefined,
      isRunning: () => true,
      stop: () => Promise.resolve(),
    }
    await new DiskWatch(parts).measure()
    await new DiskWatch({ ...parts, limitBytes: 1, runtime: { ...parts.runtime, available: false } }).measure()
    expect(asked).toBe(0)
  })

  it('of one that cannot be stopped does not keep the others from it', async () => {
    const stopped: string[] = []
    const watch = new DiskWatch({
      runtime: {
        available: true,
        diskUse: () =>
          Promise.resolve(
            new Map([
              ['a', 5],
              ['b', 4],
              ['c', 1],
            ]),
          ),
      },
      limitBytes: 4,
      clock: team().clock,
      log: silentLog,
      changed: () => undefined,
      isRunning: () => true,
      stop: (id) => {
        stopped.push(id)
        return id === 'a' ? Promise.reject(new Error('no')) : Promise.resolve()
      },
    })
    await watch.measure()
    await watch.measure()
    expect(stopped).toEqual(['a', 'b'])
  })

  /** A full agent, what stops it, and what happens while the figures are taken. */
  const full = () => {
    const agent = { isRunning: true, stops: 0, meanwhile: (): void => undefined }
    const watch = new DiskWatch({
      runtime: {
        available: true,
        diskUse: () => {
          agent.meanwhile()
          return Promise.resolve(new Map([['a', 5]]))
        },
      },
      limitBytes: 4,
      clock: team().clock,
      log: silentLog,
      changed: () => undefined,
      isRunning: () => agent.isRunning,
      stop: () => {
        agent.stops += 1
        agent.isRunning = false
        return Promise.resolve()
      },
    })
    return { agent, watch }
  }

  it('can be tidied up after a stop until the measurement after the next one', async () => {
    const { agent, watch } = full()
    await watch.measure()
    expect(agent.stops).toBe(0)
    await watch.measure()
    expect(agent.stops).toBe(1)

    // Started while the figures were taken, which are older.
    agent.meanwhile = () => (agent.isRunning = true)
    await watch.measure()
    expect(agent.stops).toBe(1)
    await watch.measure()
    expect(agent.stops).toBe(2)
  })
})

describe('the warnings of an installation', () => {
  it('name the holes of this engine, for admins alone', async () => {
    const admin = as(team(), team().admin)
    const components = await runtime.components()
    expect(components.map(({ name }) => name)).toContain('runc')
    await until('the look at it', async () => {
      const { items } = (await admin('GET /system-agent/warnings')).json<{ items: { code: string }[] }>()
      const runc = components.find(({ name }) => name === 'runc')?.version ?? ''
      return items.length > 0 || !/^1\.[01]\./.test(runc)
    })
    expect((await owner('GET /system-agent/warnings')).statusCode).toBe(403)
  })
})
