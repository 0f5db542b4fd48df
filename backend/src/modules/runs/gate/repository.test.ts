import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { continues, LineRepository } from '../line/repository.ts'
import { RunRepository, type RunRow } from '../repository.ts'
import { GateRepository, type StoredRepair } from './repository.ts'
import { budgetLeft, shownGate } from './standing.ts'

const team = useTeam()
const prisma = () => team().database.prisma
const byId = async (id: string): Promise<RunRow> => {
  const row = await new RunRepository(prisma()).byId(id)
  if (!row) throw new Error('the run is gone')
  return row
}

/** A run with a gate whose program runs. */
const someRun = async (gateRepairs: number | null = 2): Promise<string> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  const agent = (await as(team(), team().owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const id = randomUUID()
  const run = {
    ...{ id, agentId: agent.id, agentName: name, userId: team().owner.id, provider: 'claude-code' },
    mode: 'auto',
    ...{ displayName: null, outputFormat: null, prompt: 'hi', cwd: '/home/developer', model: null, resumed: null },
    ...{ timeoutSeconds: 300, maxTurns: null, maxBudgetUsd: 5, cliSessionId: null, createdAt: new Date() },
    via: 'user',
    ...{ sessionId: randomUUID(), viaId: team().owner.id, queue: false, waitsForLimit: true },
    gateRepairs,
  } as const
  expect(await new RunRepository(prisma()).create(run, 'starting')).toBe(true)
  return id
}
const COST = { inputTokens: 1, outputTokens: 1, cacheReadTokens: null, cacheWriteTokens: null, costUsd: 1.5 }
const repair = (more: Partial<StoredRepair> = {}): StoredRepair => ({
  ...{ repair: 1, prompt: 'Repair it.', cliSessionId: 'cli', lastSeq: 7, totals: [] },
  usage: [{ model: 'opus', estimated: false, ...COST }],
  ...more,
})
const store = (id: string, of = repair(), generation = 1): Promise<boolean> =>
  new GateRepository(prisma()).repair({ id, generation }, of)

describe('a repair', () => {
  it('waits in line with its prompt, and continues the session of the CLI', async () => {
    const id = await someRun()
    const before = await byId(id)
    expect(shownGate(before)).toEqual({ repairs: 2, begun: 0 })
    expect(await store(id)).toBe(true)
    const row = await byId(id)
    expect(row).toMatchObject({ state: 'queued', repairs: 1, repairPrompt: 'Repair it.', queue: true, endedAt: null })
    expect(row.sessionId).not.toBe(before.sessionId)
    expect(continues(row)).toBe(true)
    expect(await new LineRepository(prisma()).begin(row, row.sessionId, new Date(), null)).toBe(2)
    // A usage limit can still be waited for.
    expect(await byId(id)).toMatchObject({ state: 'starting', resumed: 'cli', waitsForLimit: true })
  })

  it('is counted once, and its cost is booked once, however often it is stored', async () => {
    const id = await someRun()
    expect([await store(id), await store(id)]).toEqual([true, false])
    await prisma().codingRun.update({ where: { id }, data: { state: 'running' } })
    expect(await store(id)).toBe(false)
    const row = await byId(id)
    expect([row.repairs, row.spentUsd, budgetLeft(row)]).toEqual([1, 1.5, 3.5])
    expect(await store(id, repair({ repair: 2 }))).toBe(true)
    expect(budgetLeft(await byId(id))).toBe(2)
    await prisma().codingRun.update({ where: { id }, data: { state: 'running' } })
    expect(await store(id, repair({ repair: 3 }))).toBe(false)
  })

  it('gets what is left of the budget after a wait for a usage limit', async () => {
    const id = await someRun()
    await prisma().codingRun.update({ where: { id }, data: { waitsForLimit: true } })
    const line = new LineRepository(prisma())
    const { usage } = repair()
    const wait = { continuesAt: new Date(), cliSessionId: 'cli', lastSeq: 7, totals: [], usage }
    expect(await line.wait({ id, generation: 1 }, wait)).toBe(true)
    const waiting = await byId(id)
    expect([waiting.spentUsd, budgetLeft(waiting)]).toEqual([1.5, 3.5])
    expect(await line.begin(waiting, randomUUID(), new Date(), null)).toBe(2)
    expect(await store(id, repair(), 2)).toBe(true)
    expect(budgetLeft(await byId(id))).toBe(2)
  })

  it('does not begin for a run that has ended, without a gate, or of another server', async () => {
    const id = await someRun()
    expect(await store(id, repair(), 2)).toBe(false)
    await prisma().codingRun.update({ where: { id }, data: { state: 'terminated' } })
    expect(await store(id)).toBe(false)
    expect(await store(await someRun(null))).toBe(false)
  })
})
