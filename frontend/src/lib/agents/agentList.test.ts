import type { Agent } from '@slipway/protocol'
import { expect, test } from 'vitest'
import {
  activeAt,
  COLUMNS,
  doingText,
  type Facts,
  type Kind,
  type Listed,
  matches,
  orderAfter,
  sorted,
  wordsOf,
} from './agentList.ts'

const listed = (name: string, of: Partial<Agent> = {}, facts: Partial<Facts> = {}): Listed => {
  const base = {
    name,
    state: 'running',
    tasksAtWork: 0,
    model: null,
    owner: { id: name, email: `${name}@example.org` },
  }
  const agent = { ...base, lastActivityAt: null, branch: null, ...of } as Agent
  const none: Facts = { waits: false, asks: false, terminals: 0, atWork: 0, isSignedOut: false, people: 0 }
  return { agent, facts: { ...none, ...facts }, runtime: 'Claude Code', words: wordsOf(agent, 'Claude Code') }
}
const onBranch = (name: string) => ({
  branch: { name, folder: '/home/developer/api', seenAt: '2026-01-01T00:00:00.000Z' },
})
const names = (agents: readonly Listed[]): string[] => agents.map(({ agent }) => agent.name)

const waiting = listed('w', { tasksAtWork: 1 }, { waits: true, terminals: 1 })
const working = listed('x', { tasksAtWork: 2 }, { terminals: 1 })
const open = listed('y', {}, { terminals: 1 })
const idle = listed('z')
const stopped = listed('a', { state: 'stopped' })

test('an agent says the most urgent of what happens in it', () => {
  expect([waiting, working, open, idle, stopped].map(doingText)).toEqual([
    ...['Waits for you', 'Works on 2 tasks', '1 terminal open', 'Idle', ''],
  ])
  expect(doingText(listed('b', { state: 'stopped' }, { waits: true }))).toBe('Waits for you')
  const signedOut = { terminals: 2, isSignedOut: true }
  expect(doingText(listed('b', {}, signedOut))).toBe('Not signed in')
  expect(doingText(listed('b', {}, { ...signedOut, atWork: 1 }))).toBe('Works in 1 terminal')
  expect(doingText(listed('b', { state: 'failed' }, signedOut))).toBe('')
})

test('an agent whose question waits for another user is not idle, whatever else is open in it', () => {
  const asking = listed('b', {}, { asks: true, terminals: 1, isSignedOut: true })
  expect(doingText(asking)).toBe('Waits for an answer')
  expect(matches(asking, { search: '', kind: 'idle' })).toBe(false)
  expect(doingText(listed('b', { tasksAtWork: 1 }, { asks: true }))).toBe('Works on 1 task')
  expect(doingText(listed('b', {}, { asks: true, waits: true }))).toBe('Waits for you')
})

test('the list is sorted by the last activity, by branches and by people, and what is unknown comes last', () => {
  const early = listed('a', { lastActivityAt: '2026-01-01T10:00:00.000Z', ...onBranch('main') }, { people: 1 })
  const late = listed('b', { lastActivityAt: '2026-01-01T11:00:00.000Z', ...onBranch('fix') }, { people: 2 })
  const now = listed('c', { tasksAtWork: 1 })
  const never = listed('d')
  const all = [never, early, now, late]
  expect(all.map(activeAt)).toEqual([null, early.agent.lastActivityAt, 'now', late.agent.lastActivityAt])
  expect(names(sorted(all, { column: 'activity', isDescending: false }))).toEqual(['c', 'b', 'a', 'd'])
  expect(names(sorted(all, { column: 'branch', isDescending: false }))).toEqual(['b', 'a', 'c', 'd'])
  expect(names(sorted(all, { column: 'people', isDescending: false }))).toEqual(['b', 'a', 'c', 'd'])
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
  const shown = (search: string, kind: Kind | null) =>
    names([waiting, idle, stopped].filter((one) => matches(one, { search, kind })))
  expect(shown('', null)).toEqual(['w', 'z', 'a'])
  expect(shown(' CLAUDE ', null)).toEqual(['w', 'z', 'a'])
  expect(shown('z@example', null)).toEqual(['z'])
  expect(shown('', 'running')).toEqual(['z'])
  expect(shown('', 'needs-you')).toEqual(['w'])
  expect(shown('z', 'stopped')).toEqual([])
  expect(shown('', 'idle')).toEqual(['z'])
  expect(shown('', 'works')).toEqual([])
  expect(matches(listed('q', onBranch('feature/Tides')), { search: 'tides', kind: null })).toBe(true)
})

test('ten thousand agents are sorted by every column', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => listed(`agent-${(at * 7919) % 10_000}`))
  for (const column of COLUMNS) expect(sorted(many, { column, isDescending: false })).toHaveLength(10_000)
})
