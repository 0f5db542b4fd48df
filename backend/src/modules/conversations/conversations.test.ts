import { randomUUID } from 'node:crypto'
import {
  type Conversation,
  type ConversationMessage,
  type ConversationTurns,
  MESSAGES_QUEUED_MAX,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { storedConversation } from '../../../test/support/conversations.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { as, newAgent, useTeam } from '../../../test/support/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })

/** A conversation of the owner in a stopped agent, where new turns wait in line. */
const setUp = async ({ isBusy = true } = {}) => {
  const { owner, colleague, database } = team()
  const { prisma } = database
  const agentName = `a-${randomUUID().slice(0, 13)}`
  const call = as(team(), owner)
  await call('POST /agents?wait=true', newAgent(agentName))
  await call(`POST /agents/${agentName}/stop?wait=true`)
  const stored = await storedConversation(prisma, { agentName, userId: owner.id, isBusy })
  const path = `/conversations/${stored.id}` as const
  const get = async () => (await call(`GET ${path}`)).json<Conversation>()
  const queue = async () => (await call(`GET ${path}/queue`)).json<ConversationMessage[]>()
  const past = async () => (await call(`GET ${path}/messages`)).json<ConversationTurns>()
  const send = async (text: string) => (await call(`POST ${path}/messages`, { text })).json<ConversationMessage>()
  /** The run of its turn ends like this. */
  const ends = (end: { state: string; reason: string; error?: string }) =>
    prisma.codingRun.update({
      where: { id: stored.runId },
      data: { ...end, endedAt: new Date(), lastSeq: 3, continuesAt: null },
    })
  const settled = () =>
    until('the turn to be settled', async () => {
      const { currentRunId } = await prisma.conversation.findUniqueOrThrow({ where: { id: stored.id } })
      return currentRunId !== stored.runId && get()
    })
  return { ...stored, agentName, prisma, owner, colleague, call, path, get, queue, past, send, ends, settled }
}
const refusal = ({ statusCode, body }: { statusCode: number; body: string }): [number, string] => [
  statusCode,
  (JSON.parse(body) as { code: string }).code,
]

