/** Tasks and what belongs to them. Each is stored, and its id is the answer. */
import { randomUUID } from 'node:crypto'
import type { Person } from '../../support/people/people.ts'
import type { World } from './world.ts'

/** A task of the owner in an agent that has ended. */
export const storedTask = async ({ database, owner }: World, agentName: string): Promise<string> => {
  const { prisma } = database
  const id = randomUUID()
  const agent = await prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const of = { id, sessionId: id, agentId: agent.id, agentName, userId: owner.id, personal: false }
  const what = {
    provider: 'claude-code',
    prompt: 'hi',
    cwd: '/home/developer',
    timeoutSeconds: 300,
    cliSessionId: randomUUID(),
  }
  await prisma.codingRun.create({
    data: { ...of, ...what, state: 'completed', reason: 'completed', endedAt: new Date() },
  })
  return id
}

/** A question of a task, which waits for its answer. */
export const storedDialog = async ({ database }: World, runId: string): Promise<string> => {
  const { prisma } = database
  const { agentId, agentName, userId } = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
  const of = { id: randomUUID(), agentId, agentName, userId, runId, requestId: 'asked', personal: false }
  const row = await prisma.dialog.create({
    data: { ...of, title: 'Sure?', question: { kind: 'confirm' }, state: 'open' },
  })
  return row.id
}

/** A message to a user about a question. */
export const storedNotice = async ({ database, clock }: World, user: Person, dialogId: string): Promise<string> => {
  const of = { id: randomUUID(), userId: user.id, dialogId }
  return (await database.prisma.notice.create({ data: { ...of, createdAt: new Date(clock.now()) } })).id
}

/** A comparison of a user with one task, which has ended and the same id. */
export const storedComparison = async (
  { database, clock }: World,
  { id: userId }: Person,
  { agentName, task: id }: { readonly agentName: string; readonly task: string },
): Promise<string> => {
  const { prisma } = database
  await prisma.codingRun.update({ where: { id }, data: { userId } })
  const target = { position: 0, agentName, runId: id }
  const createdAt = new Date(clock.now())
  await prisma.comparison.create({ data: { id, userId, prompt: 'hi', createdAt, targets: { create: target } } })
  return id
}

/** Each user has only a few, so that the walk's own may be created. */
export const storedSchedule = async (
  { database, clock }: World,
  { id: userId }: Person,
  agentName: string,
): Promise<string> => {
  const at = new Date(clock.now())
  const agent = await database.prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const of = { id: randomUUID(), userId, agentId: agent.id, via: 'user', viaId: userId }
  const what = { name: 'To go', cron: '0 9 * * *', timezone: 'UTC', missed: 'skip', prompt: 'hi' }
  await database.prisma.schedule.deleteMany({ where: { userId } })
  const data = { ...of, ...what, enabled: false, createdAt: at, updatedAt: at }
  return (await database.prisma.schedule.create({ data })).id
}

/** A template of a user, or of the platform. There are only a few, so that the walk's own may be created. */
export const storedTemplate = async ({ database, clock }: World, userId: string | null): Promise<string> => {
  const { promptTemplate } = database.prisma
  await promptTemplate.deleteMany({ where: { userId } })
  const at = new Date(clock.now())
  const data = { id: randomUUID(), userId, name: 'To go', prompt: 'hi', createdAt: at, updatedAt: at }
  return (await promptTemplate.create({ data })).id
}

/** An approval rule of a user, of an agent or of the platform. There are only a few, so that the walk's own may be made. */
export const storedRule = async (
  { database, clock }: World,
  owner: { userId?: string | null; agentId?: string },
): Promise<string> => {
  const { approvalRule } = database.prisma
  const id = randomUUID()
  const covers = { kind: 'tool', tool: `walk-${id.slice(0, 13)}` }
  const what = { decision: 'deny', covers, createdAt: new Date(clock.now()), createdBy: 'walk' }
  await approvalRule.deleteMany({ where: { userId: null, agentId: null, ...owner } })
  return (await approvalRule.create({ data: { id, ...owner, ...what } })).id
}
