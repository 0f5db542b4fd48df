/** Whether there are admins, asked in the transaction of an act that depends on it: one such act at a time, on one server and on several. */
import type { PrismaClient } from '../../../database/generated/client.ts'

/** Any number that no other advisory lock of this database has. */
const ADMINS_LOCK = 4_700_001

/** Waits for the lock; the end of the transaction gives it back. */
export async function lockAdmins(tx: Pick<PrismaClient, '$executeRaw'>): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADMINS_LOCK})`
}

/** Whether any user is an admin. In a transaction, call it with the admins locked. */
export async function anyAdmin(tx: Pick<PrismaClient, 'user'>): Promise<boolean> {
  return (await tx.user.findFirst({ where: { role: 'admin' }, select: { id: true } })) !== null
}

/** Whether an enabled admin who can sign in is left besides this user. Call it with the admins locked. */
export async function anotherAdmin(tx: Pick<PrismaClient, 'user'>, id: string): Promise<boolean> {
  const other = await tx.user.findFirst({
    where: { id: { not: id }, role: 'admin', disabledAt: null, passwordHash: { not: null } },
    select: { id: true },
  })
  return other !== null
}
