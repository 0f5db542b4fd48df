import { CloseCode } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { aCaller, NOWHERE } from '../../../../test/support/callers.ts'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { Signal } from '../../../lib/emitter.ts'
import { byRevocation } from '../../access/taken.ts'
import type { Revocation } from '../../identity/revocations.ts'
import { linkRevoked, Watchers } from './watchers.ts'
import { revokedBy } from '../ending.ts'
import type { RefusedError } from '../refused.ts'
import type { Missed } from '../registry.ts'
import type { Viewer } from '../session.ts'
import { type WatchDeps, WatchEntrance } from './entrance.ts'

const disabled = { kind: 'user', userId: aCaller().userId, because: 'disabled' } as const
const FIRST = { type: 'auth', v: 2, link: 'slk_secret', token: 'token' } as const
/** Each of them is an answer of the database that somebody waits for. */
const STEPS = ['who it is', 'the link', 'the agent', 'the record', 'the screen'] as const

/** Somebody comes by a link that is for anyone; `meanwhile` is called when that step was answered, and the answer has not come yet. */
const comeBy = async (step: (typeof STEPS)[number], meanwhile: (parts: Parts) => void): Promise<unknown> => {
  const { session } = scriptedSession()
  const [endings, revocations] = [new Signal<Missed>(), new Signal<Revocation>()]
  const watchers = new Watchers({ endings, revocations }, { now: () => 0 })
  const parts = { watchers, endings, revocations }
  const answer = async <T>(to: (typeof STEPS)[number], value: T): Promise<T> => {
    await Promise.resolve()
    if (to === step) meanwhile(parts)
    return value
  }
  const row = { id: 'agent', name: 'agent', ownerId: 'ann', sharedWith: [] }
  const createdBy = { role: 'user', disabledAt: null }
  const found = {
    id: 'link',
    createdById: 'ann',
    createdBy,
    access: 'control',
    audience: 'anyone',
    expiresAt: new Date(9e6),
  }
  const slot = { sessionId: 's', session, row, caller: aCaller({ userId: 'ann' }) }
  const deps = {
    watchers,
    registry: { bySession: () => slot },
    authenticator: { authenticate: () => answer('who it is', aCaller()) },
    links: { find: () => answer('the link', found), watched: () => answer('the record', undefined) },
    agentById: () => answer('the agent', row),
  }
  const entrance = new WatchEntrance(deps as unknown as WatchDeps, NOWHERE)
  const opened = await entrance.open(FIRST, {} as Viewer)
  try {
    await answer('the screen', null)
    opened.take()
  } finally {
    opened.left?.()
  }
  return 'let in'
}

interface Parts {
  readonly watchers: Watchers
  readonly endings: Signal<Missed>
  readonly revocations: Signal<Revocation>
}

describe('somebody on their way in by a link', () => {
  it.each(STEPS)('is let in when %s is all that they waited for', async (step) => {
    expect(await comeBy(step, () => undefined)).toBe('let in')
  })

  it.each(STEPS)('is refused when a right of theirs is taken while they wait for %s', async (step) => {
    const taken = byRevocation(disabled)
    const come = comeBy(step, ({ endings }) =>
      endings.emit({ matches: (held) => taken.from(held), ending: revokedBy(disabled) }),
    )
    await expect(come).rejects.toMatchObject<Partial<RefusedError>>({
      closeCode: CloseCode.FORBIDDEN,
      message: 'Your account was disabled. An admin can enable it again.',
    })
  })

  it.each(STEPS)('is refused when the link is revoked while they wait for %s', async (step) => {
    const come = comeBy(step, ({ watchers }) => watchers.revoked('link'))
    await expect(come).rejects.toMatchObject({ ending: linkRevoked })
  })

  it.each(STEPS)('is refused when whoever made the link is disabled while they wait for %s', async (step) => {
    const come = comeBy(step, ({ revocations }) =>
      revocations.emit({ kind: 'user', userId: 'ann', because: 'disabled' }),
    )
    await expect(come).rejects.toMatchObject({ ending: linkRevoked })
  })
})
