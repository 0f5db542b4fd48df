import { describe, expect, it } from 'vitest'
import { reader, SESSION, step, error, failureOf } from '../../../../../test/support/headless/opencode.ts'
import { NOW, feed } from '../../../../../test/support/headless/reading.ts'

describe('a failure of OpenCode', () => {
  it.each([
    ['APIError', { statusCode: 401, message: 'Unauthorized' }],
    ['ProviderAuthError', { message: 'x', providerID: 'anthropic' }],
    ['UnknownError', { message: 'Error: no providers found' }],
    ['UnknownError', { message: 'No providers are available' }],
    ['APIError', { statusCode: 400, message: 'API key not valid. Please pass a valid API key.' }],
  ])('is a missing sign-in: %s %o', (name, data) => {
    expect(failureOf(name, data).failure).toMatchObject({ reason: 'not_signed_in', message: data.message })
  })

  it.each([
    [{ statusCode: 429, message: 'x', responseHeaders: { 'retry-after': '7200' } }, 7_200_000],
    [{ statusCode: 429, message: 'x', responseHeaders: { 'retry-after': 'Wed, 25 Nov 2026 13:00:00 GMT' } }, 3_600_000],
    [{ statusCode: 429, message: 'Please try again in 6m0s' }, 360_000],
    [{ statusCode: 402, message: 'x' }, null],
    [{ statusCode: 400, message: 'Your credit balance is too low' }, null],
    [{ statusCode: 403, message: 'x', responseBody: '{"type":"insufficient_quota"}' }, null],
    [{ statusCode: 429, message: 'x', responseHeaders: { 'retry-after': '999999999' } }, null],
  ])('is a usage limit: %o', (data, wait) => {
    const resetsAt = wait === null ? null : NOW + wait
    const { failure, happenings } = failureOf('APIError', data)
    expect(failure).toMatchObject({ reason: 'usage_limit', status: data.statusCode, resetsAt })
    const at = resetsAt === null ? null : new Date(resetsAt).toISOString()
    expect(happenings).toEqual([{ type: 'limit', message: data.message, resetsAt: at }])
  })

  it('names the message and the status of the server', () => {
    const { failure, happenings } = failureOf('APIError', { message: 'overloaded', statusCode: 500 })
    expect(failure).toEqual({ reason: 'cli_error', message: 'overloaded', status: 500, resetsAt: null })
    expect(happenings).toEqual([{ type: 'error', message: 'overloaded', status: 500 }])
  })

  it('has the name of the error where there is no message', () => {
    expect(failureOf('ProviderModelNotFoundError').failure).toMatchObject({ message: 'ProviderModelNotFoundError' })
    expect(failureOf('').failure?.message).toBe('OpenCode has named no reason.')
  })

  it('is a lost session where OpenCode says so before it starts', () => {
    const line = '\u001b[91m\u001b[1mError: \u001b[0mSession not found'
    const resumed = reader({ resume: SESSION })
    expect(resumed.errorLine?.(line, NOW)).toEqual([{ type: 'error', message: 'Session not found', status: null }])
    expect(resumed.verdict().failure).toMatchObject({ reason: 'session_lost' })
    const begun = reader({ resume: SESSION })
    feed(begun, step)
    expect(begun.errorLine?.(line, NOW)).toEqual([])
  })

  it('is over where OpenCode goes on', () => {
    const reading = reader()
    feed(reading, error('ContextOverflowError', { message: 'too long' }), step)
    expect(reading.verdict().failure).toBeNull()
  })
})
