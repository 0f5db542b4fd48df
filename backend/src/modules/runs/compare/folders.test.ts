import { expect, it } from 'vitest'
import { requireApart } from './folders.ts'

const refused = (one: object, other: object): boolean => {
  try {
    requireApart([
      { agent: 'a', ...one },
      { agent: 'a', ...other },
    ])
    return false
  } catch {
    return true
  }
}

it('two targets in one folder are refused, however it is written, and one inside the other', () => {
  expect(refused({}, {})).toBe(true)
  expect(refused({ cwd: 'app' }, { cwd: '/home/developer/app/' })).toBe(true)
  expect(refused({ cwd: './app' }, { cwd: 'lib/../app' })).toBe(true)
  expect(refused({ cwd: 'app' }, {})).toBe(true)
  expect(refused({ cwd: 'app' }, { cwd: 'app/src' })).toBe(true)
})

it('targets in folders beside each other, or in other agents, are apart', () => {
  expect(refused({ cwd: 'app' }, { cwd: 'app-2' })).toBe(false)
  expect(refused({ cwd: 'app' }, { agent: 'b', cwd: 'app' })).toBe(false)
})
