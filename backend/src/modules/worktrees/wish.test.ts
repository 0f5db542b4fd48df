import { expect, it } from 'vitest'
import { asksForReview, wishOf } from './wish.ts'

it.each([
  'Review the last commit',
  'Please review this branch.',
  'Look at the tests. Then rebase onto main.',
  '- rebase the branch',
  '/review',
  'Can you do a security review of the login?',
  'Fix the typo\nCode-review everything',
])('a review or a rebase is known: %s', (prompt) => expect(asksForReview(prompt)).toBe(true))

it.each([
  'Fix the failing test',
  'Add a review page to the shop',
  'Make the review form wider',
  'The reviews of users are not shown. Fix that.',
  `${'x'.repeat(2000)}\nReview the last commit`,
])('other work is not: %s', (prompt) => expect(asksForReview(prompt)).toBe(false))

it('the mode decides, and the prompt only in the mode auto', () => {
  expect([wishOf('off', 'review it'), wishOf('always', 'fix it'), wishOf('auto', 'fix it')]).toEqual([
    'none',
    'always',
    'if_busy',
  ])
  expect(wishOf('auto', 'review it')).toBe('always')
})
