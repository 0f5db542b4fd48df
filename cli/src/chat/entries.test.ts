import { expect, it } from 'vitest'
import { entryOf } from './entries.ts'

it.each([
  ['  ', { kind: 'nothing' }],
  ['Repair it.\nThen test.', { kind: 'say', text: 'Repair it.\nThen test.' }],
  ['/quit', { kind: 'quit' }],
  [' /interrupt ', { kind: 'interrupt' }],
  ['/steer  be quick', { kind: 'steer', text: 'be quick' }],
  ['/steer', { kind: 'help' }],
  ['//compact', { kind: 'say', text: '/compact' }],
  ['/home/developer/a.txt is wrong', { kind: 'say', text: '/home/developer/a.txt is wrong' }],
  ['/steeer be quick', { kind: 'unknown', name: '/steeer' }],
])('%j is %j', (typed, entry) => {
  expect(entryOf(typed)).toEqual(entry)
})
