import { expect, test } from 'vitest'
import { leftAfter, withBehind } from './draft.ts'

test.each([
  ['nothing, if nothing was typed', 'Fix it.', 'Fix it.', ''],
  ['what was typed behind it', 'Fix it.', 'Fix it.\nAnd test it.', 'And test it.'],
  ['all of another text', 'Fix it.', 'Fix that, too.', 'Fix that, too.'],
  ['nothing, if the field was emptied', 'Fix it.', '', ''],
])('the field keeps %s', (_what, sent, text, left) => {
  expect(leftAfter(sent, text)).toBe(left)
})

test('a text comes into an empty field, and behind what is in another one after a blank line', () => {
  expect(withBehind(' \n', 'Fix it.')).toBe('Fix it.')
  expect(withBehind('Test it.\n', 'Fix it.')).toBe('Test it.\n\nFix it.')
})
