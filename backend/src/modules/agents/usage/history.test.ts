import { describe, expect, it } from 'vitest'
import type { ContainerUsage } from '../../../runtime/port.ts'
import { COARSE_MS, FINE_MS, UsageHistory } from './history.ts'
import { Series } from './series.ts'

const START = Date.UTC(2030, 0, 1)
/** The use of a container that takes half a CPU and 1,000 bytes a second since `START`. */
const usage = (ms: number, change: Partial<ContainerUsage> = {}): ContainerUsage => ({
  at: START + ms,
  cpuMs: ms / 2,
  memoryBytes: 1_000_000,
  memoryLimitBytes: 4_000_000,
  networkRxBytes: ms,
  networkTxBytes: ms * 2,
  diskReadBytes: ms * 3,
  diskWriteBytes: ms * 4,
  processes: 7,
  ...change,
})

describe('an agent’s history', () => {
  it('tells shares and rates between two looks, and the newest figures', () => {
    const history = new UsageHistory()
    expect(history.over(15, START).at).toEqual([])
    history.add(START, 'one', usage(0))
    expect(history.stats).toBeNull()
    history.add(START + FINE_MS, 'one', usage(FINE_MS))
    expect(history.over(15, START + FINE_MS)).toEqual({
      at: [(START + FINE_MS) / 1000],
      cpuPercent: [50],
      memoryBytes: [1_000_000],
      networkRxRate: [1000],
      networkTxRate: [2000],
      diskReadRate: [3000],
      diskWriteRate: [4000],
      processes: [7],
      memoryLimitBytes: 4_000_000,
    })
    expect(history.stats).toMatchObject({ cpuPercent: 50, networkRxBytes: FINE_MS, processes: 7 })
  })

  it('has a gap where the container stopped, restarted or was made anew, and no figure across it', () => {
    const history = new UsageHistory()
    const looks: [string, number, Partial<ContainerUsage>][] = [
      ['one', 0, {}],
      ['one', 5000, {}],
      // Restarted: the counters began at zero again.
      ['one', 10_000, { cpuMs: 1, networkRxBytes: 1 }],
      ['one', 15_000, {}],
      ['two', 20_000, {}],
      ['two', 25_000, {}],
    ]
    for (const [id, ms, change] of looks) history.add(START + ms, id, usage(ms, change))
    history.ended()
    history.ended()
    expect(history.stats).toBeNull()
    const { at, cpuPercent } = history.over(15, START + 30_000)
    expect(at.map((seconds) => seconds - START / 1000)).toEqual([5, 5, 15, 15, 25, 25])
    expect(cpuPercent.map((share) => share !== null)).toEqual([true, false, true, false, true, false])
  })

  it('is fine for a quarter of an hour, by the minute for a day, and no longer', () => {
    const history = new UsageHistory()
    const day = 24 * 60 * 60_000
    let now = 0
    for (; now <= day + 60 * 60_000; now += FINE_MS) history.add(START + now, 'one', usage(now))
    const end = START + now
    expect(history.over(15, end).at).toHaveLength((15 * 60_000) / FINE_MS)
    expect(history.over(60, end).at.length).toBeGreaterThanOrEqual(59)
    const { at } = history.over(1440, end)
    expect(at.length).toBeLessThanOrEqual(day / COARSE_MS)
    expect(at.length).toBeGreaterThanOrEqual(day / COARSE_MS - 2)
    expect(at).toEqual(at.toSorted((a, b) => a - b))
  })

  it('takes two looks at the same moment for one', () => {
    const history = new UsageHistory()
    history.add(START, 'one', usage(0))
    history.add(START + 1, 'one', usage(1))
    expect(history.over(15, START + 1).at).toEqual([])
  })
})

describe('a series', () => {
  it('keeps the newest points, in their order, however often it is filled', () => {
    const series = new Series(100)
    const point = {
      cpuPercent: 0,
      memoryBytes: 0,
      networkRxRate: 0,
      networkTxRate: 0,
      diskReadRate: 0,
      diskWriteRate: 0,
    }
    for (let index = 0; index < 1234; index++) series.push(index * 1000, { ...point, processes: index })
    const { at, processes } = series.since(0)
    expect(at).toEqual(Array.from({ length: 100 }, (_, index) => 1134 + index))
    expect(processes).toEqual(at)
  })
})
