import { randomUUID } from 'node:crypto'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { bootApp } from '../../../../test/support/server/app.ts'
import type { ContainerProcess } from '../../../runtime/port.ts'
import { createAudit } from '../../audit/audit.ts'
import { SessionRepository } from './repository.ts'

/** What runs in every container. */
let running: ContainerProcess[] = []
const runtime = {
  ...new MemoryEngine().runtime,
  processes: () => Promise.resolve([...running]),
  endProcess: (_container: string, pid: number) => {
    running = running.filter((one) => one.pid !== pid)
    return Promise.resolve(true)
  },
}
const team = useTeam({ runtime })

/** An agent that is shared with two users, where everyone had a session. */
const sharedAgent = async (name: string) => {
  const { owner, colleague, stranger, admin, database } = team()
  const call = as(team(), owner)
  await call('POST /agents?wait=true', newAgent(name))
  for (const { email } of [colleague, stranger]) await call(`POST /agents/${name}/shares`, { email })
  const { prisma } = database
  const { id: agentId } = await prisma.agent.findFirstOrThrow({ where: { name } })
  const sessions = [owner, colleague, stranger, admin].map(({ id: userId }) => ({
    ...{ id: randomUUID(), agentId, userId, mode: 'bash', endedAt: new Date() },
  }))
  await prisma.terminalSession.createMany({ data: sessions })
  return { agentId, prisma, sessions }
}

it('users who had sessions with an agent have no right there if they are no owner, no sharee and no admin', async () => {
  const { agentId, prisma, sessions } = await sharedAgent('left')
  const { stranger, owner, clock } = team()
  await prisma.terminalSession.create({ data: { ...sessions[2]!, id: randomUUID() } })
  const audit = createAudit({ prisma, clock, newId: randomUUID, log: { error: () => undefined } })
  const formerUsers = () => new SessionRepository(prisma, audit).formerUsers(10)
  expect(await formerUsers()).toEqual([])
  await as(team(), owner)(`DELETE /agents/left/shares/${stranger.id}`)
  expect(await formerUsers()).toEqual([{ agentId, userId: stranger.id }])
})

it('a server ends what a former sharee left running, if the one before was killed before it did', async () => {
  const { agentId, prisma, sessions } = await sharedAgent('killed')
  const userId = team().stranger.id
  running = sessions.map(({ id }, at) => ({
    ...{ pid: 10 + at, ppid: 1, session: 10 + at, startTicks: at, terminalSession: id, startedAt: new Date() },
    ...{ cpuMs: 0, memoryBytes: 0, ignoresHangup: true, command: 'sleep 4000' },
  }))
  // The share is gone, and no server has heard of it.
  await prisma.share.deleteMany({ where: { agentId, userId } })
  const next = await bootApp(team().database, { runtime })
  try {
    await until('the end of it', () => running.length === 3)
    expect(running.map(({ pid }) => pid)).toEqual([10, 11, 13])
    const act = (await auditOf(team(), team().admin)).find(({ action }) => action === 'process.ended')
    const detail = { pid: 12, program: 'sleep', sessionId: sessions[2]!.id, because: 'no_right' }
    expect(act).toMatchObject({ target: { name: 'killed' }, detail })
  } finally {
    await next.app.close()
  }
})
