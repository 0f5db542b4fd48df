/** Acts that are done and recorded together, or not at all. */
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { Audit, AuditEntry } from './audit.ts'

/**
 * Calls `act` in a transaction and records the entry that it answers. Null means that it found nothing to do. Answers
 * whether it did anything. Throws what `act` throws and `AUDIT_REFUSED`; then nothing is done.
 */
export const recorded = (
  prisma: Pick<PrismaClient, '$transaction'>,
  audit: Pick<Audit, 'record'>,
  act: (tx: Prisma.TransactionClient) => Promise<AuditEntry | null>,
): Promise<boolean> =>
  prisma.$transaction(async (tx) => {
    const entry = await act(tx)
    if (entry === null) return false
    await audit.record(tx, entry)
    return true
  })
