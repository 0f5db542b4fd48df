import { randomUUID } from 'node:crypto'
import {
  type Conversation,
  type ConversationMessage,
  type Conversations,
  type ConversationTurns,
  MESSAGES_QUEUED_MAX,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { conversationIn, refusal } from '../../../test/support/stored/conversations.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { aCaller } from '../../../test/support/people/callers.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'
import { listen } from '../../../test/support/server/listener.ts'
import type { UserMessage } from '../providers/headless/headless.ts'
import { MessageRepository } from './message-repository.ts'
import { ConversationMessages, type MessageDeps } from './messages.ts'
import { ConversationRepository } from './repository.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const setUp = () => conversationIn(team())

/** A conversation whose turn takes messages, and a way to steer it: as the test says, the turn takes one or cannot be reached. */
const steering = async () => {
  const conversation = await setUp()
  const { id, runId, prisma, owner } = conversation
  await prisma.codingRun.update({ where: { id: runId }, data: { state: 'running', policy: 'ask' } })
  let turn: Error | ((message: UserMessage) => Promise<boolean>) = new Error('not said')
  const conversations = new ConversationRepository(prisma)
  const caller = { ...aCaller(), userId: owner.id }
  const messages = new ConversationMessages({
    conversations,
    messages: new MessageRepository(prisma, { record: () => Promise.resolve() }),
    service: { require: async () => ({ row: await conversations.byId(id), found: { row: { id: 'a', name: 'a' } } }) },
    runs: { steering: () => (turn instanceof Error ? Promise.reject(turn) : Promise.resolve(turn)) },
    turns: { moveOn: () => Promise.resolve() },
    ...{ tell: () => Promise.resolve(), newId: randomUUID, clock: team().clock },
  } as unknown as MessageDeps)
  const steer = (how: typeof turn, key?: string) => {
    turn = how
    return messages.send(caller, id, { text: 'to steer', how: 'steer' }, key)
  }
  return { ...conversation, messages, steer }
}

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

  it('have the proof of the user or the token that changed their text last, also when their turns begin', async () => {
    const { call, path, messageId, prisma, owner, ends } = await setUp()
    const proofOf = async () => {
      const { via, viaId } = await prisma.conversationMessage.findUniqueOrThrow({ where: { id: messageId } })
      return [via, viaId]
    }
    const scopes = ['tasks:read', 'tasks:write']
    const token = (await call('POST /tokens', { name: 't', scopes })).json<{ id: string; token: string }>()
    const program = as(team(), { ...owner, token: token.token })
    expect((await program(`PATCH ${path}/queue/${messageId}`, { position: 0 })).statusCode).toBe(200)
    expect(await proofOf()).toEqual(['user', owner.id])
    expect((await program(`PATCH ${path}/queue/${messageId}`, { text: 'of the token' })).statusCode).toBe(200)
    expect(await proofOf()).toEqual(['api_token', token.id])
    await ends({ state: 'completed', reason: 'completed' })
    const begun = await until('the turn', async () => {
      const { state, runId } = await prisma.conversationMessage.findUniqueOrThrow({ where: { id: messageId } })
      return state !== 'queued' && prisma.codingRun.findUniqueOrThrow({ where: { id: runId ?? '' } })
    })
    expect([begun.prompt, begun.via, begun.viaId]).toEqual(['of the token', 'api_token', token.id])
    const second = (await call(`POST ${path}/messages`, { text: 'mine' })).json<ConversationMessage>()
    await program(`PATCH ${path}/queue/${second.id}`, { text: 'of the token' })
    await call(`PATCH ${path}/queue/${second.id}`, { text: 'mine again' })
    expect(await prisma.conversationMessage.findUniqueOrThrow({ where: { id: second.id } })).toMatchObject({
      ...{ text: 'mine again', via: 'user', viaId: owner.id },
    })
  })

  it('of a token that may only write begin the next turn of the same session, and are not read with it', async () => {
    const { call, path, runId, prisma, owner } = await conversationIn(team(), { isBusy: false })
    const { token } = (await call('POST /tokens', { name: 't', scopes: ['tasks:write'] })).json<{ token: string }>()
    const program = as(team(), { ...owner, token })
    const { id } = (await program(`POST ${path}/messages`, { text: 'go on' })).json<ConversationMessage>()
    // The answer says that it is queued if the sweep was already looking at this conversation.
    const sent = await until('the message to be sent', async () => {
      const message = await prisma.conversationMessage.findUniqueOrThrow({ where: { id } })
      return message.state !== 'queued' && message
    })
    expect(sent).toMatchObject({ state: 'sent', error: null })
    const before = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
    const turn = await prisma.codingRun.findUniqueOrThrow({ where: { id: sent.runId ?? '' } })
    expect(turn).toMatchObject({ prompt: 'go on', resumed: before.cliSessionId, via: 'api_token' })
    expect((await program(`GET ${path}/messages`)).statusCode).toBe(403)
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

  it('are not given to the turn of another user, with whose rights they would be read', async () => {
    const { call, path, agentName, runId, prisma, colleague, queue } = await setUp()
    await call(`POST /agents/${agentName}/shares`, { email: colleague.email })
    await prisma.codingRun.update({ where: { id: runId }, data: { state: 'running', policy: 'ask' } })
    const guest = as(team(), colleague)
    const refused = await guest(`POST ${path}/messages`, { text: 'of the guest', how: 'steer' })
    expect(refusal(refused)).toEqual([409, 'CANNOT_STEER'])
    expect(refused.json<{ message: string }>().message).toContain('belongs to another user')
    expect((await call(`POST ${path}/messages`, { text: 'mine', how: 'steer' })).statusCode).toBe(201)
    expect((await queue()).map(({ text }) => text)).toEqual(['mine', 'and then'])
  })

  it('wait for the next turn if the CLI refuses them, before the others, and are given once at most', async () => {
    const { id, runId, prisma, owner, messages, queue, steer } = await steering()
    const given: string[] = []
    const first = await steer((message) => Promise.resolve(given.push(message.id) > 0))
    expect([first.state, given]).toEqual(['steered', [first.id]])
    await messages.notTaken({ runId: randomUUID(), messageId: first.id })
    expect((await queue()).map(({ text }) => text)).toEqual(['and then'])
    await messages.notTaken({ runId, messageId: first.id })
    // The next server reads the refusal again.
    await messages.notTaken({ runId, messageId: first.id })
    await messages.notTaken({ runId, messageId: 'no message' })
    expect((await queue()).map(({ text, state }) => [text, state])).toEqual([
      ['to steer', 'queued'],
      ['and then', 'queued'],
    ])
    const of = { conversationId: id, userId: owner.id, state: 'steered' }
    expect(await prisma.conversationMessage.count({ where: of })).toBe(0)
  })

  it('are not stored as given if the turn cannot be reached, so that the same request sends them later', async () => {
    const { queue, steer } = await steering()
    const key = randomUUID()
    await expect(steer(new Error('no database'), key)).rejects.toThrow('no database')
    expect((await queue()).map(({ text }) => text)).toEqual(['and then'])
    expect((await steer(() => Promise.resolve(false), key)).state).toBe('queued')
    expect((await queue()).map(({ id, text }) => [id === key, text])).toEqual([
      [true, 'to steer'],
      [false, 'and then'],
    ])
  })

  it('are offered to the turn by its own user alone, also in the events', async () => {
    const { call, path, id, agentName, runId, prisma, owner, colleague } = await setUp()
    await call(`POST /agents/${agentName}/shares`, { email: colleague.email })
    await prisma.codingRun.update({ where: { id: runId }, data: { state: 'running', policy: 'ask' } })
    const [mine, theirs] = await Promise.all([owner, colleague].map(({ token }) => listen(team(), token)))
    await call(`PATCH ${path}`, { title: 'told' })
    const told = (page: typeof mine) =>
      until('the event', () => {
        const all = page!.of('conversation:changed').map(({ conversation }) => conversation)
        return all.find((one) => one.id === id && one.title === 'told')
      })
    const guest = as(team(), colleague)
    const listed = (await guest('GET /conversations?by=all')).json<Conversations>().items.find((one) => one.id === id)
    const seen = [await told(mine), await told(theirs), (await guest(`GET ${path}`)).json<Conversation>(), listed]
    expect(seen.map((one) => one?.canSteer)).toEqual([true, false, false, false])
    expect(new Set(seen.map((one) => one?.currentRunUserId))).toEqual(new Set([owner.id]))
    for (const page of [mine, theirs]) page!.socket.close()
  })
})
