import { randomUUID } from 'node:crypto'
import type { ModelUsage } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { OPTIONS, RESULT } from '../../../../test/support/headless/claude.ts'
import { feed } from '../../../../test/support/headless/reading.ts'
import { as } from '../../../../test/support/people/team.ts'
import type { Person } from '../../../../test/support/people/people.ts'
import { endWith, type NamedAgent, share, useLedger } from '../../../../test/support/runs/ledger.ts'
import { headless } from '../../providers/headless/claude.ts'
import type { NewRun } from '../new-run.ts'

const { team, repository, active, agentOf, someUser } = useLedger()

const MODEL = 'claude-opus-5'
const totals = (costUsd: number): ModelUsage[] => [
  { model: MODEL, inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd },
]

/** An agent whose session of Claude its owner and a guest continue. */
const setUp = async () => {
  const [owner, guest] = [await someUser(), await someUser()]
  const agent: NamedAgent = await agentOf(owner)
  const cliSessionId = randomUUID()
  const begin = (user: Person, more: Partial<NewRun> = {}) =>
    active(user, agent, { provider: 'claude-code', resumed: cliSessionId, ...more })
  /** A turn of the session that ended with these totals, and cost something. */
  const turn = async (user: Person, costUsd: number | null) => {
    const end = { ...endWith(share(MODEL)), cliSessionId, totals: costUsd === null ? [] : totals(costUsd) }
    expect(await repository().end({ id: await begin(user), generation: 1 }, end)).toBe(true)
  }
  const leave = async (user: Person) =>
    expect((await as(team(), team().admin)(`DELETE /users/${user.id}`)).statusCode).toBe(204)
  /** What the next turn is told of the session, and charged if Claude prints these totals. */
  const next = async (costUsd: number, { forks = false } = {}) => {
    const id = await begin(owner, { forks })
    const session = { id, agentId: agent.id, provider: 'claude-code', resumed: cliSessionId }
    const totalsBefore = await repository().totalsBefore(session)
    const reading = headless.read({ ...OPTIONS, resume: cliSessionId, forks, totalsBefore })
    feed(reading, { ...RESULT, modelUsage: { [MODEL]: { costUSD: costUsd } }, total_cost_usd: costUsd })
    return { totalsBefore, chargedUsd: reading.verdict().costUsd }
  }
  return { owner, guest, cliSessionId, begin, turn, leave, next }
}

describe('a turn after a user was deleted', () => {
  it.each([{ forks: false }, { forks: true }])(
    'is charged with its own share of the session, and not with what that user spent: %o',
    async (how) => {
      const { owner, guest, turn, leave, next } = await setUp()
      await turn(owner, 1)
      await turn(guest, 20)
      await turn(guest, 41)
      await leave(guest)
      expect(await next(41.5, how)).toEqual({ totalsBefore: totals(41), chargedUsd: 0.5 })
    },
  )

  it('is charged the same after a later turn that was killed before it printed totals', async () => {
    const { owner, guest, turn, leave, next } = await setUp()
    await turn(owner, 1)
    await turn(guest, 41)
    await turn(owner, null)
    await leave(guest)
    expect((await next(41.5)).chargedUsd).toBe(0.5)
  })

  it('is charged with what it has more than a later turn of another user', async () => {
    const { owner, guest, turn, leave, next } = await setUp()
    await turn(guest, 40)
    await turn(owner, 41)
    await leave(guest)
    expect((await next(41.5)).chargedUsd).toBe(0.5)
  })

  it('is not charged with totals of the session if all of its turns were of that user', async () => {
    const { guest, turn, leave, next } = await setUp()
    await turn(guest, 41)
    await leave(guest)
    expect(await next(41.5)).toEqual({ totalsBefore: null, chargedUsd: null })
  })

  it('is not charged with totals of the session if a turn of that user went on', async () => {
    const { owner, guest, cliSessionId, begin, turn, leave, next } = await setUp()
    await turn(owner, 1)
    await repository().named({ id: await begin(guest), generation: 1 }, cliSessionId)
    await leave(guest)
    expect(await next(41.5)).toEqual({ totalsBefore: null, chargedUsd: null })
  })

  it('is charged as before if the session was never continued by that user', async () => {
    const { owner, guest, begin, turn, leave, next } = await setUp()
    await turn(owner, 1)
    const end = { ...endWith(share(MODEL)), cliSessionId: randomUUID(), totals: totals(41) }
    await repository().end({ id: await begin(guest), generation: 1 }, end)
    await leave(guest)
    expect((await next(1.5)).chargedUsd).toBe(0.5)
  })
})
