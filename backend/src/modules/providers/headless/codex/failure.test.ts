import { describe, expect, it } from 'vitest'
import { read, started, answer, failed, usage } from '../../../../../test/support/headless/codex.ts'
import { NOW } from '../../../../../test/support/headless/reading.ts'

describe('a failure of Codex', () => {
  const failureOf = (message: string) => read([started, failed(message)]).verdict.failure
  const LIMIT =
    "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or"

  it('is a missing sign-in for status 401, which is reported once', () => {
    const message = 'unexpected status 401 Unauthorized: wrong key, url: https://api.openai.com/v1/responses'
    const { happenings, verdict } = read([
      started,
      { type: 'error', message: `Reconnecting... 1/5 (${message})` },
      { type: 'error', message },
      failed(message),
    ])
    expect(verdict).toMatchObject({ isOver: true, hasWorked: false })
    expect(verdict.failure).toEqual({ reason: 'not_signed_in', message, status: 401, resetsAt: null })
    expect(happenings.slice(1)).toEqual([
      { type: 'status', status: 'retrying', message: `Reconnecting... 1/5 (${message})` },
      { type: 'error', message, status: 401 },
    ])
  })

  it.each(['Missing environment variable: `OPENAI_API_KEY`.', 'Please log out and sign in again.'])(
    'is a missing sign-in for "%s"',
    (message) => expect(failureOf(message)).toMatchObject({ reason: 'not_signed_in', status: null }),
  )

  it.each([
    // The seconds are cut off, so the limit ends within the minute.
    [`${LIMIT} try again at 3:04 PM.`, '2026-11-25T15:05:00.000Z'],
    [`${LIMIT} try again at 12:10 AM.`, '2026-11-26T00:11:00.000Z'],
    // A time of day that has just passed is no time of tomorrow.
    [`${LIMIT} try again at 11:59 AM.`, '2026-11-25T12:00:00.000Z'],
    [`${LIMIT} try again at Nov 28th, 2026 1:30 AM.`, '2026-11-28T01:31:00.000Z'],
    [`${LIMIT} try again in 3 hours 2 minutes.`, '2026-11-25T15:03:00.000Z'],
    [`${LIMIT} try again in 3 days 6 hours 57 minutes.`, '2026-11-28T18:58:00.000Z'],
    [`${LIMIT} try again later.`, null],
    [`${LIMIT} try again at Nov 28th, 9999 1:30 AM.`, null],
    [`${LIMIT} try again in 999999 days 999999 days.`, null],
    ['Sorry, the usage limit is reached.', null],
  ])('is a usage limit, with the time when it ends: %s', (message, resetsAt) => {
    const { happenings, verdict } = read([failed(message)])
    expect(happenings).toEqual([{ type: 'limit', message, resetsAt }])
    const at = resetsAt === null ? null : Date.parse(resetsAt)
    expect(verdict.failure).toEqual({ reason: 'usage_limit', message, status: null, resetsAt: at })
  })

  it('is an error of the CLI for any other sentence, with its HTTP status', () => {
    const message = 'exceeded retry limit, last status: 429 Too Many Requests'
    expect(failureOf(message)).toMatchObject({ reason: 'cli_error', message, status: 429 })
    expect(failureOf('stream disconnected before completion')).toMatchObject({ reason: 'cli_error', status: null })
  })

  it('is none if the work goes on after an error', () => {
    const error = { type: 'error', message: 'stream disconnected' }
    expect(read([error]).verdict).toMatchObject({ isOver: false, failure: { reason: 'cli_error' } })
    expect(read([error, answer]).verdict.failure).toBeNull()
    expect(read([error, { type: 'turn.completed', usage }]).verdict.failure).toBeNull()
  })

  it('is read from standard error while there is no end', () => {
    const { reading } = read([])
    expect(reading.errorLine?.('Reading prompt from stdin...', NOW)).toEqual([])
    expect(reading.errorLine?.('Error: no rollout found for the thread', NOW)).toEqual([
      { type: 'error', message: 'no rollout found for the thread', status: null },
    ])
    expect(reading.verdict().failure).toMatchObject({ reason: 'session_lost' })
    const over = read([answer, { type: 'turn.completed', usage }]).reading
    expect(over.errorLine?.('Error: too late', NOW)).toEqual([])
    expect(over.verdict().failure).toBeNull()
  })
})
