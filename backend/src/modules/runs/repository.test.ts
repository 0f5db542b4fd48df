import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { createIds } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import { PLATFORM } from '../audit/actor.ts'
import { createAudit } from '../audit/audit.ts'
import { continues, LineRepository } from './line/repository.ts'
import { BATCH, type RecordRun, RunRepository } from './repository.ts'
import type { NewRun } from './new-run.ts'

const team = useTeam()
const repository = (): RunRepository => new RunRepository(team().database.prisma)

/** A run of the owner that is being started, in an agent of its own. */
const someRun = async (more: Partial<NewRun> = {}): Promise<NewRun> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  const agent = (await as(team(), team().owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const run: NewRun = {
    id: randomUUID(),
    agentId: agent.id,
    agentName: name,
    userId: team().owner.id,
    provider: 'claude-code',
    displayName: null,
    outputFormat: null,
    mode: 'auto',
    prompt: 'hi',
    cwd: '/home/developer',
    model: null,
    timeoutSeconds: 300,
    maxTurns: null,
    maxBudgetUsd: null,
    resumed: null,
    cliSessionId: null,
    createdAt: new Date(),
    sessionId: randomUUID(),
    via: 'user',
    viaId: team().owner.id,
    queue: false,
    waitsForLimit: true,
    ...more,
  }
  expect(await repository().create(run, 'starting')).toBe(true)
  return run
}
const END = {
  state: 'completed',
  reason: 'completed',
  error: null,
  exitCode: 0,
  result: 'done',
  costUsd: 1,
  costEstimated: false,
  usage: [],
  totals: [],
  cliSessionId: 'cli',
  lastSeq: 3,
} as const

describe('a stored run', () => {
  it('has an answer with a character that the database does not store', async () => {
    const { id } = await someRun()
    const end = { ...END, state: 'failed', reason: 'cli_error', result: 'a\0b', error: '\0' } as const
    expect(await repository().end({ id, generation: 1 }, end)).toBe(true)
    expect(await repository().byId(id)).toMatchObject({ result: 'a\uFFFDb', error: '\uFFFD' })
    const other = await someRun()
    const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null }
    const totals = [{ model: 'a\0\uD800', ...tokens }]
    const usage = [{ model: 'a\uD800', ...tokens, estimated: false }]
    expect(await repository().end({ id: other.id, generation: 1 }, { ...END, totals, usage })).toBe(true)
    expect(await repository().byId(other.id)).toMatchObject({ totals: [{ model: 'a\uFFFD\uFFFD' }] })
  })

  it('has the tree of its start until its changes are collected, by the backend that holds it', async () => {
    const { id } = await someRun()
    const collected = { changesDetected: true, filesChanged: 1, insertions: 2, deletions: 3, startTree: null }
    await repository().began({ id, generation: 1 }, 'tree')
    expect(await repository().takeOver({ id, generation: 1 })).toBe(2)
    await repository().changed({ id, generation: 1 }, collected)
    expect(await repository().byId(id)).toMatchObject({ changesDetected: null, startTree: 'tree' })
    await repository().changed({ id, generation: 2 }, collected)
    expect(await repository().byId(id)).toMatchObject(collected)
    const other = await someRun()
    expect(await repository().end({ id: other.id, generation: 1 }, { ...END, ...collected })).toBe(true)
    expect(await repository().byId(other.id)).toMatchObject({ state: 'completed', ...collected })
  })

  it('gets one end, and none from a backend that another one has replaced', async () => {
    const { id } = await someRun()
    expect(await repository().takeOver({ id, generation: 1 })).toBe(2)
    expect(await repository().takeOver({ id, generation: 1 })).toBeNull()
    expect(await repository().end({ id, generation: 1 }, END)).toBe(false)
    expect(await repository().end({ id, generation: 2 }, END)).toBe(true)
    expect(await repository().end({ id, generation: 2 }, END)).toBe(false)
    expect(await repository().endLeft(id, { ...END, state: 'failed', reason: 'lost' })).toBe(false)
    expect(await repository().byId(id)).toMatchObject({ state: 'completed', generation: 2, lastSeq: 3 })
  })

  it('does not start when a user has ended it meanwhile', async () => {
    const { id } = await someRun()
    await repository().endLeft(id, { ...END, state: 'terminated', reason: 'terminated' })
    expect(await repository().running({ id, generation: 1 })).toBe(false)
    await repository().forget(id)
    expect(await repository().byId(id)).toMatchObject({ state: 'terminated' })
  })

  it('is an orphan without an open session, if it is older than the server', async () => {
    const old = await someRun()
    await team().database.prisma.codingRun.update({ where: { id: old.id }, data: { beganAt: new Date(1000) } })
    const { id } = await someRun()
    const found = (await repository().orphans(new Date(2000))).map((run) => run.id)
    expect([found.includes(old.id), found.includes(id)]).toEqual([true, false])
  })
})

