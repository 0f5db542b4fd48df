import { expect, it } from 'vitest'
import { Allowance } from './allowance.ts'

it('an agent may do it so often at once, and again as time passes; others are not concerned', () => {
  let now = 0
  const allowance = new Allowance(3, 'questions', { now: () => now })
  const take = (agentId: string): string => {
    try {
      allowance.take(agentId)
      return 'taken'
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }
  const REFUSED = 'The programs of an agent may send 3 questions in a minute.'
  expect(['a', 'a', 'a', 'a'].map(take)).toEqual(['taken', 'taken', 'taken', REFUSED])
  expect(take('b')).toBe('taken')
  now += 19_999
  expect(take('a')).toBe(REFUSED)
  now += 1
  expect(['a', 'a'].map(take)).toEqual(['taken', REFUSED])
  // A clock that is set back gives nothing, and takes nothing.
  now = 0
  expect(take('a')).toBe(REFUSED)
})
