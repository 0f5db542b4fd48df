/**
 * Whether there are admins, within the transaction of an act that depends on it. One such act runs at a time, on one
 * server or several.
 */
import type { PrismaClient } from '../../../database/generated/client.ts'

/** A number that no other advisory lock of this database has. */
const ADMINS_LOCK = 4_700_001

/** Waits for the lock, which the end of the transaction releases. */
export async function lockAdmins(tx: Pick<PrismaClient, '$executeRaw'>): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ADMINS_LOCK})`
}

/** Whether any user is an admin. Within a transaction, lock the admins first. */
export async function anyAdmin(tx: Pick<PrismaClient, 'user'>): Promise<boolean> {
  return (await tx.user.findFirst({ where: { role: 'admin' }, select: { id: true } })) !== null
}

/** Whether there is an enabled admin with a password besides this user. Lock the admins first. */
export async function anotherAdmin(tx: Pick<PrismaClient, 'user'>, id: string): Promise<boolean> {
  const other = await tx.user.findFirst({
    where: { id: { not: id }, role: 'admin', disabledAt: null, passwordHash: { not: null } },
    select: { id: true },
  })
  return other !== null
}
