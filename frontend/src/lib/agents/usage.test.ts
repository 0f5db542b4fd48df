import type { AgentStatsHistory } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { CHARTS, describe as describeChart, rangeOf, TABLE_ROWS, tableOf, topOf } from './usage.ts'

const history = (cpuPercent: (number | null)[]): AgentStatsHistory => {
  const nothing = cpuPercent.map(() => null)
  return {
    at: cpuPercent.map((_, index) => index * 5),
    cpuPercent,
    memoryBytes: nothing,
    networkRxRate: nothing,
    networkTxRate: nothing,
    diskReadRate: nothing,
    diskWriteRate: nothing,
    processes: nothing,
    memoryLimitBytes: null,
  }
}

test('a scale ends a little above what it shows, at a number that reads well', () => {
  const cpu = { leastTop: 10, base: 10 } as const
  expect([0, 9, 14, 50, 99, 150, 790].map((highest) => topOf(highest, cpu))).toEqual([10, 10, 20, 80, 200, 200, 1000])
  const memory = { leastTop: 1024, base: 2 } as const
  expect([0, 3 * 1024, 700 * 1024 ** 2].map((highest) => topOf(highest, memory))).toEqual([
    1024,
    4 * 1024,
    800 * 1024 ** 2,
  ])
})

test('a chart is told in a sentence', () => {
  const [cpu, memory] = CHARTS
  expect(describeChart(cpu!, history([5, null, 80.4, 12]))).toBe('CPU. CPU: now 12 %, between 5 % and 80 %.')
  expect(describeChart(memory!, history([1]))).toBe('Memory. Memory: no figures.')
  expect(rangeOf([null])).toBeNull()
})

test('a table has few rows, the newest first, with means', () => {
  const rows = tableOf(history(Array.from({ length: 300 }, (_, index) => (index < 20 ? null : index))), ['cpuPercent'])
  expect(rows).toHaveLength(TABLE_ROWS)
  expect(rows[0]).toEqual({ at: 299 * 5, values: { cpuPercent: 289.5 } })
  expect(rows.at(-1)?.values).toEqual({ cpuPercent: null })
  expect(tableOf(history([]), ['cpuPercent'])).toEqual([])
})
