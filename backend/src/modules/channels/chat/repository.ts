/** Threads of chat services that show conversations, in the database. */
import { MESSAGES_QUEUED_MAX } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError } from '../../../lib/errors.ts'
import { toRow } from '../../dialogs/repository.ts'
import { MESSAGES_PER_TURN, THREADS_PER_LOOK, THREADS_READ_MAX } from './bounds.ts'
import type { Mark, RemoteMessage } from './port.ts'

const run = {
  select: {
    ...{ id: true, state: true, endedAt: true, error: true, result: true, costUsd: true },
    ...{ filesChanged: true, insertions: true, deletions: true },
    ...{ validation: true, gateRepairs: true, repairs: true },
  },
} as const
const conversation = {
  select: { title: true, agentName: true, currentRunId: true, lastRunId: true, error: true },
} as const
const user = { select: { email: true } } as const

/** A message of the service that waits in its conversation. */
export interface WaitingMessage {
  readonly messageId: string
  readonly remoteId: string
  /** Its last edit in the service that was looked at. */
  readonly editedAt: Date | null
  /** The account that is linked to its user; null if none is. */
  readonly accountId: string | null
}

/** What a run's end is told with. */
export type ToldRun = Prisma.CodingRunGetPayload<typeof run>

export class ChatThreadRepository {
  readonly #prisma: PrismaClient
  readonly #service: string

  constructor(prisma: PrismaClient, service: string) {
    this.#prisma = prisma
    this.#service = service
  }

  /**
   * A thread that the service has not made yet, in the transaction that makes its conversation: neither is ever without the
   * other. Throws `WRONG_STATE` if the channel was taken away from the agent meanwhile.
   */
  async create(
    tx: Prisma.TransactionClient,
    { id: conversationId, agentId }: { readonly id: string; readonly agentId: string },
    { roomId, createdAt }: { readonly roomId: string; readonly createdAt: Date },
  ): Promise<void> {
    const service = this.#service
    if ((await tx.chatRoom.count({ where: { service, roomId, agentId } })) === 0)
      throw new AppError('WRONG_STATE', 'The agent is not open in this channel any more.')
    await tx.chatThread.create({ data: { conversationId, roomId, createdAt, service } })
  }

  /** Whether it shows its conversation: neither was it deleted, nor was its channel taken away from the agent. */
  async isShown(conversationId: string): Promise<boolean> {
    return (await this.#prisma.chatThread.count({ where: { conversationId, goneAt: null } })) > 0
  }

  async find(conversationId: string) {
    const where = { conversationId, service: this.#service, goneAt: null }
    return this.#prisma.chatThread.findFirst({ where, include: { conversation } })
  }

  async byThread(threadId: string) {
    const where = { service_threadId: { service: this.#service, threadId } }
    const found = await this.#prisma.chatThread.findUnique({ where })
    return found?.goneAt === null ? found : null
  }

  /** The service has made it: of a message, which is the conversation's first. */
  async opened(conversationId: string, threadId: string, starterId: string): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await tx.chatThread.update({ where: { conversationId }, data: { threadId, cursor: starterId } })
      const first = await tx.conversationMessage.findFirst({ where: { conversationId }, orderBy: { seq: 'asc' } })
      if (!first) return
      const data = [{ messageId: first.id, conversationId, remoteId: starterId }]
      await tx.chatMessage.createMany({ data, skipDuplicates: true })
    })
  }

  async gone(conversationId: string, goneAt: Date): Promise<void> {
    await this.#prisma.chatThread.updateMany({ where: { conversationId, goneAt: null }, data: { goneAt } })
  }

  async read(conversationId: string, cursor: string): Promise<void> {
    await this.#prisma.chatThread.update({ where: { conversationId }, data: { cursor } })
  }

  async said(conversationId: string, saidSeq: number): Promise<void> {
    await this.#prisma.chatThread.update({ where: { conversationId }, data: { saidSeq } })
  }

  /** Those that may have unread messages. */
  async unread(): Promise<string[]> {
    const where = { service: this.#service, goneAt: null, threadId: { not: null } }
    const rows = await this.#prisma.chatThread.findMany({
      where: { ...where, conversation: { is: { archivedAt: null } } },
      orderBy: { conversation: { lastActivityAt: 'desc' } },
      select: { conversationId: true },
      take: THREADS_READ_MAX,
    })
    return rows.map(({ conversationId }) => conversationId)
  }

