import { LINK_NEEDS_SIGN_IN, LINK_REFUSED, type ErrorFrame } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { explainGuestEnd } from './guestEnds.ts'
import type { SessionEnd } from './session.ts'

const end = (code: number, frame: Partial<ErrorFrame> | null, by: SessionEnd['by'] = 'server'): SessionEnd => ({
  by,
  code,
  frame: frame === null ? null : { type: 'error', message: 'Something', ...frame },
  wasConnected: true,
  isInputCut: false,
})
const explain = (what: SessionEnd) => explainGuestEnd(what, 'Claude Code')

test('a link that asks for a sign-in is told from one that leads nowhere', () => {
  expect(explain(end(4001, { message: LINK_NEEDS_SIGN_IN }))).toMatchObject({ wayOut: 'sign-in' })
  expect(explain(end(4003, { message: LINK_REFUSED }))).toMatchObject({
    title: 'You cannot open this terminal.',
    wayOut: 'none',
  })
})

test('a link that was revoked says so, and offers nothing', () => {
  expect(explain(end(4003, { reason: 'access_revoked' }))).toMatchObject({
    title: 'This link no longer works.',
    wayOut: 'none',
  })
})

test.each(['exited', 'disconnected', 'container_stopped', 'agent_deleted', 'connection_lost', 'out_of_memory'])(
  'what ended by %s is over for a guest',
  (reason) => {
    expect(explain(end(1000, { reason }))).toMatchObject({ wayOut: 'none' })
  },
)

test('what the server cannot do just now may be tried again', () => {
  expect(explain(end(1011, { reason: 'engine_unavailable' }))).toMatchObject({ wayOut: 'connect' })
  expect(explain(end(1011, { message: 'Try again in a moment.' }))).toMatchObject({ wayOut: 'connect' })
})

test('a connection that was lost may be tried again, and who left needs no words', () => {
  expect(explain(end(1006, null))).toMatchObject({ wayOut: 'connect' })
  expect(explain(end(3001, null, 'page'))).toBeNull()
})