describe('the line', () => {
  const BACK = { starts: 1, startsMax: 1, from: ['starting'] } as const
  const dueIn = async (agentId: string, now = new Date()): Promise<string[]> => {
    const ids: string[] = []
    for await (const { id } of new LineRepository(team().database.prisma).due(now, [agentId])) ids.push(id)
    return ids
  }

  it('counts the runs of which no program is known to this server yet', async () => {
    const { sessionId, userId, agentId } = await someRun()
    const line = new LineRepository(team().database.prisma)
    const isCounted = async (sessions: readonly string[]): Promise<boolean> =>
      (await line.heldBesides({ sessions: () => [...sessions] })).some(({ row }) => row.id === agentId)
    expect(await isCounted([])).toBe(true)
    expect(await isCounted([sessionId])).toBe(false)
    expect(await line.heldBesides({ sessions: () => [] })).toContainEqual({ caller: { userId }, row: { id: agentId } })
  })

  it('keeps a run from API tokens that ever had a personal credential, however it goes on', async () => {
    const line = new LineRepository(team().database.prisma)
    const isPersonal = async (id: string): Promise<boolean> => (await repository().byId(id))!.personal
    const goOn = async (id: string): Promise<boolean[]> => {
      const wait = { continuesAt: new Date(), cliSessionId: 'cli', lastSeq: 3, usage: [], totals: [] }
      expect(await line.wait({ id, generation: 1 }, wait)).toBe(true)
      expect(await line.begin((await repository().byId(id))!, randomUUID(), new Date(), null)).toBe(2)
      const starting = await isPersonal(id)
      expect(await line.putBack({ id, generation: 2 }, BACK)).toBe(true)
      const backInLine = await isPersonal(id)
      expect(await line.begin((await repository().byId(id))!, randomUUID(), new Date(), null)).toBe(3)
      expect(await repository().running({ id, generation: 3 })).toBe(true)
      return [starting, backInLine, await isPersonal(id)]
    }
    const personal = await someRun({ queue: true, waitsForLimit: true })
    await repository().becomePersonal({ id: personal.id, generation: 1 })
    expect(await goOn(personal.id)).toEqual([true, true, true])
    const other = await someRun({ queue: true, waitsForLimit: true })
    expect(await goOn(other.id)).toEqual([false, false, false])
    for (const { id } of [personal, other]) await repository().endLeft(id, END)
  })

  it('has a run only together with its record', async () => {
    const { database, clock } = team()
    const { prisma } = database
    const audit = createAudit({ prisma, clock, newId: createIds(clock), log: silentLog })
    const { id, agentId, ...run } = await someRun()
    const newRun = (more: Partial<NewRun> = {}): NewRun => {
      const other = randomUUID()
      return { ...run, agentId, id: other, sessionId: other, ...more }
    }
    const recordOf =
      ({ id: sessionId }: NewRun): RecordRun =>
      (tx) =>
        audit.record(tx, { actor: PLATFORM, action: 'task.queued', target: null, detail: { sessionId } })
    const records = async ({ id: sessionId }: NewRun): Promise<number> =>
      prisma.auditEvent.count({ where: { action: 'task.queued', detail: { path: ['sessionId'], equals: sessionId } } })

    const stored = newRun()
    expect(await repository().create(stored, 'queued', recordOf(stored))).toBe(true)
    expect(await records(stored)).toBe(1)
    const homeless = newRun({ agentId: randomUUID() })
    expect(await repository().create(homeless, 'queued', recordOf(homeless))).toBe(false)
    expect(await records(homeless)).toBe(0)
    const unrecorded = newRun()
    const refuse = (): Promise<void> => Promise.reject(new Error('refused'))
    await expect(repository().create(unrecorded, 'queued', refuse)).rejects.toThrow('refused')
    expect(await repository().byId(unrecorded.id)).toBeNull()
    for (const one of [id, stored.id]) await repository().endLeft(one, END)
  })

  it('takes a run back with another session, because a start may have recorded the first one', async () => {
    const { id, sessionId } = await someRun({ queue: true })
    expect(await new LineRepository(team().database.prisma).putBack({ id, generation: 1 }, BACK)).toBe(true)
    const row = await repository().byId(id)
    expect(row).toMatchObject({ state: 'queued', generation: 1 })
    expect(row?.sessionId).not.toBe(sessionId)
    await repository().endLeft(id, END)
  })

  it('is in the figures, with the time that its oldest run has waited', async () => {
    const run = await someRun({ queue: true, createdAt: new Date(Date.now() - 3_600_000) })
    expect(await new LineRepository(team().database.prisma).putBack({ id: run.id, generation: 1 }, BACK)).toBe(true)
    const { body } = await as(team(), team().admin)('GET /metrics')
    expect(body).toMatch(/^slipway_tasks_unended\{state="queued"\} 1$/m)
    expect(Number(/^slipway_tasks_queued_oldest_seconds ([\d.]+)$/m.exec(body)?.[1])).toBeGreaterThanOrEqual(3600)
  })

  it('has what may start in agents that run, page by page, whatever waits before it in others', async () => {
    const [first, other] = [await someRun({ queue: true }), await someRun({ queue: true })]
    const line = new LineRepository(team().database.prisma)
    for (const { id } of [first, other]) expect(await line.putBack({ id, generation: 1 }, BACK)).toBe(true)
    const row = await repository().byId(first.id)
    const copies = Array.from({ length: BATCH + 1 }, () => ({ ...row, id: randomUUID(), sessionId: randomUUID() }))
    await team().database.prisma.codingRun.createMany({ data: copies as never })
    expect(await dueIn(other.agentId)).toEqual([other.id])
    expect(new Set(await dueIn(first.agentId)).size).toBe(BATCH + 2)
  })

  it('keeps a run whose start failed until its pause is over, and not more often than allowed', async () => {
    const { id, agentId } = await someRun({ queue: true })
    const line = new LineRepository(team().database.prisma)
    const notBefore = new Date(Date.now() + 60_000)
    expect(await line.putBack({ id, generation: 1 }, { ...BACK, startsMax: 0 })).toBe(false)
    expect(await line.putBack({ id, generation: 1 }, { ...BACK, notBefore })).toBe(true)
    expect([await dueIn(agentId), await dueIn(agentId, notBefore)]).toEqual([[], [id]])
  })

  it('takes back a run that has waited for a usage limit, which goes on in its conversation', async () => {
    const { id, agentId } = await someRun()
    const line = new LineRepository(team().database.prisma)
    const limit = { continuesAt: new Date(), cliSessionId: 'cli', lastSeq: 3, usage: [], totals: [] }
    await team().database.prisma.codingRun.update({ where: { id }, data: { asksSince: new Date(), askedMs: 7 } })
    expect(await line.wait({ id, generation: 1 }, limit)).toBe(true)
    const waiting = await repository().byId(id)
    if (!waiting) throw new Error('the run is gone')
    const generation = await line.begin(waiting, randomUUID(), new Date(), null)
    // The questions of the process before are over.
    expect(await repository().byId(id)).toMatchObject({ asksSince: null, askedMs: 0 })
    expect(
      await line.putBack(
        { id, generation: generation ?? 0 },
        { starts: 1, startsMax: 9, from: ['running', 'starting'] },
      ),
    ).toBe(true)
    const back = await repository().byId(id)
    expect(back).toMatchObject({ state: 'queued', startedAt: waiting.startedAt, resumed: 'cli', waitsForLimit: false })
    expect(back && continues(back)).toBe(true)
    expect(await dueIn(agentId)).toEqual([id])
  })
})
