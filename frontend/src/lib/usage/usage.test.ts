import type { UsageItem } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { columnsOf, DAY_CHARTS, describe, heightOf } from './charts.ts'
import { csvOf } from './csv.ts'
import { costText, nameOf, noteOf, tokensRead } from './groups.ts'
import { daysIn, spanOf } from './range.ts'

const NOW = Date.parse('2026-02-28T23:30:00Z')
const item = (more: Partial<UsageItem> = {}): UsageItem => ({
  ...{ key: '2026-02-27', name: null, runs: 1, runsWithoutCost: 0, inputTokens: 10, outputTokens: 5 },
  ...{ cacheReadTokens: 100, cacheWriteTokens: null, costUsd: 0.5, estimatedUsd: 0.2 },
  ...more,
})
const label = (provider: string): string => `<${provider}>`

test('a range has whole days in UTC', () => {
  expect(spanOf('month', NOW)).toEqual({ from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' })
  expect(spanOf('7', NOW)).toEqual({ from: '2026-02-22T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' })
  expect(['7', '30', '90'].map((range) => daysIn(spanOf(range as '7', NOW)).length)).toEqual([7, 30, 90])
  expect(spanOf('month', Date.parse('2026-12-31T23:59:59Z')).to).toBe('2027-01-01T00:00:00.000Z')
})

test('what is not known is not 0, and an estimate is marked', () => {
  expect([
    costText(item()),
    costText(item({ estimatedUsd: 0 })),
    costText(item({ costUsd: null, estimatedUsd: 0 })),
  ]).toEqual(['≈ $0.50', '$0.50', 'unknown'])
  expect(tokensRead(item())).toBe(110)
  expect(tokensRead(item({ inputTokens: null, cacheReadTokens: null }))).toBeNull()
})

test('a chart has a column for each day, with a gap where nothing is known', () => {
  const [cost, tokens] = DAY_CHARTS
  const items = [item(), item({ key: '2026-02-26', costUsd: null, estimatedUsd: 0 })]
  const columns = columnsOf(cost!, spanOf('7', NOW), items)
  expect(columns.map(heightOf)).toEqual([0, 0, 0, 0, null, 0.5, 0])
  expect(columns.at(-2)?.parts).toEqual([0.3, 0.2])
  expect(columnsOf(tokens!, spanOf('7', NOW), items).at(-2)?.parts).toEqual([110, 5])
  expect(describe(cost!, columns)).toBe(
    'Cost by day, Feb 22 to Feb 28: 1 with a known value, the highest $0.50 on Feb 27.',
  )
})

test('a group has a name, also if what it names is gone', () => {
  expect(nameOf('day', item(), label)).toBe('Feb 27, 2026')
  expect(nameOf('provider', item({ key: 'codex' }), label)).toBe('<codex>')
  expect(nameOf('user', item({ key: null }), label)).toBe('Deleted users')
  const deleted = item({ key: null, name: 'atlas' })
  expect([nameOf('agent', deleted, label), noteOf('agent', deleted, label)]).toEqual(['atlas', 'deleted'])
  const model = item({ key: null, name: 'codex' })
  expect([nameOf('model', model, label), noteOf('model', model, label)]).toEqual(['Unknown model', '<codex>'])
})

test('the file has every cell of RFC 4180, no formula, and nothing for what is not known', () => {
  const rows = [
    { ...item({ costUsd: null, estimatedUsd: 0 }), title: '=HYPERLINK("x"),"y"' },
    { ...item(), title: '＋1' },
    { ...item(), title: 'atlas\nof two lines' },
  ]
  expect(csvOf('agent', rows)).toBe(
    '"agent","tasks","tasks_without_cost","input_tokens","output_tokens","cache_read_tokens","cache_write_tokens","cost_usd","estimated_usd"\r\n' +
      '"\'=HYPERLINK(""x""),""y""",1,0,10,5,100,"","",0\r\n' +
      '"\'＋1",1,0,10,5,100,"",0.5,0.2\r\n' +
      '"atlas\nof two lines",1,0,10,5,100,"",0.5,0.2\r\n',
  )
})
