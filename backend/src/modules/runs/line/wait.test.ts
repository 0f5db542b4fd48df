import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import type { Failure } from '../../providers/headless/headless.ts'
import { continuesAt } from './wait.ts'

const NOW = Date.parse('2026-11-26T12:00:00Z')
const limit = (resetsAt: number | null, reason: Failure['reason'] = 'usage_limit'): Failure => ({
  reason,
  message: 'limit reached',
  status: 429,
  resetsAt,
})
/** The wait in milliseconds, or null. */
const waitFor = (failure: Failure | null, random = 0): number | null => {
  const until = continuesAt(failure, NOW, random)
  return until && until.getTime() - NOW
}

describe('a run at a usage limit', () => {
  it('waits for its end, and a moment more', () => {
    expect(waitFor(limit(NOW + HOUR_MS))).toBe(HOUR_MS + SECOND_MS)
  })

  it('waits up to a tenth longer, and at most a minute, so that not all continue at once', () => {
    expect(waitFor(limit(NOW + MINUTE_MS), 0.5)).toBe(MINUTE_MS + SECOND_MS + 3 * SECOND_MS)
    expect(waitFor(limit(NOW + DAY_MS), 0.5)).toBe(DAY_MS + SECOND_MS + 30 * SECOND_MS)
  })

  it('continues soon if the limit is over already', () => {
    expect(waitFor(limit(NOW - HOUR_MS), 0.9)).toBe(SECOND_MS)
  })

  it.each([
    ['the end of the limit is not known', limit(null)],
    ['the end is farther away than any limit', limit(NOW + 9 * DAY_MS)],
    ['the end is no number', limit(NaN)],
    ['it failed for another reason', limit(NOW + HOUR_MS, 'cli_error')],
    ['it did not fail', null],
  ])('does not wait if %s', (_why, failure) => {
    expect(waitFor(failure)).toBeNull()
  })
})