describe('a turn of a conversation', () => {
  it('that fails releases the messages that wait with one notice, and the next message makes it active again', async () => {
    const { ends, settled, get, queue, past, send, runId, prisma } = await setUp()
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
    const { state, runId: next } = await send('and now?')
    expect(state).toBe('sent')
    expect(await get()).toMatchObject({ state: 'active', error: null, currentRunId: next, turns: 2 })
    // It continues the same session of the CLI.
    const before = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
    const run = await prisma.codingRun.findUniqueOrThrow({ where: { id: next! } })
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

  it('begins once, whatever comes at the same time, and the others wait in their order', async () => {
    const { send, queue, get, agentName, prisma } = await setUp({ isBusy: false })
    const sent = await Promise.all(['1', '2', '3', '4', '5'].map(send))
    const waiting = await queue()
    expect(waiting).toHaveLength(4)
    expect(await get()).toMatchObject({ turns: 2, queued: 4, activity: 'starting' })
    expect(await prisma.codingRun.count({ where: { agentName } })).toBe(2)
    const seqs = waiting.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(5)
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

describe('a session of a CLI', () => {
  it('that the CLI has forgotten is followed by a new one, and the person and the CLI are told so', async () => {
    const { ends, settled, get, send, prisma } = await setUp()
    await ends({ state: 'failed', reason: 'session_lost', error: 'It is gone.' })
    await settled()
    expect((await get()).error).toContain('The next message begins a new session, which does not know what was said')
    const { runId } = await send('do you remember?')
    const run = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId! } })
    expect(run.resumed).toBeNull()
    expect(run.prompt).toMatch(/^Your earlier session of this conversation is gone.*\n\ndo you remember\?$/)
  })

  it('is forked by a CLI that can, and the first conversation stays as it is', async () => {
    const { call, path, id, runId, prisma, get } = await setUp({ isBusy: false })
    const before = await get()
    expect(before.canFork).toBe(true)
    const fork = (await call(`POST ${path}/fork`, { title: 'Another way' })).json<Conversation>()
    expect(fork).toMatchObject({
      ...{ title: 'Another way', forkedFrom: id, cwd: before.cwd, cliSessionId: null, turns: 0 },
    })
    const sent = await call(`POST /conversations/${fork.id}/messages`, { text: 'another way' })
    const run = await prisma.codingRun.findUniqueOrThrow({ where: { id: sent.json<ConversationMessage>().runId! } })
    expect(run).toMatchObject({ resumed: before.cliSessionId, forks: true })
    expect(await get()).toEqual(before)
    await prisma.conversation.update({ where: { id }, data: { provider: 'gemini-cli' } })
    expect(refusal(await call(`POST ${path}/fork`, {}))).toEqual([409, 'CANNOT_FORK'])
    expect(runId).toBe(before.lastRunId)
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

describe('the messages that wait', () => {
  it('can be changed, put into another order and withdrawn until their turns begin', async () => {
    const { call, path, messageId, send, queue } = await setUp()
    const [third, fourth] = [await send('three'), await send('four')]
    await call(`PATCH ${path}/queue/${fourth.id}`, { position: 0 })
    await call(`PATCH ${path}/queue/${messageId}`, { text: 'changed', position: 50 })
    expect((await queue()).map(({ text }) => text)).toEqual(['four', 'three', 'changed'])
    expect((await call(`DELETE ${path}/queue/${third.id}`)).statusCode).toBe(204)
    expect((await queue()).map(({ text }) => text)).toEqual(['four', 'changed'])
    expect(refusal(await call(`PATCH ${path}/queue/${third.id}`, { text: 'x' }))).toEqual([404, 'NOT_FOUND'])
    const [first] = (await call(`GET ${path}/messages`)).json<ConversationTurns>().items
    expect(refusal(await call(`DELETE ${path}/queue/${first!.message.id}`))).toEqual([409, 'WRONG_STATE'])
  })

  it('are bounded in number', async () => {
    const { call, path, id, prisma, owner } = await setUp()
    const of = { conversationId: id, userId: owner.id, via: 'user', viaId: owner.id, createdAt: new Date() }
    const more = Array.from({ length: MESSAGES_QUEUED_MAX - 1 }, (_, at) => ({
      ...{ ...of, id: randomUUID(), seq: at + 3, text: 'more', state: 'queued' },
    }))
    await prisma.conversationMessage.createMany({ data: more })
    expect(refusal(await call(`POST ${path}/messages`, { text: 'too many' }))).toEqual([409, 'TOO_MANY_MESSAGES'])
  })

  it('are not given to a turn that takes none', async () => {
    const { call, path } = await setUp()
    expect(refusal(await call(`POST ${path}/messages`, { text: 'now', how: 'steer' }))).toEqual([409, 'CANNOT_STEER'])
  })
})

describe('a conversation', () => {
  it('is archived only if it has nothing to do, and takes no message in the archive', async () => {
    const busy = await setUp()
    expect(refusal(await busy.call(`PATCH ${busy.path}`, { archived: true }))).toEqual([409, 'WRONG_STATE'])
    expect(refusal(await busy.call(`DELETE ${busy.path}`))).toEqual([409, 'WRONG_STATE'])
    const { call, path, id, send } = await setUp({ isBusy: false })
    const archived = (await call(`PATCH ${path}`, { archived: true, title: 'Done' })).json<Conversation>()
    expect(archived).toMatchObject({ state: 'archived', title: 'Done' })
    expect(refusal(await call(`POST ${path}/messages`, { text: 'more' }))).toEqual([409, 'WRONG_STATE'])
    const listed = async (query: string) =>
      (await call(`GET /conversations?${query}`)).json<{ items: Conversation[] }>().items.some((one) => one.id === id)
    expect([await listed(''), await listed('state=archived')]).toEqual([false, true])
    await call(`PATCH ${path}`, { archived: false })
    expect([(await send('more')).state, await listed('state=active')]).toEqual(['sent', true])
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
