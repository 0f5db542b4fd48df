import { describe, expect, it } from 'vitest'
import { HOUR, reader, success, apiError, failureOf } from '../../../../../test/support/headless/gemini.ts'
import { NOW, feed } from '../../../../../test/support/headless/reading.ts'

describe('a failure of Gemini', () => {
  it.each([
    [apiError(401, 'Request had invalid credentials'), 401],
    [apiError(400, 'API key not valid. Please pass a valid API key.'), 400],
    [apiError(403, 'Your API key was reported as leaked.'), 403],
    ['[API Error: Bad credentials (Status: UNAUTHENTICATED)]', 401],
    ['Please set an Auth method in your settings.json', null],
  ])('is a missing sign-in: %s', (message, status) => {
    expect(failureOf(message).failure).toMatchObject({ reason: 'not_signed_in', status, resetsAt: null })
  })

  it.each([
    [apiError(429, 'You exceeded your current quota. Please retry in 3h2m'), 429, 3 * HOUR + 120_000],
    [apiError(429, 'Please retry in 34.5s'), 429, 34_500],
    ['[API Error: You have exhausted your capacity. Your quota will reset after 1h0m10s.]', null, HOUR + 10_000],
    [
      '[API Error: You have reached your daily quota limit. Use a paid API key. (Status: RESOURCE_EXHAUSTED)]',
      429,
      null,
    ],
    [apiError(429, 'Please retry in 999999999d'), 429, null],
  ])('is a usage limit: %s', (message, status, wait) => {
    const resetsAt = wait === null ? null : NOW + wait
    const { failure, happenings } = failureOf(message)
    expect(failure).toMatchObject({ reason: 'usage_limit', status, resetsAt })
    const at = resetsAt === null ? null : new Date(resetsAt).toISOString()
    expect(happenings).toContainEqual({ type: 'limit', message: failure?.message, resetsAt: at })
  })

  it.each(['No previous sessions found for this project.', 'Invalid session identifier "7421bf62".'])(
    'is a lost session where standard error says so: %s',
    (message) => {
      const reading = reader()
      reading.errorLine?.(`Error resuming session: ${message}`, NOW)
      expect(reading.verdict().failure).toMatchObject({ reason: 'session_lost' })
    },
  )

  it('names the message and the status of the server, however often they are wrapped', () => {
    const inner = JSON.stringify({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }, null, 2)
    const { failure, happenings } = failureOf(`[API Error: ${JSON.stringify({ error: { message: inner } })}]`)
    expect(failure).toEqual({ reason: 'cli_error', message: 'overloaded', status: 503, resetsAt: null })
    expect(happenings.slice(1)).toEqual([
      { type: 'error', message: 'overloaded', status: 503 },
      { type: 'result', text: 'overloaded', isError: true },
    ])
  })

  it('is a number of turns that was reached, even if the result is a success', () => {
    const reading = reader()
    feed(reading, { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' }, success)
    expect(reading.verdict()).toMatchObject({ isOver: true, failure: { reason: 'max_turns' } })
    expect(failureOf('Reached max session turns for this session.').failure?.reason).toBe('max_turns')
  })

  it('has the last error for its message where the result has none', () => {
    const reading = reader()
    const error = { type: 'error', severity: 'error', message: 'The model returned an empty response.' }
    const happenings = feed(reading, error, { type: 'result', status: 'error' })
    expect(happenings.map(({ type }) => type)).toEqual(['error', 'result'])
    expect(reading.verdict().failure).toMatchObject({ reason: 'cli_error', message: error.message })
    expect(failureOf('').failure?.reason).toBe('cli_error')
  })

  it('is none for a warning', () => {
    const reading = reader()
    expect(feed(reading, { type: 'error', severity: 'warning', message: 'Loop detected' })).toEqual([
      { type: 'status', status: 'notice', message: 'Loop detected' },
    ])
    expect(reading.verdict().failure).toBeNull()
  })
})
