import { WATCHERS_MAX } from '@slipway/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { Signal } from '../../../lib/emitter.ts'
import type { Revocation } from '../../identity/revocations.ts'
import { disconnected, type Ending } from '../ending.ts'
import type { Missed } from '../registry.ts'
import type { Viewer } from '../session.ts'
import { linkExpired, linkRevoked, type Watcher, Watchers } from './watchers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE_MS = 60_000

const setUp = () => {
  const { session } = scriptedSession()
  const [endings, revocations] = [new Signal<Missed>(), new Signal<Revocation>()]
  const watchers = new Watchers({ endings, revocations }, { now: () => Date.now() })
  const come = (linkId = 'link', createdById = 'ann') => {
    const ended: Ending[] = []
    const viewer = {
      backlog: 0,
      askedSize: null,
      output: () => undefined,
      snapshot: () => undefined,
      resized: () => undefined,
      company: () => undefined,
      drained: () => undefined,
      ended: (ending: Ending) => void ended.push(ending),
    } satisfies Viewer
    const link = { id: linkId, createdById, expiresAt: new Date(Date.now() + 5 * MINUTE_MS) }
    const watcher = { slot: { sessionId: 's', session }, link, caller: null, relation: null, viewer }
    const place = watchers.admit(watcher as unknown as Watcher, { missed: [] })
    session.attach(viewer, 0, { name: `Guest ${place?.guest}`, isHolder: false, mayControl: false })
    return { ended, place }
  }
  return { watchers, revocations, session, come }
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
    const [first, second, third] = [come('one'), come('two'), come('three', 'bob')]
    watchers.revoked('one')
    expect([first.ended, second.ended, third.ended]).toEqual([[linkRevoked], [], []])
    revocations.emit({ kind: 'user', userId: 'bob', because: 'disabled' })
    expect([second.ended, third.ended]).toEqual([[], [linkRevoked]])
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
