import { randomUUID } from 'node:crypto'
import { type ConversationMessage, type ConversationTurns, MESSAGES_QUEUED_MAX } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { conversationIn, refusal } from '../../../test/support/stored/conversations.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const setUp = () => conversationIn(team())

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
    const sent = (await program(`POST ${path}/messages`, { text: 'go on' })).json<ConversationMessage>()
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
})
