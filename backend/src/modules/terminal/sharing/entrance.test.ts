import { CloseCode, LINK_NEEDS_SIGN_IN, LINK_REFUSED, type WatchFrame } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { aCaller, NOWHERE } from '../../../../test/support/people/callers.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { Signal } from '../../../lib/emitter.ts'
import { byRevocation, type Loss } from '../../access/loss.ts'
import { linkRevoked, Watchers } from './watchers.ts'
import { disconnected, engineUnavailable } from '../../sessions/ending.ts'
import type { RefusedError } from '../refused.ts'
import type { Session } from '../session/session.ts'
import type { Viewer } from '../session/viewers/viewer.ts'
import { type WatchDeps, WatchEntrance } from './entrance.ts'

const disabled = { kind: 'user', userId: aCaller().userId, because: 'disabled' } as const
const FIRST = { type: 'auth', v: 2, link: 'slk_secret', token: 'token' } as const
const ROW = { id: 'agent', name: 'agent', ownerId: 'ann', sharedWith: [] }
const LINK = {
  id: 'link',
  sessionId: 's',
  session: { agentId: 'agent', userId: 'ann' },
  createdById: 'ann',
  createdBy: { role: 'user', disabledAt: null },
  access: 'control',
  audience: 'anyone',
  expiresAt: new Date(9e6),
}
/** In each step the entrance waits for an answer of the database or the engine. */
const STEPS = ['who it is', 'the link', 'the agent', 'the recovery', 'the record', 'the screen'] as const
type Step = (typeof STEPS)[number]

/** What a guest meets. */
interface Circumstances {
  readonly first?: WatchFrame
  readonly link?: object | null
  readonly row?: object
  /** Whether this backend has the session. */
  readonly isHere?: () => boolean
  /** How the session ended, if this backend does not have it; null: it has not ended. */
  readonly endReason?: string | null
  /** Gets each step that was asked for. */
  readonly asked?: Step[]
}

/** A user opens a link that is for anyone. `meanwhile` is called in that step, before its answer arrives. */
const comeBy = async (
  step: Step | null,
  meanwhile: (parts: Parts) => void,
  { first = FIRST, link = LINK, row = ROW, isHere = () => true, endReason = null, asked = [] }: Circumstances = {},
): Promise<unknown> => {
  const { session } = scriptedSession()
  const losses = new Signal<Loss>()
  const watchers = new Watchers(losses, { now: () => 0 })
  const parts = { watchers, losses, session }
  const answer = async <T>(to: Step, value: T): Promise<T> => {
    asked.push(to)
    await Promise.resolve()
    if (to === step) meanwhile(parts)
    return value
  }
  const slot = { sessionId: 's', session, row, caller: aCaller({ userId: 'ann' }) }
  const deps = {
    watchers,
    registry: { bySession: () => (isHere() && !session.ending ? slot : null) },
    authenticator: { authenticate: () => answer('who it is', aCaller()) },
    links: { find: () => answer('the link', link), watched: () => answer('the record', undefined) },
    records: { find: () => Promise.resolve({ mode: 'bash', endReason, exitCode: null }) },
    recovered: () => answer('the recovery', undefined),
    agentById: () => answer('the agent', row),
  }
  const entrance = new WatchEntrance(deps as unknown as WatchDeps, NOWHERE)
  const opened = await entrance.open({ ...first }, {} as Viewer)
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
  readonly losses: Signal<Loss>
  readonly session: Session
}

describe('a guest on their way in by a link', () => {
  it.each(STEPS)('is let in after waiting for %s alone', async (step) => {
    expect(await comeBy(step, () => undefined)).toBe('let in')
  })

  it.each(STEPS)('is refused when a right of theirs is revoked while they wait for %s', async (step) => {
    const come = comeBy(step, ({ losses }) => losses.emit(byRevocation(disabled)))
    await expect(come).rejects.toMatchObject<Partial<RefusedError>>({
      closeCode: CloseCode.FORBIDDEN,
      message: 'Your account was disabled. An admin can enable it again.',
    })
  })

  it.each(STEPS)('is refused when the link is revoked while they wait for %s', async (step) => {
    const come = comeBy(step, ({ watchers }) => watchers.revoked('link'))
    await expect(come).rejects.toMatchObject({ ending: linkRevoked })
  })

  it.each(STEPS)('is refused when the maker of the link is disabled while they wait for %s', async (step) => {
    const come = comeBy(step, ({ losses }) =>
      losses.emit(byRevocation({ kind: 'user', userId: 'ann', because: 'disabled' })),
    )
    await expect(come).rejects.toMatchObject({ ending: linkRevoked })
  })
})

const nothing = (): void => undefined
const leadsNowhere = { closeCode: CloseCode.FORBIDDEN, message: LINK_REFUSED, ending: undefined }

describe('a guest who comes by a link after a restart', () => {
  it('waits for the recovery of the session, and is let in when it is back', async () => {
    let isBack = false
    const come = comeBy('the recovery', () => void (isBack = true), { isHere: () => isBack })
    expect(await come).toBe('let in')
  })

  it('is told to try again where the session cannot be taken over just now', async () => {
    await expect(comeBy(null, nothing, { isHere: () => false })).rejects.toMatchObject({
      closeCode: CloseCode.INTERNAL,
      ending: engineUnavailable,
    })
  })

  it.each(['server_killed', 'container_stopped', 'exited', 'access_revoked'])(
    'is refused for good where it ended by %s',
    async (endReason) => {
      await expect(comeBy(null, nothing, { isHere: () => false, endReason })).rejects.toMatchObject(leadsNowhere)
    },
  )

  it('is told to try again when the session is detached while the record is written, and refused when it ends', async () => {
    const letGo = comeBy('the record', ({ session }) => session.release(engineUnavailable))
    await expect(letGo).rejects.toMatchObject({ ending: engineUnavailable })
    const ended = comeBy('the record', ({ session }) => session.end(disconnected), { endReason: 'disconnected' })
    await expect(ended).rejects.toMatchObject(leadsNowhere)
  })

  it.each<[string, Circumstances]>([
    ['whose link was revoked, or has expired', { link: null }],
    ['who may not see the agent', { link: { ...LINK, audience: 'agent' } }],
    ['whose link was made by a user who has lost access', { link: { ...LINK, createdById: 'ben' } }],
  ])('is refused at once, and waits for nothing, %s', async (_who, circumstances) => {
    const asked: Step[] = []
    await expect(comeBy(null, nothing, { ...circumstances, isHere: () => false, asked })).rejects.toMatchObject(
      leadsNowhere,
    )
    expect(asked).not.toContain('the recovery')
  })

  it('is asked to sign in at once, and waits for nothing', async () => {
    const asked: Step[] = []
    const circumstances = {
      first: { type: 'auth', v: 2, link: FIRST.link } as const,
      link: { ...LINK, audience: 'agent' },
      isHere: () => false,
      asked,
    }
    await expect(comeBy(null, nothing, circumstances)).rejects.toMatchObject({ message: LINK_NEEDS_SIGN_IN })
    expect(asked).toEqual(['the link'])
  })
})