  /** Those that do not show what their conversation has. */
  async due(): Promise<string[]> {
    const rows = await this.#prisma.$queryRaw<{ conversationId: string }[]>`
      SELECT t."conversationId" FROM "ChatThread" t JOIN "Conversation" c ON c."id" = t."conversationId"
      WHERE t."service" = ${this.#service} AND t."goneAt" IS NULL AND (
        t."threadId" IS NULL OR c."currentRunId" IS NOT NULL
        OR EXISTS (SELECT 1 FROM "ConversationMessage" m
          WHERE m."conversationId" = c."id" AND m."state" <> 'queued' AND m."seq" > t."saidSeq")
        OR EXISTS (SELECT 1 FROM "ChatMessage" s
          WHERE s."conversationId" = c."id" AND (s."mark" IS NULL OR s."mark" IN ('queued', 'running')))
        OR EXISTS (SELECT 1 FROM "ChatQuestion" q JOIN "Dialog" d ON d."id" = q."dialogId"
          WHERE q."conversationId" = c."id" AND NOT q."isClosed" AND d."state" <> 'open'))
      ORDER BY c."lastActivityAt" DESC LIMIT ${THREADS_PER_LOOK}`
    return rows.map(({ conversationId }) => conversationId)
  }

  /** Messages whose turns are not told, in their order, without those that wait. */
  async untold(conversationId: string, saidSeq: number) {
    return this.#prisma.conversationMessage.findMany({
      where: { conversationId, seq: { gt: saidSeq }, state: { not: 'queued' } },
      include: { run, user, chatMessage: { select: { remoteId: true } } },
      orderBy: { seq: 'asc' },
      take: MESSAGES_PER_TURN,
    })
  }

  /** A message of the service is one of the conversation, as it was after its last change there. */
  async sent(
    conversationId: string,
    messageId: string,
    { id: remoteId, editedAt }: Pick<RemoteMessage, 'id' | 'editedAt'>,
  ): Promise<void> {
    const data = [{ messageId, conversationId, remoteId, editedAt }]
    await this.#prisma.chatMessage.createMany({ data, skipDuplicates: true })
  }

  /** Conversations with messages of the service that wait: these can be edited and deleted there. */
  async changeable(): Promise<string[]> {
    const rows = await this.#prisma.chatMessage.findMany({
      where: {
        message: { is: { state: 'queued' } },
        thread: { is: { service: this.#service, goneAt: null, threadId: { not: null } } },
      },
      distinct: ['conversationId'],
      orderBy: { conversationId: 'asc' },
      select: { conversationId: true },
      take: THREADS_READ_MAX,
    })
    return rows.map(({ conversationId }) => conversationId)
  }

  /** The messages of the service that wait in a conversation: at most {@link MESSAGES_QUEUED_MAX}. */
  async waiting(conversationId: string): Promise<WaitingMessage[]> {
    const where = { conversationId, message: { is: { state: 'queued' } } }
    const account = { where: { service: this.#service }, select: { accountId: true } } as const
    const rows = await this.#prisma.chatMessage.findMany({
      where,
      orderBy: { message: { seq: 'asc' } },
      include: { message: { select: { user: { select: { chatAccounts: account } } } } },
      take: MESSAGES_QUEUED_MAX,
    })
    return rows.map(({ messageId, remoteId, editedAt, message }) => {
      const accountId = message.user.chatAccounts[0]?.accountId ?? null
      return { messageId, remoteId, editedAt, accountId }
    })
  }

  /** A change of a message in the service was looked at. */
  async edited(messageId: string, editedAt: Date): Promise<void> {
    await this.#prisma.chatMessage.updateMany({ where: { messageId }, data: { editedAt } })
  }

  /** Messages whose mark is not the last one that they will have. */
  async unmarked(conversationId: string) {
    return this.#prisma.chatMessage.findMany({
      where: { conversationId, OR: [{ mark: null }, { mark: { in: ['queued', 'running'] } }] },
      include: { message: { select: { state: true, run } } },
      orderBy: { messageId: 'asc' },
      take: MESSAGES_PER_TURN,
    })
  }

  async marked(messageId: string, mark: Mark): Promise<void> {
    await this.#prisma.chatMessage.updateMany({ where: { messageId }, data: { mark } })
  }

  /** Open questions of a run that are not posted, oldest first. */
  async unasked(runId: string) {
    const where = { runId, state: 'open', chatQuestion: { is: null } }
    const rows = await this.#prisma.dialog.findMany({ where, orderBy: { openedAt: 'asc' }, take: MESSAGES_PER_TURN })
    return rows.map(toRow)
  }

  async asked(dialogId: string, conversationId: string, remoteId: string): Promise<void> {
    const data = [{ dialogId, conversationId, remoteId }]
    await this.#prisma.chatQuestion.createMany({ data, skipDuplicates: true })
  }

  /** Posted questions that need no answer any more, and whose message does not say so. */
  async unclosed(conversationId: string) {
    const where = { conversationId, isClosed: false, dialog: { is: { state: { not: 'open' } } } }
    const rows = await this.#prisma.chatQuestion.findMany({ where, include: { dialog: true }, take: MESSAGES_PER_TURN })
    return rows.map(({ dialog, ...row }) => ({ ...row, dialog: toRow(dialog) }))
  }

  async closed(dialogId: string): Promise<void> {
    await this.#prisma.chatQuestion.updateMany({ where: { dialogId }, data: { isClosed: true } })
  }

  /** The linked account of a user; null if none is linked. */
  async accountOf(email: string): Promise<string | null> {
    const where = { service: this.#service, user: { is: { email } } }
    return (await this.#prisma.chatAccount.findFirst({ where, select: { accountId: true } }))?.accountId ?? null
  }
}
