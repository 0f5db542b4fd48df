import { randomUUID } from 'node:crypto'
import {
  type CodingSession,
  CONVERSATIONS_PER_USER,
  type Conversation,
  type Conversations,
  type ConversationTurns,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { conversationIn, type HowStored, refusal } from '../../../test/support/stored/conversations.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import type { Person } from '../../../test/support/people/people.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })

const setUp = (how?: HowStored) => conversationIn(team(), how)

describe('a turn of a conversation', () => {
  it('that fails releases the messages that wait with one notice, and the next message makes it active again', async () => {
    const { ends, settled, get, queue, past, send, begin, runId, prisma } = await setUp()
    await send('a third one')
    await ends({ state: 'failed', reason: 'cli_error', error: 'It broke.' })
    await settled()
    const errored = await until('the notice', async () => {
      const conversation = await get()
      return conversation.state === 'errored' && conversation
    })
    expect(errored).toMatchObject({
      ...{ activity: 'idle', currentRunId: null, lastRunId: runId, queued: 0, turns: 1 },
      error: 'It broke. 2 messages that waited were not sent.',
    })
    expect(await queue()).toEqual([])
    const states = (await past()).items.map(({ message: { text, state } }) => [text, state])
    expect(states).toEqual([
      ['hi', 'sent'],
      ['and then', 'released'],
      ['a third one', 'released'],
    ])
    const run = await begin('and now?')
    expect(await get()).toMatchObject({ state: 'active', error: null, currentRunId: run.id, turns: 2 })
    // It continues the same session of the CLI.
    const before = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
    expect(run).toMatchObject({ prompt: 'and now?', resumed: before.cliSessionId, cwd: before.cwd, queue: true })
  })

  it('that is interrupted keeps the messages that wait, and the first of them is the next turn', async () => {
    const { call, path, runId, get, messageId, past } = await setUp()
    expect((await call(`POST ${path}/interrupt`)).statusCode).toBe(202)
    const next = await until('the next turn', async () => {
      const conversation = await get()
      return conversation.turns === 2 && conversation
    })
    expect(next).toMatchObject({ state: 'active', queued: 0, error: null })
    const { items } = await past()
    expect(items.map(({ message, run }) => [message.id, message.state, run?.reason ?? null])).toEqual([
      [expect.any(String), 'sent', 'terminated'],
      [messageId, 'sent', null],
    ])
    expect(items[0]?.run?.id).toBe(runId)
  })

  it('that has ended cannot be interrupted in place of the next one', async () => {
    const { call, path, runId, get, ends } = await setUp()
    await ends({ state: 'completed', reason: 'completed' })
    const { currentRunId: next } = await until('the next turn', async () => {
      const conversation = await get()
      return conversation.turns === 2 && conversation
    })
    expect(refusal(await call(`POST ${path}/interrupt`, { runId }))).toEqual([409, 'WRONG_STATE'])
    expect((await get()).currentRunId).toBe(next)
    expect((await call(`POST ${path}/interrupt`, { runId: next })).statusCode).toBe(202)
    await until('the end of the next turn', async () => (await get()).currentRunId === null)
  })

  it('begins once, whatever comes at the same time, and the others wait in their order', async () => {
    const { send, queue, get, agentName, prisma } = await setUp({ isBusy: false })
    const sent = await Promise.all(['1', '2', '3', '4', '5'].map(send))
    // A look of the server itself may begin the turn, which no request waits for.
    const waiting = await until('the turn', async () => {
      const all = await queue()
      return all.length < 5 && all
    })
    expect(waiting).toHaveLength(4)
    expect(await get()).toMatchObject({ turns: 2, queued: 4, activity: 'starting' })
    expect(await prisma.codingRun.count({ where: { agentName } })).toBe(2)
    const seqs = waiting.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(5)
  })

  it('names its conversation, and a task of its own names none', async () => {
    const { call, agentName, past, runId, id, begin } = await setUp({ isBusy: false })
    const conversationOf = async (run: string) =>
      (await call(`GET /coding-agents/sessions/${run}`)).json<CodingSession>().conversationId
    const { id: next } = await begin('and now?')
    expect([await conversationOf(runId), await conversationOf(next)]).toEqual([id, id])
    expect((await past()).items.map(({ run }) => run?.conversationId)).toEqual([id, id])
    const alone = await call('POST /coding-agents/sessions', { agent: agentName, prompt: 'hi', queue: true })
    expect(alone.json()).toMatchObject({ conversationId: null })
    const listed = (await call('GET /coding-agents/sessions')).json<CodingSession[]>()
    const of = new Map(listed.map((run) => [run.id, run.conversationId]))
    expect([of.get(next), of.get(alone.json<CodingSession>().id)]).toEqual([id, null])
  })

  it('does not begin if its user may not start tasks there any more', async () => {
    const { prisma, id, past, get, colleague } = await setUp({ isBusy: false })
    // The message of a user with whom the agent is not shared any more.
    const of = { conversationId: id, userId: colleague.id, via: 'user', viaId: colleague.id, createdAt: new Date() }
    await prisma.conversationMessage.create({
      data: { ...of, id: randomUUID(), seq: 2, text: 'let me in', state: 'queued' },
    })
    const errored = await until('the refusal', async () => {
      const conversation = await get()
      return conversation.state === 'errored' && conversation
    })
    expect(errored.error).toBe('Its user may no longer start tasks in this agent.')
    expect((await past()).items.at(-1)).toMatchObject({
      message: { state: 'refused', error: errored.error },
      run: null,
    })
  })
})

