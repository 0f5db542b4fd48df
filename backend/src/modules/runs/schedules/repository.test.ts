import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { createIds } from '../../../lib/ids.ts'
import { silentLog } from '../../../lib/log.ts'
import { AgentRepository } from '../../agents/repository.ts'
import { PLATFORM } from '../../audit/actor.ts'
import { createAudit } from '../../audit/audit.ts'
import type { Found } from '../../agents/service.ts'
import type { NewRun } from '../new-run.ts'
import {
  type NewSchedule,
  type PlannedRun,
  ScheduleChanged,
  ScheduleRepository,
  type ScheduleRow,
} from './repository.ts'
import { Scheduler } from './scheduler.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const audit = () => {
  const { database, clock } = team()
  return createAudit({ prisma: database.prisma, clock, newId: createIds(clock), log: silentLog })
}
/** That of one backend. */
const repository = (): ScheduleRepository => new ScheduleRepository(team().database.prisma, audit())
const runsOf = ({ id }: { id: string }) => team().database.prisma.codingRun.findMany({ where: { scheduleId: id } })

/** Far enough away that the server of the test leaves them alone. */
const [AT, NEXT] = [new Date('2040-01-01T09:00:00Z'), new Date('2040-01-02T09:00:00Z')]
const next = { nextAt: NEXT, laterAt: [] }

