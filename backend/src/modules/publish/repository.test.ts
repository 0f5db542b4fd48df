import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import type { Caller } from '../identity/caller.ts'
import { CompletedTasks, TurnRepository } from './repository.ts'

const team = useTeam()

it('a task that has completed in an agent that commits is due, unless it could only plan', async () => {
  const { prisma } = team().database
  const name = `a-${randomUUID().slice(0, 13)}`
  const owner = as(team(), team().owner)
  const agent = (await owner('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const due = async (policy: string | null): Promise<unknown> => {
    const id = randomUUID()
    const run = {
      ...{ id, agentId: agent.id, agentName: name, userId: team().owner.id, provider: 'claude-code', policy },
      ...{ mode: 'auto', prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300, via: 'sign_in', viaId: 'a' },
      ...{ state: 'completed', reason: 'completed', endedAt: new Date(), createdAt: new Date(), sessionId: id },
    } as const
    await prisma.codingRun.create({ data: run })
    return new CompletedTasks(prisma).due(id)
  }
  expect(await due(null)).toBeNull()
  await owner(`PATCH /agents/${name}`, { autoCommit: true })
  const expected = { userId: team().owner.id, agentId: agent.id, via: { kind: 'sign_in', id: 'a' } }
  expect([await due(null), await due('ask'), await due('plan')]).toEqual([expected, expected, null])
})

it('a task whose commit was not begun is left, unless it changed nothing or a later one worked in its folder', async () => {
  const { prisma } = team().database
  const name = `a-${randomUUID().slice(0, 13)}`
  const owner = as(team(), team().owner)
  const agent = (await owner('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const since = new Date(Date.now() - 60_000)
  const ended = async (cwd: string, more: object = {}): Promise<string> => {
    const id = randomUUID()
    const run = {
      ...{ id, agentId: agent.id, agentName: name, userId: team().owner.id, provider: 'claude-code', cwd },
      ...{ mode: 'auto', prompt: 'hi', timeoutSeconds: 300, via: 'user', viaId: team().owner.id, sessionId: id },
      ...{ state: 'completed', reason: 'completed', endedAt: new Date(), changesDetected: true, ...more },
    } as const
    await prisma.codingRun.create({ data: run })
    return id
  }
  const left = async (): Promise<string[]> => {
    const own = new Set<string>()
    for await (const id of new CompletedTasks(prisma).left(since)) own.add(id)
    const rows = await prisma.codingRun.findMany({ where: { agentName: name }, select: { id: true } })
    return rows.flatMap(({ id }) => (own.has(id) ? [id] : [])).toSorted()
  }
  const expected = [await ended('/a'), await ended('/b', { changesDetected: null })]
  await ended('/c', { changesDetected: false })
  await ended('/d', { state: 'failed', reason: 'cli_error' })
  await ended('/e', { endedAt: new Date(since.getTime() - 1) })
  await ended('/f', { endedAt: new Date(Date.now() - 1_000) })
  await ended('/f', { state: 'failed', reason: 'cli_error' })
  const committed = await ended('/g')
  const target = { targetType: 'agent', targetId: agent.id, targetName: name }
  const event = { id: randomUUID(), at: new Date(), action: 'changes.committed', via: 'platform', ...target }
  await prisma.auditEvent.create({ data: { ...event, detail: { taskId: committed } } })
  expect(await left()).toEqual([])
  await owner(`PATCH /agents/${name}`, { autoCommit: true })
  expect(await left()).toEqual(expected.toSorted())
})

it('the turns of a conversation have one cost and the newest verdict, as far as the caller may see them', async () => {
  const { prisma } = team().database
  const name = `a-${randomUUID().slice(0, 13)}`
  const { owner, stranger } = team()
  const agent = (await as(team(), owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const common = { agentId: agent.id, agentName: name, userId: owner.id }
  const times = { createdAt: new Date(), lastActivityAt: new Date() }
  const facts = { title: 'Work', provider: 'codex', cwd: '/home/developer', options: {}, ...times }
  const { id: conversationId } = await prisma.conversation.create({ data: { ...common, id: randomUUID(), ...facts } })
  let seq = 0
  const turn = async (costUsd: number | null, verdict: string | null, more: object = {}): Promise<string> => {
    const id = randomUUID()
    const run = {
      ...{ ...common, id, provider: 'codex', cwd: '/home/developer', mode: 'auto', prompt: 'hi', timeoutSeconds: 300 },
      ...{
        sessionId: id,
        state: 'completed',
        reason: 'completed',
        endedAt: new Date(),
        personal: false,
        costUsd,
        ...more,
      },
    }
    await prisma.codingRun.create({ data: run })
    const message = { userId: owner.id, via: 'sign_in', viaId: 'a', text: 'hi', state: 'sent', createdAt: new Date() }
    seq += 1
    await prisma.conversationMessage.create({ data: { ...message, id: randomUUID(), conversationId, seq, runId: id } })
    const validation = { attempt: randomUUID(), evidence: {}, startedAt: new Date(Date.UTC(2030, 0, seq)) }
    if (verdict !== null) await prisma.validation.create({ data: { ...validation, runId: id, state: verdict } })
    return id
  }
  await turn(0.25, 'failed')
  const validated = await turn(0.5, 'passed', { costEstimated: true, provider: 'claude-code' })
  await turn(null, 'running')
  await turn(1, null, { endedAt: null, state: 'running', reason: null })
  const turns = new TurnRepository(prisma)
  const callerOf = ({ id: userId, email }: { id: string; email: string }): Caller => ({
    ...{ userId, email, role: 'user' },
    ...{ via: { kind: 'user', userId }, source: { address: null, requestId: null } },
  })
  expect(await turns.ended(conversationId, callerOf(owner))).toEqual({
    cost: { turns: 3, unknown: 1, costUsd: 0.75, costEstimated: true },
    validated,
  })
  const nothing = { cost: { turns: 0, unknown: 0, costUsd: null, costEstimated: false }, validated: null }
  expect(await turns.ended(conversationId, callerOf(stranger))).toEqual(nothing)
})
