import { WATCHERS_MAX } from '@slipway/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { blindViewer } from '../../../../test/support/blind-viewer.ts'
import { aCaller } from '../../../../test/support/callers.ts'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { Signal } from '../../../lib/emitter.ts'
import type { Revocation } from '../../identity/revocations.ts'
import type { Caller } from '../../identity/caller.ts'
import { disconnected, type Ending, revokedBy } from '../ending.ts'
import type { Missed } from '../registry.ts'
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
  const [endings, revocations] = [new Signal<Missed>(), new Signal<Revocation>()]
  const watchers = new Watchers({ endings, revocations }, { now: () => Date.now() })
  const come = ({ linkId = 'link', createdById = 'ann', caller = null, seated = true }: Coming = {}) => {
    const ended: Ending[] = []
    const viewer = blindViewer({ ended: (ending) => void ended.push(ending) })
    const link = { id: linkId, createdById, expiresAt: new Date(Date.now() + 5 * MINUTE_MS) }
    const watcher = { slot: { sessionId: 's', session, row: { id: 'agent' } }, link, caller, relation: null, viewer }
    const place = watchers.admit(watcher as unknown as Watcher, watchers.arrive())
    const person = {
      name: `Guest ${place?.guest}`,
      isHolder: false,
      mayControl: caller !== null,
      handsOver: () => Promise.resolve(),
    }
    if (seated) session.attach(viewer, 0, person)
    return { ended, place }
  }
  return { watchers, endings, revocations, session, come }
}

describe('somebody who came by a link', () => {
  it('leaves when its time is over', async () => {
    const { come, session } = setUp()
    const { ended } = come()
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS - 1)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect([ended, session.watchers, session.ending]).toEqual([[linkExpired], 0, null])
  })

  it('leaves when it is revoked, or whoever made it may do nothing any more, and nobody else does', () => {
    const { come, watchers, revocations } = setUp()
    const [first, second, third] = [
      come({ linkId: 'one' }),
      come({ linkId: 'two' }),
      come({ linkId: 'three', createdById: 'bob' }),
    ]
    watchers.revoked('one')
    expect([first.ended, second.ended, third.ended]).toEqual([[linkRevoked], [], []])
    revocations.emit({ kind: 'user', userId: 'bob', because: 'disabled' })
    expect([second.ended, third.ended]).toEqual([[], [linkRevoked]])
  })

  it('leaves with their own sign-in, although they are a stranger to the agent, and nobody else does', () => {
    const { come, endings, watchers } = setUp()
    const [known, other, guest] = [come({ caller: aCaller() }), come({ caller: aCaller({ userId: 'eve' }) }), come()]
    const ending = revokedBy({ kind: 'user', userId: aCaller().userId, because: 'disabled' })
    expect(watchers.callers().map(({ userId }) => userId)).toEqual([aCaller().userId, 'eve'])
    endings.emit({ matches: ({ caller, relation }) => caller.userId === aCaller().userId && relation === null, ending })
    expect([known.ended, other.ended, guest.ended]).toEqual([[ending], [], []])
  })

  it('finds out at their seat what was taken on the way to it', async () => {
    const { come, watchers, endings } = setUp()
    const ending = revokedBy({ kind: 'user', userId: aCaller().userId, because: 'disabled' })
    const [known, guest] = [come({ caller: aCaller(), seated: false }), come({ seated: false })]
    endings.emit({ matches: () => true, ending })
    watchers.revoked('link')
    expect([known.place?.ended, guest.place?.ended]).toEqual([ending, linkRevoked])
    const late = come({ linkId: 'another', seated: false })
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
    expect(late.place?.ended).toBe(linkExpired)
  })

  it('is told from the others, and finds no place where as many are as may', () => {
    const { come, session } = setUp()
    const all = Array.from({ length: WATCHERS_MAX }, () => come())
    expect(all.map(({ place }) => place?.guest)).toEqual(Array.from({ length: WATCHERS_MAX }, (_, at) => at + 1))
    expect(come().place).toBeNull()
    all[0]!.place!.left()
    expect(come().place).not.toBeNull()
    session.end(disconnected)
  })
})
