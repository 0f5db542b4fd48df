import { expect, test } from 'vitest'
import { countedMatches, MATCHES_MAX } from './matches.ts'

test.each([
  [{ index: -1, count: 0 }, 'No matches'],
  [{ index: 2, count: 7 }, '3 of 7'],
  [{ index: -1, count: MATCHES_MAX }, '1000'],
  [{ index: -1, count: MATCHES_MAX + 1 }, '1000+'],
  [{ index: 4, count: MATCHES_MAX + 1 }, '5 of 1000+'],
])('%j is told as %j', (matches, told) => {
  expect(countedMatches(matches)).toBe(told)
})
