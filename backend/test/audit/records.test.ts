import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createIds } from '../../src/lib/ids.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import type { AgentRow } from '../../src/modules/agents/rows.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { proofOf } from '../../src/modules/identity/caller.ts'
import { SessionRecords } from '../../src/modules/sessions/records/records.ts'
import { SessionRepository } from '../../src/modules/sessions/records/repository.ts'
import type { GrantedClaim } from '../../src/modules/sessions/claim.ts'
import { aCaller } from '../support/people/callers.ts'
import { whileAuditIsRefused } from '../support/audit.ts'
import { TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database/test-database.ts'

const database = useDatabase()
const clock = new TestClock()
const newId = createIds(clock)
let row: AgentRow
let session: GrantedClaim

beforeEach(async () => {
  const { prisma } = database()
  const { id: userId, email } = await prisma.user.create({ data: { email: `${newId()}@example.org` } })
  const agent = await prisma.agent.create({
    data: { name: `a-${newId().slice(-8)}`, ownerId: userId, runtime: 'codex', cpus: 1, memoryMb: 64 },
  })
  row = { ...agent, ownerEmail: email, sharedWith: [] }
  session = {
    sessionId: newId(),
    caller: aCaller({ userId, email }),
    row,
    relation: 'owner',
    mode: 'bash',
    personal: false,
  }
})

const records = (log: Log = silentLog, retryMs: readonly number[] = [1, 1, 1]) => {
  const { prisma } = database()
  const audit = createAudit({ prisma, clock, newId, log: silentLog })
  return new SessionRecords({
    repository: new SessionRepository(prisma, audit),
    audit,
    log,
    retryMs,
    happened: () => undefined,
  })
}
const ends = () => database().prisma.auditEvent.findMany({ where: { action: 'terminal.ended', targetId: row.id } })
const isOpen = async () => {
  const found = await database().prisma.terminalSession.findUniqueOrThrow({ where: { id: session.sessionId } })
  return found.endedAt === null
}

describe('the end of a terminal', () => {
  it('is tried again until the database takes it, and written once', async () => {
    const tried: unknown[] = []
    const firstFailed = Promise.withResolvers<undefined>()
    const log: Log = {
      ...silentLog,
      error: (fields: unknown) => {
        tried.push(fields)
        firstFailed.resolve(undefined)
      },
    }
    const all = records(log, [1, 5, 20, 50, 100, 200, 400, 800])
    await all.begin(session)
    await whileAuditIsRefused(database(), async () => {
      all.ended(session.sessionId, { reason: 'exited', exitCode: 3 })
      all.ended(session.sessionId, { reason: 'disconnected' })
      await firstFailed.promise
    })
    await all.settled()
    expect(tried.length).toBeGreaterThan(0)
    expect(await ends()).toMatchObject([{ detail: { reason: 'exited', exitCode: 3, owner: row.ownerEmail } }])
    expect(await isOpen()).toBe(false)
  })

  it('that the database refused for too long is still known to this server', async () => {
    const all = records(silentLog, [])
    await all.begin(session)
    await whileAuditIsRefused(database(), async () => {
      all.ended(session.sessionId, { reason: 'exited', exitCode: 3 })
      await all.settled()
    })
    expect([await isOpen(), all.isOver(session.sessionId)]).toEqual([true, true])
    const of = { agentId: row.id, userId: session.caller.userId }
    expect(await all.find(session.sessionId, of)).toMatchObject({ endReason: 'exited', exitCode: 3 })
    // The next server ends it in the database.
    const next = records()
    await next.leftOpen()
    next.ended(session.sessionId, { reason: 'exited' })
    await next.settled()
    expect([await isOpen(), next.isOver(session.sessionId)]).toEqual([false, false])
  })

  it('says how long it was', async () => {
    const all = records()
    const now = performance.now()
    await all.begin(session)
    const later = vi.spyOn(performance, 'now').mockReturnValue(now + 90_000)
    all.ended(session.sessionId, { reason: 'exited' })
    later.mockRestore()
    await all.settled()
    const [end] = await ends()
    expect((end?.detail as { seconds: number }).seconds).toBeCloseTo(90, 0)
  })

  it('says how long it was also where an earlier backend began it', async () => {
    await records().begin(session)
    const startedAt = new Date(Date.now() - 3_600_000)
    await database().prisma.terminalSession.update({ where: { id: session.sessionId }, data: { startedAt } })
    const next = records()
    await next.leftOpen()
    next.ended(session.sessionId, { reason: 'disconnected' })
    await next.settled()
    const { seconds } = (await ends())[0]?.detail as { seconds: number }
    expect(seconds).toBeGreaterThanOrEqual(3_600)
    expect(seconds).toBeLessThan(3_660)
  })

  it('of a task names the task beside the session, also if another server began it', async () => {
    const { prisma } = database()
    const taskId = newId()
    const first = { ...session, mode: 'task', taskId }
    const second = { ...first, sessionId: newId() }
    await prisma.codingRun.create({
      data: {
        ...{ id: taskId, sessionId: second.sessionId, agentId: row.id, agentName: row.name, provider: 'codex' },
        ...{ userId: session.caller.userId, prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300 },
        ...{ state: 'running', lastSeq: 0, generation: 2 },
      },
    })
    const before = records()
    await before.begin(first)
    before.ended(first.sessionId, { reason: 'usage_limit' })
    await before.settled()
    await before.begin(second)
    const next = records()
    await next.leftOpen()
    next.ended(second.sessionId, { reason: 'completed' })
    await next.settled()
    const where = { action: { in: ['task.started', 'task.ended'] }, targetId: row.id }
    const acts = await prisma.auditEvent.findMany({ where, orderBy: { id: 'asc' } })
    const facts = ({ sessionId }: { sessionId: string }) => ({ sessionId, taskId, mode: 'task' })
    expect(acts.map(({ action, detail }) => [action, detail])).toMatchObject([
      ['task.started', facts(first)],
      ['task.ended', { ...facts(first), reason: 'usage_limit' }],
      ['task.started', facts(second)],
      ['task.ended', { ...facts(second), reason: 'completed' }],
    ])
  })

  it('that the database never stored is written at the next start, by the server that finds the session open', async () => {
    const first = records()
    await first.begin(session)
    await whileAuditIsRefused(database(), async () => {
      first.ended(session.sessionId, { reason: 'exited' })
      await first.settled()
    })
    expect(await ends()).toEqual([])
    expect(await isOpen()).toBe(true)

    const second = records()
    expect((await second.leftOpen()).map(({ id }) => id)).toContain(session.sessionId)
    second.ended(session.sessionId, { reason: 'server_killed' })
    await second.settled()
    expect(await ends()).toMatchObject([
      {
        actorId: session.caller.userId,
        actorEmail: session.caller.email,
        via: 'platform',
        targetName: row.name,
        detail: { reason: 'server_killed', sessionId: session.sessionId, mode: 'bash' },
      },
    ])
    expect((await records().leftOpen()).map(({ id }) => id)).not.toContain(session.sessionId)
  })

  it('is written once by two servers that both found it open', async () => {
    await records().begin(session)
    const both = [records(), records()]
    for (const one of both) await one.leftOpen()
    for (const one of both) one.ended(session.sessionId, { reason: 'server_killed' })
    await Promise.all(both.map((one) => one.settled()))
    expect(await ends()).toHaveLength(1)
  })

  it('is written also when its agent is gone', async () => {
    const all = records()
    await all.begin(session)
    await database().prisma.agent.delete({ where: { id: row.id } })
    all.ended(session.sessionId, { reason: 'agent_deleted' })
    await all.settled()
    expect(await ends()).toMatchObject([{ detail: { reason: 'agent_deleted' } }])
  })

  it('does not keep a server from stopping', async () => {
    const all = records(silentLog, [3_600_000])
    await all.begin(session)
    await whileAuditIsRefused(database(), async () => {
      all.ended(session.sessionId, { reason: 'server_stopping' })
      await all.close()
    })
    expect(await isOpen()).toBe(true)
  })
})

describe('the start of a terminal', () => {
  it('is refused when its agent is gone', async () => {
    await database().prisma.agent.delete({ where: { id: row.id } })
    await expect(records().begin(session)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('the return to a terminal', () => {
  it('is recorded on the way, and changes the terminal’s sign-in only when the user has it', async () => {
    const all = records()
    await all.begin(session)
    const caller = aCaller({ ...session.caller, via: { kind: 'sign_in', signInId: newId() } })
    await all.attached(session, { caller, relation: 'owner' })
    const isLeft = async () => (await records().leftOpen()).find(({ id }) => id === session.sessionId)
    const recorded = await database().prisma.auditEvent.findMany({
      where: { action: 'terminal.attached', targetId: row.id },
    })
    expect([recorded, await isLeft()]).toMatchObject([
      [{ viaId: proofOf(caller.via).id }],
      { via: proofOf(session.caller.via) },
    ])
    all.broughtBack(session.sessionId, caller)
    await all.settled()
    expect(await isLeft()).toMatchObject({ via: proofOf(caller.via) })
  })
})
