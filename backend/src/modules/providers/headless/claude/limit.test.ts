import { describe, expect, it } from 'vitest'
import { resetAt, resetIn, saysUsageLimit } from './limit.ts'

const NOW = Date.parse('2026-11-25T12:00:00Z')
const reset = (message: string, now = NOW): string | null => {
  const at = resetIn(message, now)
  return at === null ? null : new Date(at).toISOString()
}

describe('a usage limit of Claude', () => {
  it.each([
    'Claude AI usage limit reached|1764086400',
    "You've hit your limit · resets 3pm (UTC)",
    'You’ve hit your weekly limit · resets Dec 1, 2am',
    "You've hit your org's monthly usage limit",
    'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    '5-hour limit reached ∙ resets 3pm',
    'Session limit reached ∙ resets 4am',
    "You're out of extra usage · resets 6pm (UTC)",
    'API Error: Request rejected (429) · The usage limit has been reached',
    "API Error: 429 This request would exceed your account's rate limit. Please try again later.",
  ])('is recognised in "%s"', (message) => expect(saysUsageLimit(message)).toBe(true))

  it.each([
    'API Error: 429 rate_limit_error: Number of request tokens has exceeded your per-minute rate limit',
    "API Error: 429 This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    'API Error: 429 You have hit your rate limit',
    'API Error: 529 Overloaded',
    'Context limit reached · /compact or /clear to continue',
    `${'a'.repeat(5_000)} usage limit reached`,
    '',
  ])('is not seen in "%s"', (message) => expect(saysUsageLimit(message)).toBe(false))
})

describe('the end of a usage limit', () => {
  it.each([
    ['Claude AI usage limit reached|1764086400', '2025-11-25T16:00:00.000Z'],
    ['Claude AI usage limit reached|1795665600000', '2026-11-26T04:00:00.000Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-25T15:00:00.000Z'],
    ['5-hour limit reached ∙ resets 3pm', '2026-11-25T15:00:00.000Z'],
    ["You've hit your limit · resets 1:30am (Etc/UTC)", '2026-11-26T01:30:00.000Z'],
    ['Limits will reset at 9:30 AM.', '2026-11-26T09:30:00.000Z'],
    ['It resets 12am', '2026-11-26T00:00:00.000Z'],
    ['It resets 12:05pm', '2026-11-25T12:05:00.000Z'],
    ['Your weekly limit resets Dec 1, 2am (UTC)', '2026-12-01T02:00:00.000Z'],
    ['Your weekly limit resets December 1 at 2am', '2026-12-01T02:00:00.000Z'],
    ['You will regain access on 2026-12-01 at 00:00 UTC.', '2026-12-01T00:00:00.000Z'],
  ])('is read from "%s"', (message, expected) => expect(reset(message)).toBe(expected))

  it('is tomorrow if the clock has just shown the time', () => {
    expect(reset('It resets 12pm')).toBe('2026-11-26T12:00:00.000Z')
    expect(reset('It resets 12pm', NOW - 1)).toBe('2026-11-25T12:00:00.000Z')
  })

  it('is in the next year for a day of January that is read in December', () =>
    expect(reset('It resets Jan 2, 9am', Date.parse('2026-12-30T00:00:00Z'))).toBe('2027-01-02T09:00:00.000Z'))

  it.each([
    'You have hit your limit',
    'It resets 3pm (Asia/Dhaka)',
    'It resets 13pm',
    'It resets 0am',
    'It resets 3:61pm',
    'It resets Foo 3, 2am',
    'It resets Nov 31, 2am',
    'It resets Mar 1, 2am',
    'on 2026-99-99 at 00:00 UTC',
    'usage limit reached|9999999999999',
    'usage limit reached|99999999999999999999',
    '',
  ])('is unknown for "%s"', (message) => expect(reset(message)).toBeNull())

  it.each([NaN, Infinity, -1, 0, 1e300])('is unknown for the number %d', (epoch) =>
    expect(resetAt(epoch, NOW)).toBeNull(),
  )
})
