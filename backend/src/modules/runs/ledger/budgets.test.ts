import { randomUUID } from 'node:crypto'
import type { Budget } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { share, useLedger } from '../../../../test/support/runs/ledger.ts'
import { as } from '../../../../test/support/people/team.ts'
import { BudgetRepository } from './budget-repository.ts'
import { monthOf } from './month.ts'

const { team, agentOf, ended, setTime, someUser } = useLedger()

describe('a budget', () => {
  it('is set, read and removed by admins, and read by its user', async () => {
    const user = await someUser()
    const admin = as(team(), team().admin)
    const mine = async (): Promise<Budget> => (await as(team(), user)('GET /users/me/budget')).json<Budget>()
    expect(await mine()).toMatchObject({ limitUsd: null, spentUsd: 0 })
    await ended(user, await agentOf(user), share('a'), share('b', { costUsd: null }))
    expect((await admin(`PUT /users/${user.id}/budget`, { limitUsd: 12.5 })).json()).toMatchObject({ limitUsd: 12.5 })
    expect(await mine()).toMatchObject({
      limitUsd: 12.5,
      spentUsd: 0.5,
      from: monthOf(team().clock.now()).from.toISOString(),
    })
    expect((await admin(`GET /users/${user.id}/budget`)).json()).toEqual(await mine())
    expect((await admin(`PUT /users/${user.id}/budget`, { limitUsd: null })).json()).toMatchObject({ limitUsd: null })
    for (const limitUsd of [-1, '5', 1e9]) {
      const { statusCode } = await admin(`PUT /users/${user.id}/budget`, { limitUsd })
      expect(statusCode).toBe(400)
    }
    for (const id of [randomUUID(), 'nobody'])
      expect((await admin(`PUT /users/${id}/budget`, { limitUsd: 1 })).statusCode).toBe(404)
  })

  it('counts the runs of its user, and the runs of all for the platform, in the month', async () => {
    const { prisma } = team().database
    const budgets = new BudgetRepository(prisma, { record: () => Promise.resolve() })
    const [user, other] = [await someUser(), await someUser()]
    const agent = await agentOf(user)
    const run = await ended(user, agent, share('a'), share('b'))
    const old = await ended(user, agent, share('a', { costUsd: 7 }))
    await setTime(old, new Date('2020-01-01'))
    await ended(other, agent, share('a', { costUsd: 3 }))
    await as(team(), team().admin)(`PUT /users/${user.id}/budget`, { limitUsd: 5 })
    const month = monthOf(team().clock.now())
    expect(await budgets.accounts(month, [user.id, other.id], [])).toEqual([
      { userId: user.id, limitUsd: 5, spentUsd: 1 },
    ])
    expect(await budgets.accounts(month, [user.id], [run])).toMatchObject([{ spentUsd: 0 }])
    const january = monthOf(Date.parse('2020-01-15'))
    expect(await budgets.accounts(january, [user.id], [])).toMatchObject([{ spentUsd: 7 }])
    expect(await budgets.spent(january, null)).toBe(7)
  })

  it('that is used up refuses the next task', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    await ended(user, agent, share('a'))
    const admin = as(team(), team().admin)
    const start = async () =>
      (
        await as(team(), user)('POST /coding-agents/sessions', { agent: agent.name, provider: 'codex', prompt: 'hi' })
      ).json<object>()
    await admin(`PUT /users/${user.id}/budget`, { limitUsd: 0.5 })
    expect(await start()).toMatchObject({
      statusCode: 409,
      code: 'BUDGET_EXHAUSTED',
      message: expect.stringContaining("The user's budget of $0.50"),
    })
    await admin(`PUT /users/${user.id}/budget`, { limitUsd: null })
    await admin('PUT /platform/budget', { limitUsd: 0 })
    const refused = await start()
    await admin('PUT /platform/budget', { limitUsd: null })
    expect(refused).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      message: expect.stringContaining("The platform's budget"),
    })
    expect(await start()).toMatchObject({ agent: agent.name })
  })

  it('has exactly one owner, also for a client that writes to the database itself', async () => {
    const insert = team().database.prisma.$executeRaw`
      INSERT INTO "Budget" ("owner", "userId", "limitUsd", "setAt")
      VALUES ('platform', ${team().owner.id}::uuid, 1, now())`
    await expect(insert).rejects.toThrow('Budget_owner_check')
  })
})

describe('a limit of turns', () => {
  it('is refused where the CLI does not tell its turns', async () => {
    const agent = await agentOf(team().owner)
    const body = { agent: agent.name, provider: 'codex', prompt: 'hi', max_turns: 3 }
    expect((await as(team(), team().owner)('POST /coding-agents/sessions', body)).json()).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('max_turns'),
    })
  })
})
