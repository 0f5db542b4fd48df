import { randomUUID } from 'node:crypto'
import type { Budget, UsageReport } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Person } from '../../../../test/support/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/team.ts'
import { type NewRun, RunRepository, type StoredRunEnd } from '../repository.ts'
import { BudgetRepository } from './budget-repository.ts'
import { monthOf } from './month.ts'
import type { Share } from './shares.ts'
import { LineRepository } from '../line/repository.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const repository = (): RunRepository => new RunRepository(team().database.prisma)
const rows = (runId: string) =>
  team().database.prisma.runUsage.findMany({ where: { runId }, orderBy: { model: 'asc' } })

const share = (model: string, more: Partial<Share> = {}): Share => ({
  ...{ model, inputTokens: 100, outputTokens: 10, cacheReadTokens: null, cacheWriteTokens: null, costUsd: 0.5 },
  estimated: false,
  ...more,
})
const endWith = (...usage: Share[]): StoredRunEnd => ({
  ...{ state: 'completed', reason: 'completed', error: null, exitCode: 0, result: 'done', cliSessionId: 'cli' },
  ...{ lastSeq: 3, costUsd: null, costEstimated: false, totals: [], usage },
})

/** An agent of a user. */
const agentOf = async (user: Person): Promise<{ id: string; name: string }> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  return (await as(team(), user)('POST /agents?wait=true', newAgent(name))).json<{ id: string; name: string }>()
}
const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)

const active = async (
  user: Person,
  agent: { id: string; name: string },
  more: Partial<NewRun> = {},
): Promise<string> => {
  const id = randomUUID()
  const run: NewRun = {
    ...{ id, agentId: agent.id, agentName: agent.name, userId: user.id, provider: 'codex', prompt: 'hi' },
    ...{ cwd: '/home/developer', model: null, timeoutSeconds: 300, maxTurns: null, maxBudgetUsd: null },
    ...{ sessionId: id, via: null, viaId: null, queue: false, waitsForLimit: false },
    ...{ displayName: null, outputFormat: null, resumed: null, cliSessionId: null, createdAt: new Date() },
    ...more,
  }
  expect(await repository().create(run, 'starting')).toBe(true)
  return id
}
const ended = async (user: Person, agent: { id: string; name: string }, ...usage: Share[]): Promise<string> => {
  const id = await active(user, agent)
  expect(await repository().end({ id, generation: 1 }, endWith(...usage))).toBe(true)
  await setTime(id, new Date(team().clock.now()))
  return id
}
/** The clock of the team is not that of the machine. */
const setTime = (runId: string, endedAt: Date) =>
  team().database.prisma.runUsage.updateMany({ where: { runId }, data: { endedAt } })
const usageOf = async (user: Person, query = ''): Promise<UsageReport> =>
  (await as(team(), user)(`GET /coding-agents/usage${query}`)).json<UsageReport>()

describe('the ledger', () => {
  it('gets what a run has used once, with its end', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    const id = await active(user, agent)
    expect(await repository().takeOver({ id, generation: 1 })).toBe(2)
    expect(await repository().end({ id, generation: 1 }, endWith(share('lost')))).toBe(false)
    expect(await rows(id)).toEqual([])
    expect(await repository().end({ id, generation: 2 }, endWith(share('a'), share('b', { inputTokens: null })))).toBe(
      true,
    )
    expect(await repository().endLeft(id, endWith(share('a', { costUsd: 9 }), share('c')))).toBe(false)
    await repository().book({ id }, endWith(share('a', { costUsd: 9 })))
    expect(await rows(id)).toMatchObject([
      { model: 'a', provider: 'codex', agentId: agent.id, userId: user.id, inputTokens: 100n, costUsd: 0.5 },
      { model: 'b', inputTokens: null, cacheReadTokens: null },
    ])
  })

  it('gets what a run has used that no backend holds, also after a user has ended it', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    const [left, terminated] = [await active(user, agent), await active(user, agent)]
    await repository().endLeft(left, endWith(share('a')))
    expect(await rows(left)).toHaveLength(1)
    await repository().endLeft(terminated, { state: 'terminated', reason: 'terminated', error: null, exitCode: null })
    const totals = [
      { model: 'a', inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 },
    ]
    await repository().book({ id: terminated }, { ...endWith(share('a')), costUsd: 0.5, totals })
    expect(await rows(terminated)).toMatchObject([{ model: 'a', costUsd: 0.5 }])
    expect(await repository().byId(terminated)).toMatchObject({ reason: 'terminated', costUsd: 0.5, totals })
  })

  it('adds the share of the process that continued after a usage limit, and counts none twice', async () => {
    const user = await someUser()
    const id = await active(user, await agentOf(user))
    const line = new LineRepository(team().database.prisma)
    await team().database.prisma.codingRun.update({ where: { id }, data: { waitsForLimit: true } })
    const wait = { continuesAt: new Date(), cliSessionId: 'cli', lastSeq: 3, usage: [share('a')], totals: [] }
    expect(await line.wait({ id, generation: 1 }, wait)).toBe(true)
    expect(await line.wait({ id, generation: 1 }, wait)).toBe(false)
    const waiting = await repository().byId(id)
    expect(waiting).toMatchObject({ state: 'waiting', resumed: null })
    expect(await line.begin(waiting!, randomUUID(), new Date())).toBe(2)
    expect(await repository().byId(id)).toMatchObject({ resumed: 'cli', waitsForLimit: false, continuesAt: null })
    expect(await repository().end({ id, generation: 2 }, endWith(share('a'), share('b', { costUsd: null })))).toBe(true)
    await repository().book({ id }, endWith(share('a'), share('b')))
    expect(await rows(id)).toMatchObject([
      { model: 'a', inputTokens: 200n, costUsd: 1 },
      { model: 'b', inputTokens: 100n, costUsd: null },
    ])
    expect(await repository().byId(id)).toMatchObject({ costUsd: 1 })
  })

  it('stores neither the end nor the usage if one of them is refused', async () => {
    const user = await someUser()
    const id = await active(user, await agentOf(user))
    await expect(
      repository().end({ id, generation: 1 }, endWith(share('a', { costUsd: NaN, inputTokens: 1.5 }))),
    ).rejects.toThrow()
    expect(await repository().byId(id)).toMatchObject({ state: 'starting', endedAt: null })
    expect(await rows(id)).toEqual([])
  })

  it('keeps the agent by its name, and the money, when agent and user are deleted', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    const id = await ended(user, agent, share('a'))
    await team().database.prisma.agent.delete({ where: { id: agent.id } })
    await team().database.prisma.user.delete({ where: { id: user.id } })
    expect(await rows(id)).toMatchObject([{ agentId: null, agentName: agent.name, userId: null, costUsd: 0.5 }])
    const { items } = await usageOf(team().admin, '?group=agent')
    expect(items).toContainEqual(expect.objectContaining({ key: null, name: agent.name, costUsd: 0.5 }))
  })

  it('knows the totals that the last run of a session printed', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    const totals = (inputTokens: number) => [
      { ...{ model: 'a', inputTokens, outputTokens: null, cacheReadTokens: null }, cacheWriteTokens: null, costUsd: 1 },
    ]
    const session = { id: randomUUID(), agentId: agent.id, provider: 'codex', resumed: 'cli' }
    expect(await repository().totalsBefore(session)).toEqual([])
    const end = async (more: Partial<StoredRunEnd>) =>
      repository().end({ id: await active(user, agent), generation: 1 }, { ...endWith(), ...more })
    await end({ totals: totals(1) })
    await end({ totals: totals(2) })
    // It was killed before it printed any.
    await end({ totals: [] })
    await end({ totals: totals(9), cliSessionId: 'other' })
    expect(await repository().totalsBefore(session)).toEqual(totals(2))
    expect(await repository().totalsBefore({ ...session, resumed: null })).toEqual([])
    expect(await repository().totalsBefore({ ...session, provider: 'claude-code' })).toEqual([])
  })
})

