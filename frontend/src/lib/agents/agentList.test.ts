import type { Agent } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { COLUMNS, doingText, type Facts, type Listed, matches, orderAfter, sorted } from './agentList.ts'

const listed = (name: string, of: Partial<Agent> = {}, facts: Partial<Facts> = {}): Listed => ({
  agent: { name, state: 'running', model: null, owner: { id: name, email: `${name}@example.org` }, ...of } as Agent,
  facts: { waits: false, tasks: 0, terminals: 0, ...facts },
  runtime: 'Claude Code',
})
const names = (agents: readonly Listed[]): string[] => agents.map(({ agent }) => agent.name)

const waiting = listed('w', {}, { waits: true, tasks: 1, terminals: 1 })
const working = listed('x', {}, { tasks: 2, terminals: 1 })
const open = listed('y', {}, { terminals: 1 })
const idle = listed('z')
const stopped = listed('a', { state: 'stopped' })

test('an agent says the most urgent of what happens in it', () => {
  expect([waiting, working, open, idle, stopped].map(doingText)).toEqual([
    ...['Waits for you', 'Works on 2 tasks', '1 terminal open', 'Idle', ''],
  ])
  expect(doingText(listed('b', { state: 'stopped' }, { waits: true }))).toBe('Waits for you')
})

test('the list is sorted by each column, equal agents by name, and the other way round', () => {
  const all = [stopped, idle, open, working, waiting]
  expect(names(sorted(all, { column: 'does', isDescending: false }))).toEqual(['w', 'x', 'y', 'z', 'a'])
  expect(names(sorted(all, { column: 'does', isDescending: true }))).toEqual(['a', 'z', 'y', 'x', 'w'])
  for (const column of ['name', 'runtime', 'owner'] as const)
    expect(names(sorted(all, { column, isDescending: false }))).toEqual(['a', 'w', 'x', 'y', 'z'])
})

test('a click on a head sorts by it, and a second one turns the order round', () => {
  const first = orderAfter({ column: 'name', isDescending: true }, 'owner')
  expect(first).toEqual({ column: 'owner', isDescending: false })
  expect(orderAfter(first, 'owner')).toEqual({ column: 'owner', isDescending: true })
})

test('the filter takes words and states, and one that waits for the user is in no other state', () => {
  const shown = (search: string, shape: Parameters<typeof matches>[1]['shape']) =>
    names([waiting, idle, stopped].filter((one) => matches(one, { search, shape })))
  expect(shown('', null)).toEqual(['w', 'z', 'a'])
  expect(shown(' CLAUDE ', null)).toEqual(['w', 'z', 'a'])
  expect(shown('z@example', null)).toEqual(['z'])
  expect(shown('', 'running')).toEqual(['z'])
  expect(shown('', 'needs-you')).toEqual(['w'])
  expect(shown('z', 'stopped')).toEqual([])
})

test('ten thousand agents are sorted by every column', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => listed(`agent-${(at * 7919) % 10_000}`))
  for (const column of COLUMNS) expect(sorted(many, { column, isDescending: false })).toHaveLength(10_000)
})