describe('the folder and the options of a conversation', () => {
  it('are those of each turn, and only the first turn may get a worktree', async () => {
    const { call, agentName, prisma } = await setUp({ isBusy: false })
    const begun = await call('POST /conversations', {
      ...{ agent: agentName, prompt: 'begin', cwd: 'app', worktree: 'always', validate: { timeoutSeconds: 60 } },
    })
    expect(begun.statusCode).toBe(201)
    const { id, currentRunId } = begun.json<Conversation>()
    expect(begun.json()).toMatchObject({ worktree: 'always', validate: true, cwd: '/home/developer/app' })
    const first = await prisma.codingRun.findUniqueOrThrow({ where: { id: currentRunId! } })
    expect(first).toMatchObject({ worktree: 'always', validate: { timeoutSeconds: 60 }, validation: 'waiting' })
    // It has worked in a worktree, and the CLI has no session to continue.
    const cwd = '/home/developer/.slipway/worktrees/app-1'
    const worked = { state: 'failed', reason: 'session_lost', startedAt: new Date(), endedAt: new Date() }
    await prisma.codingRun.update({ where: { id: first.id }, data: { ...worked, cwd, continuesAt: null } })
    await call(`POST /conversations/${id}/messages`, { text: 'again', validate: false })
    const sent = await until('the next turn', async () => {
      const { items } = (await call(`GET /conversations/${id}/messages`)).json<ConversationTurns>()
      return items[1]?.message.runId ?? false
    })
    const next = await prisma.codingRun.findUniqueOrThrow({ where: { id: sent } })
    expect(next).toMatchObject({ cwd, worktree: 'off', validate: null, validation: null, resumed: null })
    expect((await call(`GET /conversations/${id}`)).json()).toMatchObject({ cwd })
  })
})

describe('the gate of a conversation', () => {
  it('is that of each turn, but not of a message that is not validated', async () => {
    const { call, agentName, prisma } = await setUp({ isBusy: false })
    const body = { agent: agentName, prompt: 'begin', gate: { repairs: 2 } }
    const begun = await call('POST /conversations', body)
    expect(begun.json()).toMatchObject({ validate: true, gate: { repairs: 2 } })
    const { id, currentRunId } = begun.json<Conversation>()
    const gateOf = async (runId: string) => {
      const run = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
      return [run.gateRepairs, run.validation]
    }
    expect(await gateOf(currentRunId!)).toEqual([2, 'waiting'])
    const next = async (message: object, at: number) => {
      const { currentRunId: now } = (await call(`GET /conversations/${id}`)).json<Conversation>()
      const ended = { state: 'failed', reason: 'session_lost', endedAt: new Date(), continuesAt: null } as const
      await prisma.codingRun.update({ where: { id: now! }, data: ended })
      await call(`POST /conversations/${id}/messages`, message)
      return until('the next turn', async () => {
        const { items } = (await call(`GET /conversations/${id}/messages`)).json<ConversationTurns>()
        return items[at]?.message.runId ?? false
      })
    }
    expect(await gateOf(await next({ text: 'without', validate: false }, 1))).toEqual([null, null])
    expect(await gateOf(await next({ text: 'again' }, 2))).toEqual([2, 'waiting'])
    const without = await call('POST /conversations', { ...body, validate: false })
    expect(refusal(without)).toEqual([400, 'VALIDATION'])
  })
})

