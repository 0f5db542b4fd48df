/** Conversations that are in the database already. */
import { randomUUID } from 'node:crypto'
import type { Conversation, ConversationMessage, ConversationTurns } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { PrismaClient } from '../../../src/database/generated/client.ts'
import { as, newAgent, type Team } from '../people/team.ts'

/** Far enough in the future that no run of a test starts then. */
const NEVER = new Date('2100-01-01T00:00:00Z')

interface Stored {
  readonly id: string
  /** The run of its first turn. */
  readonly runId: string
  /** The message that waits; empty if none does. */
  readonly messageId: string
}

/** A conversation of a user with one turn: idle, or with a turn that has not ended and a message behind it. */
export const storedConversation = async (
  prisma: PrismaClient,
  { agentName, userId, isBusy }: { readonly agentName: string; readonly userId: string; readonly isBusy: boolean },
): Promise<Stored> => {
  const { id: agentId } = await prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const [id, runId, messageId] = [randomUUID(), randomUUID(), isBusy ? randomUUID() : '']
  const of = { agentId, agentName, userId }
  const what = { provider: 'claude-code', cwd: '/home/developer' }
  const now = new Date()
  const state = isBusy
    ? { state: 'queued', queue: true, continuesAt: NEVER }
    : { state: 'completed', reason: 'completed', endedAt: now, lastSeq: 3, result: 'Hello.' }
  const run = { id: runId, sessionId: runId, ...of, ...what, personal: false, cliSessionId: randomUUID() }
  await prisma.codingRun.create({ data: { ...run, ...state, prompt: 'hi', timeoutSeconds: 300 } })
  const ended = { resumeRunId: runId, cliSessionId: run.cliSessionId }
  const turn = { lastRunId: runId, ...(isBusy ? { currentRunId: runId } : ended) }
  const stored = { id, ...of, ...what, title: 'hi', options: {}, createdAt: now, lastActivityAt: now }
  await prisma.conversation.create({ data: { ...stored, ...turn } })
  const message = { conversationId: id, userId, via: 'user', viaId: userId, createdAt: now }
  const first = { ...message, id: randomUUID(), seq: 1, text: 'hi', state: 'sent', runId }
  const second = { ...message, id: messageId, seq: 2, text: 'and then', state: 'queued' }
  await prisma.conversationMessage.createMany({ data: isBusy ? [first, { ...second, runId: null }] : [first] })
  return { id, runId, messageId }
}

/** Whether a turn of it runs, and a message waits. It does by default. */
export interface HowStored {
  readonly isBusy?: boolean
}

/** A conversation of the owner in a stopped agent, where new turns wait in line. */
export const conversationIn = async (team: Team, { isBusy = true }: HowStored = {}) => {
  const { owner, colleague, database } = team
  const { prisma } = database
  const agentName = `a-${randomUUID().slice(0, 13)}`
  const call = as(team, owner)
  await call('POST /agents?wait=true', newAgent(agentName))
  await call(`POST /agents/${agentName}/stop?wait=true`)
  const stored = await storedConversation(prisma, { agentName, userId: owner.id, isBusy })
  const path = `/conversations/${stored.id}` as const
  const get = async () => (await call(`GET ${path}`)).json<Conversation>()
  const queue = async () => (await call(`GET ${path}/queue`)).json<ConversationMessage[]>()
  const past = async () => (await call(`GET ${path}/messages`)).json<ConversationTurns>()
  const send = async (text: string) => (await call(`POST ${path}/messages`, { text })).json<ConversationMessage>()
  /** The run of a message, once its turn has begun. The server may be at work on the conversation when the message arrives. */
  const runOf = ({ id }: Pick<ConversationMessage, 'id'>) =>
    until('the turn', async () => {
      const message = await prisma.conversationMessage.findUniqueOrThrow({ where: { id } })
      if (message.state === 'refused') throw new Error(message.error ?? 'refused')
      return message.runId !== null && prisma.codingRun.findUniqueOrThrow({ where: { id: message.runId } })
    })
  /** Sends a message whose turn can begin at once, and waits for it. */
  const begin = async (text: string) => runOf(await send(text))
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
  return {
    ...stored,
    agentName,
    prisma,
    owner,
    colleague,
    call,
    path,
    get,
    queue,
    past,
    send,
    runOf,
    begin,
    ends,
    settled,
  }
}

/** The status and the code of a refusal. */
export const refusal = ({ statusCode, body }: { statusCode: number; body: string }): [number, string] => [
  statusCode,
  (JSON.parse(body) as { code: string }).code,
]
