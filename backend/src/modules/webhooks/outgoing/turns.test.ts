import { expect, it } from 'vitest'
import { Turns } from './turns.ts'

const of = (...users: (string | null)[]) => users.map((userId, at) => ({ userId, at }))

it('a user who had no turn comes before those whose backlog is older, and each of these in turn', () => {
  const turns = new Turns()
  const waiting = of('slow', 'slower', null, 'new')
  turns.took('slow')
  turns.took('slower')
  turns.took(null)
  expect(turns.inOrder(waiting).map(({ userId }) => userId)).toEqual(['new', 'slow', 'slower', null])
  turns.took('new')
  turns.took('slow')
  expect(turns.inOrder(waiting).map(({ userId }) => userId)).toEqual(['slower', null, 'new', 'slow'])
})

it('keeps the order of one user, and remembers only users that are named', () => {
  const turns = new Turns()
  turns.took('a')
  turns.took('b')
  expect(turns.inOrder(of('a', 'b', 'a')).map(({ at }) => at)).toEqual([0, 2, 1])
  turns.keep(['b'])
  expect(turns.inOrder(of('b', 'a')).map(({ userId }) => userId)).toEqual(['a', 'b'])
})
