import { describe, expect, it } from 'vitest'
import { aCaller } from '../../../test/support/callers.ts'
import { byDeletion, byRevocation, byUnsharing, type Holding } from './taken.ts'

const caller = aCaller()
const { userId } = caller
const holding = (relation: Holding['relation'], agentId = 'agent'): Holding => ({
  caller,
  row: { id: agentId },
  relation,
})
const RELATIONS = ['owner', 'admin', 'sharee', null] as const

describe('what was taken', () => {
  it('from an account takes whatever it has, and from a role what the role gave', () => {
    const disabled = byRevocation({ kind: 'user', userId, because: 'disabled' })
    const less = byRevocation({ kind: 'user', userId, because: 'role_changed' })
    const other = byRevocation({ kind: 'user', userId: 'other', because: 'disabled' })
    expect(RELATIONS.map((relation) => disabled.from(holding(relation)))).toEqual([true, true, true, true])
    expect(RELATIONS.map((relation) => less.from(holding(relation)))).toEqual([false, true, false, false])
    expect(RELATIONS.map((relation) => other.from(holding(relation)))).toEqual([false, false, false, false])
    expect(disabled.refusal()).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringContaining('disabled') })
    expect(less.refusal()).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('with a share is what somebody has in that agent by the share alone', () => {
    const taken = byUnsharing('agent', userId)
    expect(RELATIONS.map((relation) => taken.from(holding(relation)))).toEqual([false, false, true, false])
    expect(taken.from(holding('sharee', 'another'))).toBe(false)
    expect(byUnsharing('agent', 'other').from(holding('sharee'))).toBe(false)
    expect(taken.refusal()).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('with an agent is everything in it', () => {
    expect([byDeletion('agent').from(holding('owner')), byDeletion('other').from(holding('owner'))]).toEqual([
      true,
      false,
    ])
  })
})
