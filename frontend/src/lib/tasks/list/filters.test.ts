import { expect, it } from 'vitest'
import { aboutUsd, usd } from '@/lib/format/money.ts'
import { activeFilter, endedStateOf, filtersIn, parametersOf, queryOf } from './filters.ts'
import { linesOf } from '../changes/patch.ts'

it('the filters of an address leave out what the server would refuse', () => {
  expect(filtersIn({ q: 'parser', agent: 'atlas', provider: '', state: 'failed', view: 'raw' })).toEqual({
    ...{ q: 'parser', agent: 'atlas', state: 'failed' },
  })
  expect(filtersIn({ q: '--', state: 'running', agent: ['a', 'b'] })).toEqual({})
})

it('filters are a query in one order, which gives them back', () => {
  const filters = filtersIn({ time: '7d', reason: 'timed_out', by: 'all', agent: 'atlas' })
  expect(queryOf(filters)).toBe('agent=atlas&by=all&reason=timed_out&time=7d')
  expect(filtersIn(Object.fromEntries(new URLSearchParams(queryOf(filters))))).toEqual(filters)
  expect(filtersIn({ time: '9d', reason: 'none', by: 'me; x', state: 'queued' })).toEqual({})
  expect(parametersOf({ time: '1d', q: 'x' }, Date.UTC(2026, 0, 2))).toEqual({
    q: 'x',
    from: '2026-01-01T00:00:00.000Z',
  })
})

it('active tasks are filtered by the page', () => {
  const task = { agent: 'atlas', provider: 'codex', prompt: 'Fix the Parser', createdAt: '2026-01-01T00:00:00.000Z' }
  const now = Date.UTC(2026, 0, 3)
  const isShown = (filters: Parameters<typeof activeFilter>[0]): boolean => activeFilter(filters, 'me', now)(task)
  for (const filters of [
    {},
    { q: 'parser fix' },
    { by: 'all' },
    { by: 'me' },
    { time: '7d' },
    { agent: 'atlas' },
  ] as const)
    expect(isShown(filters), JSON.stringify(filters)).toBe(true)
  for (const filters of [
    { q: 'lexer' },
    { by: 'other' },
    { time: '1d' },
    { reason: 'lost' },
    { state: 'failed' },
  ] as const)
    expect(isShown(filters), JSON.stringify(filters)).toBe(false)
})

it('a result has the state of its reason', () => {
  expect(endedStateOf({ success: true, reason: 'finished_without_exit' })).toBe('completed')
  expect(endedStateOf({ success: false, reason: 'agent_deleted' })).toBe('terminated')
  expect(endedStateOf({ success: false, reason: 'timed_out' })).toBe('failed')
})

it('the lines of a patch have their numbers before and after', () => {
  const patch =
    '--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@ function f() {\n same\n-old\n+new\n+more\n\\ No newline at end of file\n'
  expect(linesOf(patch)).toEqual([
    { kind: 'hunk', before: null, after: null, text: 'Line 3 · function f() {' },
    { kind: 'same', before: 3, after: 3, text: 'same' },
    { kind: 'removed', before: 4, after: null, text: 'old' },
    { kind: 'added', before: null, after: 4, text: 'new' },
    { kind: 'added', before: null, after: 5, text: 'more' },
    { kind: 'note', before: null, after: null, text: 'No newline at end of file' },
  ])
})

it('a small cost has the digits that matter', () => {
  expect([0, 0.000024, 0.00312, 0.4217, 12.5].map(usd)).toEqual(['$0', '< $0.001', '$0.0031', '$0.42', '$12.50'])
  expect([0.000024, 0.00312].map(aboutUsd)).toEqual(['< $0.001', '≈ $0.0031'])
})