describe('a conversation', () => {
  it('is archived only if it has nothing to do, and takes no message in the archive', async () => {
    const busy = await setUp()
    expect(refusal(await busy.call(`PATCH ${busy.path}`, { archived: true }))).toEqual([409, 'WRONG_STATE'])
    expect(refusal(await busy.call(`DELETE ${busy.path}`))).toEqual([409, 'WRONG_STATE'])
    const { call, path, id, begin } = await setUp({ isBusy: false })
    const archived = (await call(`PATCH ${path}`, { archived: true, title: 'Done' })).json<Conversation>()
    expect(archived).toMatchObject({ state: 'archived', title: 'Done' })
    expect(refusal(await call(`POST ${path}/messages`, { text: 'more' }))).toEqual([409, 'WRONG_STATE'])
    const listed = async (query: string) =>
      (await call(`GET /conversations?${query}`)).json<{ items: Conversation[] }>().items.some((one) => one.id === id)
    expect([await listed(''), await listed('state=archived')]).toEqual([false, true])
    await call(`PATCH ${path}`, { archived: false })
    await begin('more')
    expect(await listed('state=active')).toBe(true)
  })

  it('leaves the archive only if its user has room for it', async () => {
    const { call, path, id, prisma, owner, agentName } = await setUp({ isBusy: false })
    await call(`PATCH ${path}`, { archived: true })
    const of = { userId: owner.id, agentName, title: 'one of many', provider: 'claude-code', cwd: '/home/developer' }
    const at = { options: {}, createdAt: new Date(), lastActivityAt: new Date() }
    const there = await prisma.conversation.count({ where: { userId: owner.id, archivedAt: null } })
    const more = Array.from({ length: CONVERSATIONS_PER_USER - there }, () => ({ id: randomUUID(), ...of, ...at }))
    await prisma.conversation.createMany({ data: more })
    try {
      expect(refusal(await call(`PATCH ${path}`, { archived: false }))).toEqual([409, 'TOO_MANY_CONVERSATIONS'])
      await prisma.conversation.delete({ where: { id: more[0]!.id } })
      const both = await Promise.all([1, 2].map(() => call(`PATCH ${path}`, { archived: false })))
      expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200])
      expect(await prisma.conversation.findUniqueOrThrow({ where: { id } })).toMatchObject({ archivedAt: null })
    } finally {
      await prisma.conversation.deleteMany({ where: { title: 'one of many' } })
    }
  })

  it('is in the lists of those who may see its agent, if they ask for all or for its user', async () => {
    const { id, agentName, call, colleague, owner } = await setUp({ isBusy: false })
    const lists = async (user: Person, by: string): Promise<boolean> => {
      const { items } = (await as(team(), user)(`GET /conversations?by=${by}`)).json<Conversations>()
      return items.some((one) => one.id === id)
    }
    const listed = (user: Person) => Promise.all(['me', 'all', owner.id, colleague.id].map((by) => lists(user, by)))
    expect(await listed(owner)).toEqual([true, true, true, false])
    expect(await listed(team().admin)).toEqual([false, true, true, false])
    expect(await listed(colleague)).toEqual([false, false, false, false])
    await call(`POST /agents/${agentName}/shares`, { email: colleague.email })
    expect(await listed(colleague)).toEqual([false, true, true, false])
    expect(await listed(team().stranger)).toEqual([false, false, false, false])
    expect(refusal(await call('GET /conversations?by=ada'))).toEqual([400, 'VALIDATION'])
  })

  it('with a task that holds a credential of its user is kept from API tokens', async () => {
    const { call, path, runId, prisma, id } = await setUp({ isBusy: false })
    const { token } = (await call('POST /tokens', { name: 't', scopes: ['tasks:read'] })).json<{ token: string }>()
    const program = as(team(), { ...team().owner, token })
    expect((await program(`GET ${path}`)).statusCode).toBe(200)
    await prisma.codingRun.update({ where: { id: runId }, data: { personal: true } })
    expect(refusal(await program(`GET ${path}`))).toEqual([403, 'PERSONAL_CREDENTIAL'])
    expect(
      (await program('GET /conversations')).json<{ items: { id: string }[] }>().items.map((one) => one.id),
    ).not.toContain(id)
    expect((await call(`GET ${path}`)).statusCode).toBe(200)
  })
})

it('are counted in the metrics by state, with the messages that wait', async () => {
  const { call } = await setUp()
  const body = (await as(team(), team().admin)('GET /metrics')).body
  expect(body).toMatch(/^slipway_conversations\{state="active"\} [1-9]\d*$/m)
  expect(body).toMatch(/^slipway_conversation_messages_queued [1-9]\d*$/m)
  expect(body).toMatch(/^slipway_conversation_failures_total 0$/m)
  expect((await call('GET /metrics')).statusCode).toBe(403)
})
