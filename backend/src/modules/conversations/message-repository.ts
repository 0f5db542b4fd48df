/** The messages of conversations in the database, until their turns begin. */
import { MESSAGES_QUEUED_MAX } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import type { Untaken } from '../runs/conduct/holder.ts'
import { type LockedConversation, locked, settle } from './settling-repository.ts'
import type { NewMessage } from './rows.ts'

/** Another text of a message, with the proof of the user who wrote it. */
type Written = Pick<NewMessage, 'text' | 'userId' | 'via' | 'viaId'>

export class MessageRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /**
   * Puts a message behind those that wait. The conversation is active again. Throws `NOT_FOUND`, `WRONG_STATE`,
   * `TOO_MANY_MESSAGES`.
   */
  async add(conversationId: string, message: NewMessage, entry: AuditEntry): Promise<void> {
    await this.#change(conversationId, entry, async (tx, row) => {
      // What waited before the end of a failed turn is released with it, and this message is not.
      await settle(tx, row)
      if (row.archivedAt !== null) throw isArchived()
      if ((await tx.conversationMessage.count({ where: queuedOf(conversationId) })) >= MESSAGES_QUEUED_MAX)
        throw new AppError(
          'TOO_MANY_MESSAGES',
          `${MESSAGES_QUEUED_MAX} messages wait, the maximum. Withdraw one first.`,
        )
      const data = { error: null, lastActivityAt: message.createdAt }
      await tx.conversation.update({ where: { id: conversationId }, data })
      const seq = (await lastSeq(tx, conversationId)) + 1
      const stored = { ...message, conversationId, seq, state: 'queued' }
      await tx.conversationMessage.create({ data: stored })
    })
  }

  /**
   * Stores a message that is about to be given to the turn of this run, before those that wait. False if that is not the
   * turn any more.
   */
  async steer(conversationId: string, runId: string, message: NewMessage, entry: AuditEntry): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, conversationId)
      if (row?.currentRunId !== runId || (await settle(tx, row))) return false
      const first = await tx.conversationMessage.aggregate({ where: queuedOf(conversationId), _min: { seq: true } })
      const seq = first._min.seq ?? (await lastSeq(tx, conversationId)) + 1
      await tx.conversationMessage.updateMany({ where: queuedOf(conversationId), data: { seq: { increment: 1 } } })
      await tx.conversationMessage.create({ data: { ...message, conversationId, seq, state: 'steered', runId } })
      const lastActivityAt = message.createdAt
      await tx.conversation.update({ where: { id: conversationId }, data: { lastActivityAt } })
      await this.#audit.record(tx, entry)
      return true
    })
  }

  /**
   * A message that its turn did not take waits in front of the others. Answers its conversation, or null if this message
   * was not given to this turn, or waits already.
   */
  async requeue({ runId, messageId: id }: Untaken): Promise<string | null> {
    const steered = { id, runId, state: 'steered' }
    const message = isUuid(id) ? await this.#prisma.conversationMessage.findFirst({ where: steered }) : null
    if (!message) return null
    const { conversationId } = message
    return this.#prisma.$transaction(async (tx) => {
      await locked(tx, conversationId)
      const data = { state: 'queued', runId: null }
      const { count } = await tx.conversationMessage.updateMany({ where: steered, data })
      return count > 0 ? conversationId : null
    })
  }

  /** Changes a message that waits, or its place in the queue. Throws `NOT_FOUND`, `WRONG_STATE`. */
  async edit(
    conversationId: string,
    id: string,
    change: { readonly said: Written | undefined; readonly position: number | undefined },
    entry: AuditEntry,
  ): Promise<void> {
    await this.#change(conversationId, entry, async (tx) => {
      const queue = await tx.conversationMessage.findMany({
        where: queuedOf(conversationId),
        orderBy: { seq: 'asc' },
        select: { id: true, seq: true },
      })
      if (!queue.some((message) => message.id === id)) throw await notWaiting(tx, conversationId, id)
      if (change.said !== undefined) await tx.conversationMessage.update({ where: { id }, data: change.said })
      if (change.position === undefined) return
      const order = queue.map((message) => message.id).filter((other) => other !== id)
      order.splice(change.position, 0, id)
      const seqs = queue.map(({ seq }) => seq)
      await tx.$executeRaw`
        UPDATE "ConversationMessage" m SET "seq" = placed."seq"
        FROM unnest(${order}::uuid[], ${seqs}::int[]) AS placed("id", "seq") WHERE m."id" = placed."id"`
    })
  }

  /** Removes a message that waits. Throws `NOT_FOUND`, `WRONG_STATE`. */
  async withdraw(conversationId: string, id: string, entry: AuditEntry): Promise<void> {
    await this.#change(conversationId, entry, async (tx) => {
      const { count } = await tx.conversationMessage.deleteMany({ where: { ...queuedOf(conversationId), id } })
      if (count === 0) throw await notWaiting(tx, conversationId, id)
    })
  }

  /** In one transaction with its entry in the log. Nothing else changes the conversation meanwhile. */
  async #change(
    id: string,
    entry: AuditEntry,
    act: (tx: Prisma.TransactionClient, row: LockedConversation) => Promise<void>,
  ): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, id)
      if (!row) throw notFound()
      await act(tx, row)
      await this.#audit.record(tx, entry)
    })
  }
}

export const isArchived = (): AppError =>
  new AppError('WRONG_STATE', 'The conversation is archived. Take it out of the archive first.')

const queuedOf = (conversationId: string) => ({ conversationId, state: 'queued' })

const lastSeq = async (tx: Prisma.TransactionClient, conversationId: string): Promise<number> =>
  (await tx.conversationMessage.aggregate({ where: { conversationId }, _max: { seq: true } }))._max.seq ?? 0

/** Why a message that does not wait cannot be changed. */
const notWaiting = async (tx: Prisma.TransactionClient, conversationId: string, id: string): Promise<AppError> => {
  const isThere = (await tx.conversationMessage.count({ where: { id, conversationId } })) > 0
  return isThere ? new AppError('WRONG_STATE', 'The message does not wait any more.') : notFound()
}
