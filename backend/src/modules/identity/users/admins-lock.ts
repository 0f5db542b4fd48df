/** One at a time through everything that decides whether an admin is left, on one server and on several. */
import type { PrismaClient } from '../../../database/generated/client.ts'

/** Any number that no other advisory lock of this database has. */
const ADMINS_LOCK = 4_700_001

/** Waits for the lock; the end of the transaction gives it back. */
export async function lockAdmins(tx: Pick<PrismaClient, '$executeRaw'>): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADMINS_LOCK})`
}
