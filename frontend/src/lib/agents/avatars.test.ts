import { expect, test } from 'vitest'
import { AVATAR_COLOURS, coloursOf, initialsOf } from './avatars.ts'

test.each([
  ['ann.smith@example.org', 'AS'],
  ['ann-marie.smith@example.org', 'AM'],
  ['bob@example.org', 'BO'],
  ['b@example.org', 'B'],
  ['émile_zola+x@example.org', 'ÉZ'],
  ['--@example.org', '--'],
])('of %s the initials are %s', (email, initials) => expect(initialsOf(email)).toBe(initials))

test('people who are shown together have different colours, as long as there are some', () => {
  const emails = Array.from({ length: AVATAR_COLOURS }, (_, at) => `user${at}@example.org`)
  expect(new Set(coloursOf(emails)).size).toBe(AVATAR_COLOURS)
  const more = coloursOf([...emails, 'one.more@example.org'])
  expect(more.every((colour) => colour >= 1 && colour <= AVATAR_COLOURS)).toBe(true)
})

test('a person has the same colour wherever they are first', () => {
  expect(coloursOf(['ann@example.org', 'bob@example.org'])[0]).toBe(coloursOf(['ann@example.org'])[0])
})
