/** The words of terminals in the database: which are not read yet, and how they become messages. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Said } from '../../runs/lease/words/said.ts'
import type { ConversationKey } from '../../sessions/conversations.ts'
import { locked } from '../settling-repository.ts'
import type { ConversationRow } from '../rows.ts'

/** Most conversations of one session that are told of its terminal. */
const WITH_SESSION_MAX = 100

/** A terminal that has continued the session of a conversation, and has ended. */
export interface LeftTerminal {
  readonly id: string
  readonly userId: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly personal: boolean
}

export class TerminalWordsRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The conversations whose next turn continues this session: one, and its forks without a turn. */
  async conversationsWith({ agentId, cliSessionId }: ConversationKey): Promise<readonly string[]> {
    const rows = await this.#prisma.conversation.findMany({
      where: { agentId, OR: [{ cliSessionId }, { currentRun: { is: { cliSessionId } } }] },
      select: { id: true },
      orderBy: { createdAt: 'asc' },
      take: WITH_SESSION_MAX,
    })
    return rows.map(({ id }) => id)
  }

  /** The first terminal whose words are not read. Null: there is none. */
  async unread({
    agentId,
    cliSessionId,
    terminalReadAt,
    createdAt,
  }: Pick<ConversationRow, 'agentId' | 'cliSessionId' | 'terminalReadAt' | 'createdAt'>): Promise<LeftTerminal | null> {
    if (agentId === null || cliSessionId === null) return null
    const terminal = await this.#prisma.terminalSession.findFirst({
      where: { agentId, cliSessionId, endedAt: { gt: terminalReadAt ?? createdAt } },
      orderBy: { endedAt: 'asc' },
      select: { id: true, userId: true, startedAt: true, endedAt: true, personal: true },
    })
    return terminal && terminal.endedAt && { ...terminal, endedAt: terminal.endedAt }
  }

  /** Puts the words before the messages that wait, once. Answers whether it did. `ids` are theirs, and as many. */
  async store(
    conversation: Pick<ConversationRow, 'id' | 'terminalReadAt'>,
    { userId, endedAt }: LeftTerminal,
    said: readonly (Said & { readonly id: string })[],
  ): Promise<boolean> {
    const { id: conversationId, terminalReadAt } = conversation
    return this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, conversationId)
      if (row === null || row.terminalReadAt?.getTime() !== terminalReadAt?.getTime()) return false
      await tx.conversation.update({ where: { id: conversationId }, data: { terminalReadAt: endedAt } })
      if (said.length === 0) return true
      const queued = { conversationId, state: 'queued' }
      const past = { conversationId, state: { not: 'queued' } }
      const last = (await tx.conversationMessage.aggregate({ where: past, _max: { seq: true } }))._max.seq ?? 0
      await tx.conversationMessage.updateMany({ where: queued, data: { seq: { increment: said.length } } })
      await tx.conversationMessage.createMany({
        data: said.map(({ id, at, text, answer }, index) => ({
          ...{ id, conversationId, userId, via: 'user', viaId: userId, seq: last + 1 + index },
          ...{ text, answer, state: 'terminal', createdAt: new Date(at) },
        })),
      })
      return true
    })
  }
}
