import { describe, expect, it } from 'vitest'
import { HOUR, reader, init, say, failed } from '../../../../../test/support/headless/gemini.ts'
import { NOW, feed } from '../../../../../test/support/headless/reading.ts'

describe('the standard error of Gemini', () => {
  const quota = 'You exceeded your current quota, please check your plan. Please retry in 3h2m.'
  const attempt = `\u001b[33mAttempt 1 failed: ${quota}. Retrying after 10920000ms...\u001b[0m`

  it('shows that Gemini retries, and keeps the limit until Gemini goes on', () => {
    const reading = reader()
    feed(reading, init)
    expect(reading.errorLine?.(attempt, NOW)).toMatchObject([{ type: 'status', status: 'retrying' }])
    expect(reading.verdict().failure).toMatchObject({ reason: 'usage_limit', resetsAt: NOW + 3 * HOUR + 120_000 })
    feed(reading, say('Hello'))
    expect(reading.verdict().failure).toBeNull()
  })

  it('gives its time to a result that has none', () => {
    const reading = reader()
    reading.errorLine?.(attempt, NOW)
    feed(reading, failed('[API Error: An unknown error occurred.]'))
    expect(reading.verdict().failure).toMatchObject({ reason: 'usage_limit', resetsAt: NOW + 3 * HOUR + 120_000 })
  })

  it('gives its time also after the result, since the two outputs have no order', () => {
    const reading = reader()
    feed(reading, failed('[API Error: You have exhausted your daily quota on this model.]'))
    expect(reading.verdict().failure).toMatchObject({ reason: 'usage_limit', resetsAt: null })
    reading.errorLine?.(`    message: '${quota}',`, NOW)
    expect(reading.verdict().failure).toMatchObject({ reason: 'usage_limit', resetsAt: NOW + 3 * HOUR + 120_000 })
  })

  it('does not make a limit of a busy server', () => {
    const reading = reader()
    const line = 'Attempt 2 failed with status 503. Retrying with backoff... ApiError: {'
    expect(reading.errorLine?.(line, NOW)).toMatchObject([{ status: 'retrying', message: line }])
    expect(reading.verdict().failure).toBeNull()
  })

  it('says that a sign-in is missing, or that the turns are over', () => {
    for (const [line, reason] of [
      ['Please set an Auth method in your /home/developer/.gemini/settings.json', 'not_signed_in'],
      ['Reached max session turns for this session.', 'max_turns'],
    ] as const) {
      const reading = reader()
      expect(reading.errorLine?.(line, NOW)).toEqual([])
      expect(reading.verdict().failure?.reason).toBe(reason)
    }
  })

  it('says nothing with any other line, however long', () => {
    const reading = reader()
    for (const line of ['YOLO mode is enabled.', '', 'retry in '.repeat(100_000), 'x'.repeat(1_000_000)])
      expect(reading.errorLine?.(line, NOW)).toEqual([])
    expect(reading.verdict().failure).toBeNull()
  })
})