describe('the usage', () => {
  it('is summed up by run, agent, user, day and model, and what is unknown is not 0', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    const first = await ended(user, agent, share('a'), share('b', { costUsd: 0.25, estimated: true }))
    const second = await ended(user, agent, share('', { inputTokens: null, costUsd: null }))
    await setTime(second, new Date(team().clock.now() + 1))
    const byRun = await usageOf(user, '?group=run')
    expect(byRun.items).toMatchObject([
      { key: second, name: agent.name, runs: 1, runsWithoutCost: 1, inputTokens: null, costUsd: null, estimatedUsd: 0 },
      {
        key: first,
        runs: 1,
        runsWithoutCost: 0,
        inputTokens: 200,
        cacheReadTokens: null,
        costUsd: 0.75,
        estimatedUsd: 0.25,
      },
    ])
    const all = { runs: 2, runsWithoutCost: 1, inputTokens: 200, outputTokens: 30, costUsd: 0.75, estimatedUsd: 0.25 }
    expect(byRun).toMatchObject({ total: 2, sums: all })
    expect((await usageOf(user, '?group=agent')).items).toMatchObject([{ key: agent.id, name: agent.name, ...all }])
    expect((await usageOf(user, '?group=user')).items).toMatchObject([{ key: user.id, name: user.email, ...all }])
    const day = new Date(team().clock.now()).toISOString().slice(0, 10)
    expect((await usageOf(user)).items).toMatchObject([{ key: day, name: null, ...all }])
    expect((await usageOf(user, '?group=model')).items.map(({ key, name }) => [key, name])).toEqual([
      ['a', 'codex'],
      ['b', 'codex'],
      [null, 'codex'],
    ])
  })

  it('comes in pages, and of the time that was asked for', async () => {
    const user = await someUser()
    const agent = await agentOf(user)
    for (const model of ['a', 'b', 'c']) await ended(user, agent, share(model, { costUsd: 1 }))
    const page = await usageOf(user, '?group=model&page=2&limit=2')
    expect(page).toMatchObject({ items: [{ key: 'c' }], page: 2, limit: 2, total: 3, sums: { costUsd: 3 } })
    const past = await usageOf(user, '?from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z')
    expect(past).toMatchObject({ items: [], total: 0, sums: { runs: 0, costUsd: null, estimatedUsd: 0 } })
    const wrong = await as(team(), user)('GET /coding-agents/usage?from=2999-01-01T00:00:00Z')
    expect(wrong.json()).toMatchObject({ code: 'VALIDATION' })
  })

  it('is shown to its user, to the owner of the agent and to admins', async () => {
    const [owner, user, stranger] = [await someUser(), await someUser(), await someUser()]
    const id = await ended(user, await agentOf(owner), share('a'))
    for (const [asker, sees] of [
      [owner, true],
      [user, true],
      [team().admin, true],
      [stranger, false],
    ] as const)
      expect((await usageOf(asker, '?group=run&limit=500')).items.some(({ key }) => key === id)).toBe(sees)
  })
})

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
