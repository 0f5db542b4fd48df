/** How many conversations a user may have, within a transaction. */
import { CONVERSATIONS_PER_USER } from '@slipway/protocol'
import type { Prisma } from '../../database/generated/client.ts'
import { AppError } from '../../lib/errors.ts'

/** Keeps other transactions from adding to what this user has, until this one is over. */
export const lockUser = async (tx: Prisma.TransactionClient, userId: string): Promise<void> => {
  await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`
}

/**
 * Throws `TOO_MANY_CONVERSATIONS` if this user has no room for one more that is not archived. The caller has locked the
 * user's row.
 */
export const requireRoom = async (tx: Prisma.TransactionClient, userId: string): Promise<void> => {
  if ((await tx.conversation.count({ where: { userId, archivedAt: null } })) < CONVERSATIONS_PER_USER) return
  const message = `A user may have ${CONVERSATIONS_PER_USER} conversations that are not archived. Archive or delete one first.`
  throw new AppError('TOO_MANY_CONVERSATIONS', message)
}
