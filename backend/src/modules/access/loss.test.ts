import { describe, expect, it } from 'vitest'
import { aCaller } from '../../../test/support/people/callers.ts'
import { Signal } from '../../lib/emitter.ts'
import { byDeletion, byRevocation, bySharing, byStop, byUnsharing, type Holding, type Loss, refusalOf } from './loss.ts'
import { Open } from './open.ts'

const caller = aCaller()
const { userId } = caller
const holding = (relation: Holding['relation'], agentId = 'agent', more: Partial<Holding> = {}): Holding => ({
  caller,
  row: { id: agentId },
  relation,
  ...more,
})
const RELATIONS = ['owner', 'admin', 'sharee', null] as const
const AGENT = { id: 'agent', name: 'docs' }
const disabled = byRevocation({ kind: 'user', userId, because: 'disabled' })
const demoted = byRevocation({ kind: 'user', userId, because: 'role_changed' })

describe('a loss', () => {
  it('of an account takes everything that the account has, and of a role what the role gave', () => {
    const other = byRevocation({ kind: 'user', userId: 'other', because: 'disabled' })
    expect(RELATIONS.map((relation) => disabled.from(holding(relation)))).toEqual([true, true, true, true])
    expect(RELATIONS.map((relation) => demoted.from(holding(relation)))).toEqual([false, true, false, false])
    expect(RELATIONS.map((relation) => other.from(holding(relation)))).toEqual([false, false, false, false])
    expect(refusalOf(disabled)).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringContaining('disabled') })
    expect(refusalOf(demoted)).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('of a role takes what belongs to no agent, since it was opened with the old role', () => {
    expect(demoted.from(holding(null, 'agent', { row: null }))).toBe(true)
  })

  it('of a share takes what its sharee has in that agent by the share alone', () => {
    const unshared = byUnsharing('agent', userId)
    expect(RELATIONS.map((relation) => unshared.from(holding(relation)))).toEqual([false, false, true, false])
    expect(unshared.from(holding('sharee', 'another'))).toBe(false)
    expect(byUnsharing('agent', 'other').from(holding('sharee'))).toBe(false)
    expect(refusalOf(unshared)).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('of an agent takes everything in it', () => {
    const other = byDeletion({ id: 'other', name: 'other' })
    expect([byDeletion(AGENT), other].map((loss) => loss.from(holding('owner')))).toEqual([true, false])
  })

  it('of a container ends what runs in it, and leaves downloads and logs of it', () => {
    const stopped = byStop(AGENT, 'container_stopped')
    expect(stopped.from(holding('owner'))).toBe(false)
    expect(stopped.from(holding('owner', 'agent', { personal: false }))).toBe(true)
    expect(stopped.from(holding('owner', 'another', { personal: false }))).toBe(false)
  })

  it('by sharing takes what runs with a personal credential', () => {
    const shared = bySharing('agent')
    expect([true, false].map((personal) => shared.from(holding('owner', 'agent', { personal })))).toEqual([true, false])
    expect(shared.from(holding('owner'))).toBe(false)
  })

  it('takes nothing from a guest who has not signed in', () => {
    const guest = holding(null, 'agent', { caller: null, personal: false })
    const all = [disabled, demoted, byUnsharing('agent', userId), byStop(AGENT, 'agent_deleted'), byDeletion(AGENT)]
    expect(all.map((loss) => loss.from(guest))).toEqual([false, false, false, false, false])
  })
})

describe('what is open', () => {
  it('is told of each loss that concerns it until it is closed, and of no other', () => {
    const losses = new Signal<Loss>()
    const open = new Open<Holding>(losses)
    const heard: Loss[] = []
    const mine = holding('owner')
    expect(open.enter(mine, (loss) => heard.push(loss), open.arrive())).toBeNull()
    expect([open.size, open.callers(), open.all()]).toEqual([1, [caller], [mine]])
    losses.emit(demoted)
    losses.emit(disabled)
    open.leave(mine)
    losses.emit(disabled)
    expect([heard, open.size]).toEqual([[disabled], 0])
  })

  it('is not opened where the right was lost on the way', () => {
    const losses = new Signal<Loss>()
    const open = new Open<Holding>(losses)
    const arrival = open.arrive()
    losses.emit(disabled)
    expect(open.enter(holding('owner'), () => undefined, arrival)).toBe(disabled)
    expect(open.size).toBe(0)
  })
})
