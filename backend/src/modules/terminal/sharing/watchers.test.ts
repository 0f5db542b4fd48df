import { WATCHERS_MAX } from '@slipway/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { blindViewer } from '../../../../test/support/terminals/blind.ts'
import { aCaller } from '../../../../test/support/people/callers.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { Signal } from '../../../lib/emitter.ts'
import { byRevocation, type Loss } from '../../access/loss.ts'
import type { Caller } from '../../identity/caller.ts'
import { disconnected, type Ending, revokedBy } from '../../sessions/ending.ts'
import { linkExpired, linkRevoked, type Watcher, Watchers } from './watchers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE_MS = 60_000

interface Coming {
  readonly linkId?: string
  readonly createdById?: string
  readonly caller?: Caller | null
  readonly seated?: boolean
}

const setUp = () => {
  const { session } = scriptedSession()
  const losses = new Signal<Loss>()
  const watchers = new Watchers(losses, { now: () => Date.now() })
  const come = ({ linkId = 'link', createdById = 'ann', caller = null, seated = true }: Coming = {}) => {
    const ended: Ending[] = []
    const viewer = blindViewer({ ended: (ending) => void ended.push(ending) })
    const link = { id: linkId, createdById, expiresAt: new Date(Date.now() + 5 * MINUTE_MS) }
    const row = { id: 'agent' }
    const watcher = {
      slot: { sessionId: 's', session, row },
      link,
      caller,
      row,
      relation: null,
      personal: false,
      viewer,
    }
    const admission = watchers.admit(watcher as unknown as Watcher, watchers.arrive())
    const person = {
      name: `Guest ${admission?.guest}`,
      isHolder: false,
      mayControl: caller !== null,
      handsOver: () => Promise.resolve(),
    }
    if (seated) session.attach(viewer, 0, person)
    return { ended, admission }
  }
  return { watchers, losses, session, come }
}

describe('a guest who came by a link', () => {
  it('leaves when the link expires', async () => {
    const { come, session } = setUp()
    const { ended } = come()
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS - 1)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect([ended, session.watchers, session.ending]).toEqual([[linkExpired], 0, null])
  })

  it('leaves when the link is revoked or its maker loses access, and no other user does', () => {
    const { come, watchers, losses } = setUp()
    const [first, second, third] = [
      come({ linkId: 'one' }),
      come({ linkId: 'two' }),
      come({ linkId: 'three', createdById: 'bob' }),
    ]
    watchers.revoked('one')
    expect([first.ended, second.ended, third.ended]).toEqual([[linkRevoked], [], []])
    losses.emit(byRevocation({ kind: 'user', userId: 'bob', because: 'disabled' }))
    expect([second.ended, third.ended]).toEqual([[], [linkRevoked]])
  })

  it('leaves with their own sign-in, although they have no access to the agent, and no other user does', () => {
    const { come, losses, watchers } = setUp()
    const [known, other, guest] = [come({ caller: aCaller() }), come({ caller: aCaller({ userId: 'eve' }) }), come()]
    const revocation = { kind: 'user', userId: aCaller().userId, because: 'disabled' } as const
    const ending = revokedBy(revocation)
    expect(watchers.callers().map(({ userId }) => userId)).toEqual([aCaller().userId, 'eve'])
    losses.emit(byRevocation(revocation))
    expect([known.ended, other.ended, guest.ended]).toEqual([[ending], [], []])
  })

  it('finds out on arrival what was revoked on the way', async () => {
    const { come, watchers, losses } = setUp()
    const revocation = { kind: 'user', userId: aCaller().userId, because: 'disabled' } as const
    const ending = revokedBy(revocation)
    const [known, guest] = [come({ caller: aCaller(), seated: false }), come({ seated: false })]
    losses.emit(byRevocation(revocation))
    watchers.revoked('link')
    expect([known.admission?.ended, guest.admission?.ended]).toEqual([ending, linkRevoked])
    const late = come({ linkId: 'another', seated: false })
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
    expect(late.admission?.ended).toBe(linkExpired)
  })

  it('is told from the others, and is refused where the maximum number of guests is reached', () => {
    const { come, session } = setUp()
    const all = Array.from({ length: WATCHERS_MAX }, () => come())
    expect(all.map(({ admission }) => admission?.guest)).toEqual(
      Array.from({ length: WATCHERS_MAX }, (_, at) => at + 1),
    )
    expect(come().admission).toBeNull()
    all[0]!.admission!.left()
    expect(come().admission).not.toBeNull()
    session.end(disconnected)
  })
})
