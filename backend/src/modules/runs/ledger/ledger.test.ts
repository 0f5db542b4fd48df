import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { endWith, share, useLedger } from '../../../../test/support/runs/ledger.ts'
import { as } from '../../../../test/support/people/team.ts'
import { LineRepository } from '../line/repository.ts'
import type { StoredRunEnd } from '../stored-end.ts'

const { team, repository, rows, active, ended, setTime, agentOf, someUser, usageOf } = useLedger()

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
    expect(await rows(id)).toMatchObject([
      { model: 'a', provider: 'codex', agentId: agent.id, userId: user.id, inputTokens: 100n, costUsd: 0.5 },
      { model: 'b', inputTokens: null, cacheReadTokens: null },
    ])
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
    expect(await line.begin(waiting!, randomUUID(), new Date(), null)).toBe(2)
    expect(await repository().byId(id)).toMatchObject({ resumed: 'cli', waitsForLimit: false, continuesAt: null })
    expect(await repository().end({ id, generation: 2 }, endWith(share('a'), share('b', { costUsd: null })))).toBe(true)
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
  it('is summed up by run, agent, user, day, model and provider, and what is unknown is not 0', async () => {
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
    expect((await usageOf(user, '?group=provider')).items).toMatchObject([{ key: 'codex', name: null, ...all }])
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
