import { COMMIT_MESSAGE_MAX } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { messageIn } from './message.ts'

it.each([
  ['  Add a file\n\nIt was missing.\n', 'Add a file\n\nIt was missing.'],
  ['```\nAdd a file\n```', 'Add a file'],
  ['```text\r\nAdd a file\r\n\r\nWhy.\r\n```\n', 'Add a file\n\nWhy.'],
  ['"Add a file"', 'Add a file'],
  ['Say "a" and "b"', 'Say "a" and "b"'],
  ['Show it:\n\n```\ncode\n```', 'Show it:\n\n```\ncode\n```'],
  [' \n ', ''],
])('the message in %j is %j', (answer, message) => {
  expect(messageIn(answer)).toBe(message)
})

it('has a bound', () => {
  expect(messageIn('x'.repeat(100_000))).toHaveLength(COMMIT_MESSAGE_MAX)
})
