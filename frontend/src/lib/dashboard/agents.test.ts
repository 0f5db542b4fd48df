import type { Agent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { AGENTS_SHOWN, foremost, stateCounts } from './agents.ts'

const agent = (name: string, state: Agent['state'], relation: Agent['relation'] = 'owner') =>
  ({ name, state, relation }) as Agent
const stopped = Array.from({ length: AGENTS_SHOWN }, (_, at) => agent(`s${at}`, 'stopped'))
const none = (): boolean => false
const names = (agents: readonly Agent[]): string[] => agents.map(({ name }) => name)

it('shows what failed, runs or asks before what is stopped, and stays in the order of names', () => {
  const all = [...stopped, agent('z-failed', 'failed'), agent('a-runs', 'running')]
  expect(names(foremost(all, none))).toEqual(['a-runs', 's0', 's1', 's2', 's3', 's4', 's5', 'z-failed'])
  expect(names(foremost(all, ({ name }) => name === 's7'))).toContain('s7')
})

it('shows agents of other users only where there is room', () => {
  expect(names(foremost([agent('theirs', 'failed', 'admin'), ...stopped], none))).not.toContain('theirs')
  expect(names(foremost([agent('theirs', 'failed', 'admin'), agent('mine', 'stopped')], none))).toEqual([
    'mine',
    'theirs',
  ])
})

it('counts states, the most frequent one first', () => {
  expect(stateCounts([agent('a', 'failed'), ...stopped])).toBe(`${AGENTS_SHOWN} stopped, 1 failed`)
  expect(stateCounts([])).toBe('')
})
