import type { AuditEvent } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { ACTION_CHOICES, actorOf, changesOf, factsOf, filtersOf, saysOf, targetOf } from './audit.ts'

const event = (change: Partial<AuditEvent> = {}): AuditEvent => ({
  id: '1',
  at: '2026-01-01T00:00:00Z',
  action: 'user.role_changed',
  actor: { id: 'a', email: 'ann@example.org', via: 'sign_in', viaId: 's', address: '203.0.113.1' },
  requestId: 'r',
  target: { type: 'user', id: 'b', name: 'bob@example.org' },
  detail: {},
  ...change,
})

describe('an event of the audit log', () => {
  it('says who did what to whom', () => {
    expect([actorOf(event()), saysOf('user.role_changed'), targetOf(event())]).toEqual([
      'ann@example.org',
      'changed the role of the user',
      'bob@example.org',
    ])
    expect(targetOf(event({ target: { type: 'user', id: 'a', name: 'ann@example.org' } }))).toBeNull()
    const nobody = { id: null, email: null, viaId: null, address: null }
    expect(actorOf(event({ actor: { ...nobody, via: 'platform' } }))).toBe('Slipway')
    expect(actorOf(event({ actor: { ...nobody, via: 'none' } }))).toBe('Unknown user')
  })

  it('of an earlier version is called by its action', () => expect(saysOf('moon.landed')).toBe('moon.landed'))

  it('shows what changed, and of a secret only that it did', () => {
    const detail = {
      owner: null,
      sessionId: 'x',
      taskId: 'y',
      changes: {
        skipPermissions: { before: true, after: false },
        scopes: { after: ['a', 'b'] },
        passwordHash: { secret: 'set' },
        tokenHash: { secret: true },
      },
    }
    expect(changesOf(event({ detail }))).toEqual([
      { field: 'skip permissions', before: 'yes', after: 'no', secret: null },
      { field: 'scopes', before: null, after: 'a, b', secret: null },
      { field: 'password hash', before: null, after: null, secret: 'set' },
      { field: 'token hash', before: null, after: null, secret: 'changed' },
    ])
    expect(factsOf(event({ detail }))).toEqual([
      ['session id', 'x'],
      ['task id', 'y'],
    ])
  })
})

describe('the filters', () => {
  it('ask for whole days of the reader', () => {
    const { from, to } = filtersOf({ from: '2026-03-01', to: '2026-03-01', actor: 'x' })
    expect([from, to]).toEqual([new Date(2026, 2, 1).toISOString(), new Date(2026, 2, 2).toISOString()])
    expect(filtersOf({ from: 'nonsense' })).toEqual({})
  })

  it('offer every group before its actions', () => {
    const users = ACTION_CHOICES.findIndex(({ value }) => value === 'user')
    expect(ACTION_CHOICES[users]).toMatchObject({ label: 'Users', group: true })
    expect(ACTION_CHOICES[users + 1]).toMatchObject({ value: 'user.created', group: false })
  })
})
