/** Changes of conversations as a whole. Each is recorded. */
import type { PrismaClient } from '../../database/generated/client.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { lockUser, requireRoom } from './room-repository.ts'
import { locked, settle } from './settling-repository.ts'
import type { ConversationRow } from './rows.ts'

/** What a user changes. Undefined: it stays. */
interface Change {
  readonly title: string | undefined
  readonly archivedAt: Date | null | undefined
}

export class ConversationChanges {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /**
   * Throws `NOT_FOUND`, `WRONG_STATE` if it is to be archived while a turn runs or a message waits, and
   * `TOO_MANY_CONVERSATIONS` if it is to leave the archive and its user has no room for it.
   */
  async change({ id, userId }: ConversationRow, { title, archivedAt }: Change, entry: AuditEntry): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, id)
      if (!row) throw notFound()
      if (archivedAt === null && row.archivedAt !== null) {
        // After the conversation, as the begin of a turn does it: the two must not wait for each other.
        await lockUser(tx, userId)
        await requireRoom(tx, userId)
      }
      const isBusy = async (): Promise<boolean> =>
        (row.currentRunId !== null && !(await settle(tx, row))) ||
        (await tx.conversationMessage.count({ where: { conversationId: id, state: 'queued' } })) > 0
      if (archivedAt instanceof Date && (await isBusy()))
        throw new AppError('WRONG_STATE', 'A turn runs or a message waits, so the conversation cannot be archived.')
      const data = { ...(title !== undefined && { title }), ...(archivedAt !== undefined && { archivedAt }) }
      await tx.conversation.update({ where: { id }, data })
      const changes = {
        ...(title !== undefined && { title: { before: row.title, after: title } }),
        ...(archivedAt !== undefined && { archived: { before: row.archivedAt !== null, after: archivedAt !== null } }),
      }
      await this.#audit.record(tx, { ...entry, detail: { ...entry.detail, changes } })
    })
  }

  /** Removes it with its messages. Throws `NOT_FOUND`, and `WRONG_STATE` while a turn runs. */
  async remove(id: string, entry: AuditEntry): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, id)
      if (!row) throw notFound()
      if (row.currentRunId !== null && !(await settle(tx, row)))
        throw new AppError('WRONG_STATE', 'A turn of this conversation runs. Interrupt it first.')
      await tx.conversation.delete({ where: { id } })
      await this.#audit.record(tx, entry)
    })
  }
}
