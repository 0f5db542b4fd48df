import { CloseCode, END_REASONS, TERMINAL_MESSAGE, type ErrorFrame } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { explainEnd, explainRunsOn } from './ends.ts'
import type { SessionEnd } from './session.ts'

function end(code: number, frame: Partial<ErrorFrame> | null = null, more: Partial<SessionEnd> = {}): SessionEnd {
  return {
    by: 'server',
    code,
    frame: frame === null ? null : { type: 'error', message: 'Something', ...frame },
    wasConnected: true,
    isInputCut: false,
    ...more,
  }
}

const explain = (what: SessionEnd) => explainEnd(what, 'Claude Code')

test('an end that the user asked for shows no message', () => {
  expect(explain(end(1000, null, { by: 'user' }))).toBeNull()
  expect(explain(end(3001, null, { by: 'page' }))).toBeNull()
})

test('the program that ended is called by its name, with its exit code', () => {
  expect(explain(end(1000, { reason: 'exited', exitCode: 0 }))).toMatchObject({
    title: 'Claude Code ended (exit code 0).',
    tone: 'neutral',
    wayOut: 'connect',
  })
  expect(explain(end(1000, { reason: 'exited', exitCode: 2 }))?.tone).toBe('warning')
})

test('every reason that the protocol names has words of its own', () => {
  const titles = END_REASONS.filter((reason) => reason !== 'disconnected').map(
    (reason) => explain(end(4004, { reason, message: 'raw' }))?.title,
  )
  expect(titles).not.toContain('raw')
  expect(new Set(titles).size).toBe(titles.length)
})

test.each([
  [CloseCode.UNAUTHENTICATED, 'sign-in'],
  [CloseCode.SESSION_EXISTS, 'take-over'],
  [CloseCode.FORBIDDEN, 'none'],
  [CloseCode.NOT_RUNNING, 'start'],
  [CloseCode.GOING_AWAY, 'connect'],
  [CloseCode.INTERNAL, 'connect'],
  [CloseCode.BAD_REQUEST, 'connect'],
] as const)('close code %i offers the way out "%s"', (code, wayOut) => {
  expect(explain(end(code, { message: 'Sentence.' }, { wasConnected: false }))?.wayOut).toBe(wayOut)
})

test('the sentences of the protocol are shown word for word', () => {
  const refused = (code: number, message: string) => explain(end(code, { message }, { wasConnected: false }))?.title
  expect(refused(4002, TERMINAL_MESSAGE.sessionExists)).toBe(TERMINAL_MESSAGE.sessionExists)
  expect(refused(4003, TERMINAL_MESSAGE.accessDenied)).toBe(TERMINAL_MESSAGE.accessDenied)
  expect(refused(4004, TERMINAL_MESSAGE.notRunning('atlas'))).toBe(TERMINAL_MESSAGE.notRunning('atlas'))
})

test('a socket that broke without a word is a lost connection', () => {
  expect(explain(end(1006))?.title).toBe('Connection lost.')
  expect(explain(end(1006, null, { wasConnected: false }))?.title).toBe('Could not reach the terminal.')
})

test('a sign-out closes with the way to sign in again, a revoked share does not', () => {
  expect(explain(end(4001, { reason: 'access_revoked' }))?.wayOut).toBe('sign-in')
  expect(explain(end(4003, { reason: 'access_revoked' }))?.wayOut).toBe('none')
})

test('control characters in a sentence do not reach the page', () => {
  expect(explain(end(4000, { message: 'a\x1b[31mb\u0007' }))?.title).toBe('a [31mb')
})

test('an unknown reason falls back to the close code', () => {
  expect(explain(end(4004, { reason: 'constructor', message: 'Gone.' }))?.title).toBe('Gone.')
})

test('what could not be told to end is said to run on, with the way to end it', () => {
  expect(explainRunsOn('Claude Code')).toMatchObject({
    title: 'Disconnected, but Claude Code is still running.',
    wayOut: 'connect',
  })
})

test('one terminal too many is not one that another device has', () => {
  const message = TERMINAL_MESSAGE.tooManyTerminals(3)
  expect(explain(end(CloseCode.SESSION_EXISTS, { message }, { wasConnected: false }))).toMatchObject({
    title: `${message}.`,
    wayOut: 'connect',
  })
})
