/** Conversations that are in the database already. */
import { randomUUID } from 'node:crypto'
import type { PrismaClient } from '../../src/database/generated/client.ts'

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
