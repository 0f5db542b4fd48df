import { afterEach, describe, expect, it, vi } from 'vitest'
import { TestClock } from '../../../../test/support/clock.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import type { ContainerUsage } from '../../../runtime/port.ts'
import type { Board } from '../state/board.ts'
import { HISTORIES_KEPT, UsageSampler } from './sampler.ts'

/** A machine with agents whose samples take some time; the rest is left out. */
const machine = (count: number, lookMs = 20) => {
  const clock = new TestClock()
  const ids = Array.from({ length: count }, (_, index) => `agent-${index}`)
  const looks: string[] = []
  let failing = false
  const usage = async (containerId: string): Promise<ContainerUsage> => {
    looks.push(containerId)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    if (failing) throw new Error('no engine')
    const at = clock.now()
    const counters = { networkRxBytes: at, networkTxBytes: at, diskReadBytes: at, diskWriteBytes: at }
    return { at, cpuMs: at, memoryBytes: 1, memoryLimitBytes: 2, processes: 3, ...counters }
  }
  const running = () => ids.map((agentId) => ({ agentId, containerId: agentId }))
  const get = ((agentId: string) => ({ runningId: ids.includes(agentId) ? agentId : null })) as Board['get']
  const board = { get, running, changed: new Signal<string>() }
  const sampler = new UsageSampler({ runtime: { usage }, board, clock, log: silentLog })
  return {
    sampler,
    clock,
    looks,
    ids,
    board,
    fail: () => (failing = true),
    /** Advances the clock and the timers by seconds. */
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        sampler.tick()
        clock.advance(1000)
        await vi.advanceTimersByTimeAsync(1000)
      }
    },
  }
}

afterEach(() => void vi.useRealTimers())

describe('the sampler', () => {
  it('looks at each running agent about once a minute', async () => {
    vi.useFakeTimers()
    const { looks, pass, ids } = machine(5)
    await pass(300)
    for (const id of ids) {
      const own = looks.filter((look) => look === id).length
      expect(own).toBeGreaterThanOrEqual(4)
      expect(own).toBeLessThanOrEqual(6)
    }
  })

  it('takes a twentieth of the time at most, however many agents there are and however slow the engine is', async () => {
    vi.useFakeTimers()
    const { looks, pass } = machine(1000, 100)
    await pass(100)
    // 100 s, of which 5 s are spent sampling.
    expect(looks.length).toBeLessThanOrEqual(51)
    expect(looks.length).toBeGreaterThanOrEqual(45)
    // No agent is left out: the next round continues where this one stopped.
    expect(new Set(looks).size).toBe(looks.length)
  })

  it('looks every five seconds at what is looked at, for as long as it is', async () => {
    vi.useFakeTimers()
    const { sampler, looks, pass } = machine(1)
    const ask = async () => {
      const asked = sampler.history('agent-0', 15)
      await vi.advanceTimersByTimeAsync(50)
      return asked
    }
    await ask()
    for (let times = 0; times < 6; times++) {
      await pass(5)
      await ask()
    }
    expect(looks.length).toBeGreaterThanOrEqual(6)
    expect(looks.length).toBeLessThanOrEqual(8)
    const { at, cpuPercent } = await ask()
    expect(at.length).toBeGreaterThanOrEqual(5)
    expect(cpuPercent.at(-1)).toBe(100)
    await pass(20)
    const before = looks.length
    await pass(30)
    expect(looks.length - before).toBeLessThanOrEqual(1)
  })

  it('tells the past of an agent that stopped, and of one that cannot be measured now', async () => {
    vi.useFakeTimers()
    const { sampler, ids, board, pass, fail } = machine(1)
    void sampler.history('agent-0', 15)
    await pass(11)
    fail()
    const asked = sampler.history('agent-0', 15)
    await vi.advanceTimersByTimeAsync(50)
    const known = (await asked).at.length
    expect(known).toBeGreaterThan(0)
    ids.length = 0
    board.changed.emit('agent-0')
    const { at, cpuPercent } = await sampler.history('agent-0', 15)
    expect(at).toHaveLength(known + 1)
    expect(cpuPercent.at(-1)).toBeNull()
  })

  it('does not try again at once where it failed, and stops when it is stopped', async () => {
    vi.useFakeTimers()
    const { sampler, looks, pass, fail, board } = machine(1)
    fail()
    await pass(50)
    expect(looks).toHaveLength(1)
    sampler.stop()
    await pass(120)
    expect(looks).toHaveLength(1)
    expect(board.changed.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps the figures of so many agents and no more', async () => {
    const { sampler, ids } = machine(0)
    for (let index = 0; index <= HISTORIES_KEPT; index++) await sampler.history(`stopped-${index}`, 15)
    expect(ids).toEqual([])
    expect(sampler.size).toBe(HISTORIES_KEPT)
  })
})
