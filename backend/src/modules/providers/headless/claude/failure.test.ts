import { describe, expect, it } from 'vitest'
import { INIT, RESULT, says, interruptedBy, read } from '../../../../../test/support/headless/claude.ts'

describe('a failure of Claude', () => {
  const retry = (status: number, error: string) => ({
    ...{ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 4, error_status: status, error },
  })
  const failed = (result: string, fields: object = {}) => ({ ...RESULT, is_error: true, result, ...fields })
  const failureOf = (...lines: readonly unknown[]) => read(INIT, ...lines).verdict.failure

  it('is no failure while Claude tries again', () => {
    const { happenings, verdict } = read(retry(401, 'authentication_failed'))
    const message = 'authentication_failed (401), retry 1 of 4'
    expect(happenings).toEqual([{ type: 'status', status: 'retrying', message }])
    expect(verdict).toMatchObject({ failure: null, isOver: false })
  })

  it.each([
    ['a status', [failed('API Error: 401', { api_error_status: 401 })], 401],
    ['an earlier retry', [retry(401, 'authentication_failed'), failed('Failed to authenticate')], 401],
    ['the name of the error', [says('No.', { error: 'authentication_failed' }), failed('No.')], null],
    ['its sentence', [failed('Not logged in · Please run /login')], null],
    ['its sentence about a key', [failed('Invalid API key · Fix external API key')], null],
  ])('is a missing sign-in by %s', (_, lines, status) =>
    expect(failureOf(...lines)).toMatchObject({ reason: 'not_signed_in', status, resetsAt: null }),
  )

  it('is a usage limit with the time of its reset', () => {
    const message = "You've hit your limit · resets 3pm (UTC)"
    const { happenings, verdict } = read(INIT, failed(message, { api_error_status: 429 }))
    const resetsAt = Date.parse('2026-11-25T15:00:00Z')
    expect(verdict.failure).toEqual({ reason: 'usage_limit', message, status: 429, resetsAt })
    expect(happenings.slice(1)).toEqual([
      { type: 'limit', message, resetsAt: '2026-11-25T15:00:00.000Z' },
      { type: 'result', text: message, isError: true },
    ])
  })

  it('is a usage limit that ends when Claude has said so apart from the message', () => {
    const resetsAt = Date.parse('2026-11-25T14:00:00Z')
    const info = { status: 'rejected', resetsAt: resetsAt / 1000, rateLimitType: 'five_hour' }
    const limit = (fields: object = {}) => ({ type: 'rate_limit_event', rate_limit_info: { ...info, ...fields } })
    const rejected = failed('API Error: Request rejected (429)', { api_error_status: 429 })
    expect(failureOf(limit(), rejected)).toMatchObject({ reason: 'usage_limit', resetsAt })
    expect(failureOf(limit(), failed('5-hour limit reached ∙ resets 3pm'))).toMatchObject({ resetsAt })
    expect(failureOf(limit({ resetsAt: 'soon' }), rejected)).toMatchObject({ reason: 'usage_limit', resetsAt: null })
    expect(failureOf(limit(), limit({ status: 'allowed' }), rejected)).toMatchObject({ reason: 'cli_error' })
  })

  it('is a usage limit even if Claude calls its sentence a success', () => {
    const message = "You've hit your limit · resets 3pm"
    const lines = [says(message, { error: 'rate_limit', is_api_error_message: true }), { ...RESULT, result: message }]
    expect(read(...lines)).toMatchObject({ verdict: { hasWorked: false, failure: { reason: 'usage_limit' } } })
  })

  it('is no usage limit if the model only speaks of one', () => {
    const message = "You've hit your limit · resets 3pm"
    expect(failureOf(says(message), { ...RESULT, result: message })).toBeNull()
  })

  it('is an error of the CLI if the model server wants fewer requests', () => {
    const message = "API Error: 429 This request would exceed your organization's rate limit of 5 requests per minute"
    expect(failureOf(failed(message, { api_error_status: 429 }))).toEqual({
      ...{ reason: 'cli_error', message, status: 429, resetsAt: null },
    })
  })

  it.each([
    ['error_max_turns', 'max_turns', 'Reached maximum number of turns (2)'],
    ['error_max_budget_usd', 'max_budget', 'Reached maximum budget ($0.001)'],
    ['error_during_execution', 'session_lost', 'No conversation found with session ID: x'],
  ])('is told by the subtype %s', (subtype, reason, message) => {
    const { happenings, verdict } = read(INIT, says('Half.'), {
      ...{ type: 'result', subtype, is_error: true, errors: [message], total_cost_usd: 0.1 },
    })
    expect(verdict).toMatchObject({ failure: { reason, message, status: null }, result: null, costUsd: 0.1 })
    expect(happenings.slice(2)).toEqual([
      { type: 'error', message, status: null },
      { type: 'result', text: message, isError: true },
    ])
  })

  it('is an error of the model server, which has the subtype of a success', () => {
    const message = 'API Error: 400 stub failure'
    const lines = [
      says(message, { is_api_error_message: true, api_error_status: 400, error: 'unknown' }),
      failed(message, { api_error_status: 400 }),
    ]
    expect(read(INIT, ...lines)).toMatchObject({
      verdict: { hasWorked: false, failure: { reason: 'cli_error', message, status: 400 } },
    })
  })

  it('forgets an error of the model server that the model has answered after', () => {
    const lines = [retry(401, 'authentication_failed'), says('Half.'), failed('Out of memory')]
    expect(failureOf(...lines)).toMatchObject({ reason: 'cli_error', status: null })
  })

  it.each([
    [
      'by its note',
      [interruptedBy('[Request interrupted by user]'), failed('', { subtype: 'error_during_execution' })],
    ],
    ['by its result', [failed('[Request interrupted by user]')]],
    ['by a result that looks like a success', [{ ...RESULT, result: '[Request interrupted by user for tool use]' }]],
  ])('is an interruption, known %s', (_, lines) => {
    const { failure, isOver } = read(INIT, says('Half.'), ...lines).verdict
    expect(failure).toMatchObject({ reason: 'cli_error', status: null })
    expect(failure?.message).toMatch(/^\[Request interrupted by user/)
    expect(isOver).toBe(true)
  })

  it('is an interruption, known by how the turn ended, without words for it', () =>
    expect(failureOf({ ...RESULT, result: null, is_error: true, terminal_reason: 'aborted_streaming' })).toEqual({
      ...{ reason: 'cli_error', message: 'Interrupted', status: null, resetsAt: null },
    }))

  it('is no interruption if only a subagent or a repeated prompt speaks of one', () => {
    const note = interruptedBy('[Request interrupted by user]')
    expect(failureOf({ ...note, parent_tool_use_id: 'call-0' }, RESULT)).toBeNull()
    expect(failureOf({ ...note, isReplay: true }, RESULT)).toBeNull()
  })
})