/** A schedule of the owner in an agent of its own, and a maker of runs for it. */
const someSchedule = async () => {
  const { owner, database, clock } = team()
  const name = `a-${randomUUID().slice(0, 13)}`
  const agent = (await as(team(), owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const now = new Date(clock.now())
  const schedule: NewSchedule = {
    ...{ id: randomUUID(), userId: owner.id, agentId: agent.id, via: 'user', viaId: owner.id, name: 'Nightly' },
    ...{ cron: '0 9 * * *', timezone: 'UTC', missed: 'skip', enabled: true, disabledBecause: null, prompt: 'hi' },
    ...{
      provider: null,
      cwd: null,
      model: null,
      timeoutSeconds: null,
      maxTurns: null,
      maxBudgetUsd: null,
      worktree: null,
      validate: null,
      gateRepairs: null,
    },
    ...{ nextAt: AT, laterAt: [], createdAt: now, updatedAt: now },
  }
  expect(await repository().create(schedule, 1000, PLATFORM)).toBe(true)
  const row = await new AgentRepository(database.prisma, audit(), 'slipway').byId(agent.id)
  const user = { userId: owner.id, email: owner.email, role: 'user', source: PLATFORM.source } as const
  const found: Found = { caller: { ...user, via: { kind: 'user', userId: owner.id } }, row: row!, relation: 'owner' }
  const planned = (): PlannedRun => {
    const id = randomUUID()
    const run: NewRun = {
      ...{ id, agentId: agent.id, agentName: name, userId: owner.id, provider: 'codex', displayName: null },
      ...{
        outputFormat: null,
        mode: 'auto',
        prompt: 'hi',
        cwd: '/home/developer',
        model: null,
        timeoutSeconds: 300,
        maxTurns: null,
      },
      ...{ maxBudgetUsd: null, resumed: null, cliSessionId: null, sessionId: id, via: 'user', viaId: owner.id },
      ...{ queue: true, waitsForLimit: true, createdAt: now },
    }
    return { plan: { run, found }, actor: PLATFORM }
  }
  const read = async (): Promise<ScheduleRow> => (await repository().find(owner.id, schedule.id))!
  return { schedule, planned, read, found }
}
/** The clean-up: no run of it waits any more. */
const forget = async ({ id }: { id: string }): Promise<void> => {
  await team().database.prisma.codingRun.deleteMany({ where: { scheduleId: id } })
  await team().database.prisma.schedule.delete({ where: { id } })
}

describe('a time of a schedule', () => {
  it('makes one run, although several backends pass it at once', async () => {
    const { schedule, planned, read } = await someSchedule()
    const row = await read()
    const passes = [1, 2, 3, 4].map(() => repository().pass(row, AT, next, planned()))
    const outcomes = await Promise.allSettled(passes)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: 'run' }])
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(ScheduleChanged)
    const runs = await runsOf(schedule)
    expect(runs).toMatchObject([{ state: 'queued', queue: true, scheduledFor: AT }])
    expect(await read()).toMatchObject({ nextAt: NEXT, lastRunId: runs[0]?.id })
    await forget(schedule)
  })

  it('makes no second run for a backend that was stopped before it, and wakes up', async () => {
    const { schedule, planned, read } = await someSchedule()
    const old = await read()
    expect(await repository().pass(old, AT, next, planned())).toBe('run')
    await team().database.prisma.codingRun.updateMany({ where: { scheduleId: schedule.id }, data: { state: 'failed' } })
    await expect(repository().pass(old, AT, next, planned())).rejects.toThrow(ScheduleChanged)
    expect(await runsOf(schedule)).toHaveLength(1)
    // With the newest version, the time itself is known.
    expect(await repository().pass(await read(), AT, next, planned())).toBe('known')
    expect(await runsOf(schedule)).toHaveLength(1)
    await forget(schedule)
  })

  it('leaves nothing if its run cannot be stored, and makes it when it comes again', async () => {
    const { schedule, planned, read } = await someSchedule()
    const { plan, actor } = planned()
    const broken = { actor, plan: { ...plan, run: { ...plan.run, userId: randomUUID() } } }
    await expect(repository().pass(await read(), AT, next, broken)).rejects.toThrow()
    expect(await read()).toMatchObject({ nextAt: AT, lastRunId: null })
    expect(await repository().pass(await read(), AT, next, planned())).toBe('run')
    expect(await runsOf(schedule)).toHaveLength(1)
    await forget(schedule)
  })

  it('makes no run beside one that is active, or beside a full line, and says so', async () => {
    const { schedule, planned, read } = await someSchedule()
    await repository().start(await read(), planned())
    expect(await repository().pass(await read(), AT, next, planned())).toBe('skipped')
    expect(await read()).toMatchObject({ skippedAt: AT, skippedBecause: expect.stringContaining('still active') })
    const { codingRun } = team().database.prisma
    await codingRun.updateMany({ where: { scheduleId: schedule.id }, data: { state: 'failed', endedAt: AT } })
    const waiting = Array.from({ length: 100 }, () => ({ ...planned().plan.run, state: 'queued' }))
    await codingRun.createMany({ data: waiting })
    expect(await repository().pass(await read(), NEXT, next, planned())).toBe('skipped')
    expect(await read()).toMatchObject({ skippedAt: NEXT, skippedBecause: expect.stringContaining('in line') })
    await codingRun.deleteMany({ where: { id: { in: waiting.map(({ id }) => id) } } })
    expect(await repository().pass(await read(), NEXT, next, planned())).toBe('run')
    expect(await read()).toMatchObject({ skippedAt: null, skippedBecause: null })
    await forget(schedule)
  })

  it('passes without a run if the schedule was changed or switched off meanwhile', async () => {
    const { schedule, planned, read } = await someSchedule()
    const old = await read()
    await repository().disable(old, 'For the test.', AT)
    await expect(repository().pass(old, AT, next, planned())).rejects.toThrow(ScheduleChanged)
    expect(await runsOf(schedule)).toEqual([])
    expect(await read()).toMatchObject({ enabled: false, nextAt: null, disabledBecause: 'For the test.' })
    for await (const id of repository().due(NEXT)) expect(id).not.toBe(schedule.id)
    await forget(schedule)
  })
})

describe('the schedules of a user', () => {
  it('come with the beginnings of their prompts', async () => {
    const { schedule, read } = await someSchedule()
    const prompt = 'é'.repeat(100_000)
    await team().database.prisma.schedule.update({ where: { id: schedule.id }, data: { prompt } })
    const row = (await repository().of(schedule.userId)).find(({ id }) => id === schedule.id)
    expect(row).toEqual({ ...(await read()), prompt: prompt.slice(0, 1001) })
    await forget(schedule)
  })
})

