import { describe, expect, it } from 'vitest'
import { read, event, prompt, message, result, call, error } from '../../../../../test/support/headless/copilot.ts'
import { COPILOT } from './acp.ts'
import { NOW } from '../../../../../test/support/headless/reading.ts'

describe('a failure of Copilot', () => {
  it('is a missing sign-in where an error says so', () => {
    const { happenings, verdict } = read([
      error({ errorType: 'authentication', message: 'Sign in.', statusCode: 401 }),
      { ...result, exitCode: 1 },
    ])
    expect(happenings).toEqual([{ type: 'error', message: 'Sign in.', status: 401 }])
    expect(verdict).toMatchObject({ isOver: true, hasWorked: false })
    expect(verdict.failure).toEqual({ reason: 'not_signed_in', message: 'Sign in.', status: 401, resetsAt: null })
  })

  it('is a missing sign-in where standard error says so before there is a session', () => {
    const { reading } = read([])
    expect(reading.errorLine?.('Error: No authentication information found.', NOW)).toHaveLength(1)
    expect(reading.errorLine?.('Copilot can be authenticated with a token.', NOW)).toEqual([])
    expect(reading.verdict()).toMatchObject({ sessionId: null, failure: { reason: 'not_signed_in', status: null } })
  })

  it.each([
    "No session, task, or name matched '7421bf62-ac88-49ad-a255-367128d6ad15'.",
    'Resource not found: Session 7421bf62-ac88-49ad-a255-367128d6ad15 not found',
  ])('is a lost session: %s', (message) => {
    const { reading } = read([])
    expect(reading.errorLine?.(`Error: ${message}`, NOW)).toEqual([{ type: 'error', message, status: null }])
    expect(reading.verdict().failure).toMatchObject({ reason: 'session_lost', message })
  })

  it('is read from an answer that Copilot wrote in place of its model', () => {
    const refused = 'Authentication failed with provider at http://127.0.0.1/v1 (HTTP 401).\n  Check your key.'
    const { happenings, verdict } = read([prompt, message(`Error: ${refused}`), result])
    expect(happenings.slice(2)).toEqual([
      { type: 'error', message: refused, status: 401 },
      { type: 'result', text: `Error: ${refused}`, isError: true },
    ])
    expect(verdict.failure).toMatchObject({ reason: 'not_signed_in', status: 401 })

    const broken =
      'Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 14.85 seconds) Last error: 500 x'
    expect(read([message(broken), result]).verdict.failure).toMatchObject({ reason: 'cli_error', status: 500 })
  })

  it('is not read from an answer of the model about errors', () => {
    for (const text of ['Error: the test fails.', 'The log says "Error: Authentication failed with provider at x"'])
      expect(read([message(text), result]).verdict).toMatchObject({ failure: null, result: text })
  })

  it('is read over ACP from what the server of the model refused', () => {
    const limit = '429 You have reached your usage limit. Try again in 1 hour.'
    expect(COPILOT.asideIn?.(`Error: ${limit}`, NOW)).toMatchObject({
      happenings: [{ type: 'limit', message: limit }],
      failure: { reason: 'usage_limit', status: 429 },
    })
    expect(COPILOT.asideIn?.('Error: 503 Over capacity', NOW)?.failure).toEqual({
      ...{ reason: 'cli_error', message: '503 Over capacity', status: 503, resetsAt: null },
    })
    for (const text of ['Error: 4290 lines', 'An Error: 429 came', 'Error: the server says 429'])
      expect(COPILOT.asideIn?.(text, NOW)).toBe(null)
  })

  it.each([
    ["Sorry, you've hit a rate limit. Please try again in 15 hours 23 minutes.", '2026-11-26T03:24:00.000Z'],
    ["Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds.", '2026-11-25T12:46:33.000Z'],
    ['Slow down.', null],
  ])('is a usage limit, with the time when it ends: %s', (text, resetsAt) => {
    const { happenings, verdict } = read([error({ errorType: 'rate_limit', message: text, statusCode: 429 })])
    expect(happenings).toEqual([{ type: 'limit', message: text, resetsAt }])
    const at = resetsAt === null ? null : Date.parse(resetsAt)
    expect(verdict.failure).toEqual({ reason: 'usage_limit', message: text, status: 429, resetsAt: at })
  })

  it('is a usage limit that ends with the quota', () => {
    const quotaSnapshots = {
      chat: { remainingPercentage: 50, resetDate: '2026-12-05T00:00:00Z' },
      premium_interactions: { remainingPercentage: 0, resetDate: '2026-12-01T00:00:00Z' },
      ['__proto__']: { remainingPercentage: 0 },
    }
    const text = 'You have exceeded your monthly quota (Request ID: 3E69:27654)'
    const { verdict } = read([
      event('model.call_failure', { statusCode: 402, quotaSnapshots }),
      error({ errorType: 'quota', message: text, statusCode: 402, errorCode: 'quota_exceeded' }),
      { ...result, exitCode: 1 },
    ])
    const at = Date.parse('2026-12-01T00:00:00Z')
    expect(verdict.failure).toEqual({ reason: 'usage_limit', message: text, status: 402, resetsAt: at })
  })

  it('is an error of the CLI for anything else', () => {
    const { verdict } = read([error({ errorType: 'query', message: 'Model not found', statusCode: 404 })])
    expect(verdict.failure).toEqual({ reason: 'cli_error', message: 'Model not found', status: 404, resetsAt: null })
  })

  it('is reported once if the answer repeats it', () => {
    const text = 'Authentication failed with provider at http://127.0.0.1/v1 (HTTP 401).'
    const { happenings } = read([error({ errorType: 'authentication', message: text }), message(`Error: ${text}`)])
    expect(happenings.map(({ type }) => type)).toEqual(['error', 'text'])
  })

  it('is none if Copilot goes on, with another model', () => {
    const limit = error({ errorType: 'rate_limit', message: 'Slow down.' })
    expect(read([limit, message('Done.'), result]).verdict.failure).toBeNull()
    expect(read([limit, call('view', { path: 'a' })]).verdict.failure).toBeNull()
  })
})