describe('a schedule of an agent that is deleted meanwhile', () => {
  it('is not found', async () => {
    const { schedule, read } = await someSchedule()
    const gone = { ...schedule, agentId: randomUUID() }
    const notFound = { code: 'NOT_FOUND' }
    await expect(repository().create({ ...gone, id: randomUUID() }, 1000, PLATFORM)).rejects.toMatchObject(notFound)
    await expect(repository().change(await read(), gone, PLATFORM)).rejects.toMatchObject(notFound)
    expect(await read()).toMatchObject({ agentId: schedule.agentId, version: 1 })
    await forget(schedule)
  })
})

describe('a look at the schedules', () => {
  /** What became of some schedules with the same time, by a scheduler that needs a time for each of them. */
  const looked = async (lateMs: number, eachMs: number) => {
    const some = [await someSchedule(), await someSchedule(), await someSchedule(), await someSchedule()]
    const clock = new TestClock(AT.getTime() - SECOND_MS)
    const scheduler = new Scheduler({
      schedules: repository(),
      planner: { plan: () => Promise.reject(new AppError('WRONG_STATE', 'It is its turn.')) },
      mayStill: async ({ agentId }) => {
        clock.advance(eachMs)
        return some.find(({ schedule }) => schedule.agentId === agentId)?.found ?? null
      },
      announce: () => Promise.reject(new Error('no run is made')),
      metrics: { passed: () => undefined },
      ...{ clock, newId: randomUUID, log: silentLog },
    })
    await scheduler.look()
    clock.advance(lateMs + SECOND_MS)
    await scheduler.look()
    const rows = await Promise.all(some.map(({ read }) => read()))
    for (const { schedule } of some) await forget(schedule)
    return rows.map(({ skippedBecause }) => skippedBecause)
  }
  const each = (reason: string) => Array.from({ length: 4 }, () => reason)

  it('comes to a schedule behind more than a hundred others that always fail', async () => {
    const { schedule, found, read } = await someSchedule()
    const before = new Date(AT.getTime() - SECOND_MS)
    // With one time, so that their ids alone put them in order.
    const others = Array.from({ length: 205 }, () => ({ ...schedule, id: randomUUID(), nextAt: before, name: 'Fails' }))
    const { prisma } = team().database
    await prisma.schedule.createMany({ data: others })
    const outcomes: string[] = []
    const scheduler = new Scheduler({
      schedules: repository(),
      planner: {
        plan: () =>
          outcomes.length < others.length
            ? Promise.reject(new Error('for the test'))
            : Promise.reject(new AppError('WRONG_STATE', 'It is its turn.')),
      },
      mayStill: async () => found,
      announce: () => Promise.reject(new Error('no run is made')),
      metrics: { passed: (outcome) => outcomes.push(outcome) },
      ...{ clock: new TestClock(AT.getTime()), newId: randomUUID, log: silentLog },
    })
    await scheduler.look()
    expect(outcomes).toEqual([...others.map(() => 'failed'), 'refused'])
    expect(await read()).toMatchObject({ skippedBecause: 'It is its turn.' })
    expect(await repository().counts()).toEqual({ enabled: await prisma.schedule.count(), disabled: 0 })
    await prisma.schedule.deleteMany({ where: { name: 'Fails' } })
    await forget(schedule)
  })

  it('misses no time because the ones before took long', async () => {
    expect(await looked(SECOND_MS, 40 * SECOND_MS)).toEqual(each('It is its turn.'))
  })

  it('misses the times of a gap of more than a minute, and no others', async () => {
    expect(await looked(MINUTE_MS - SECOND_MS, 0)).toEqual(each('It is its turn.'))
    expect(await looked(MINUTE_MS + SECOND_MS, 0)).toEqual(each('The server did not run at this time.'))
  })
})
