/** Ends the sign-ins of a user from whom something was taken. */
import type { PrismaClient } from '../../../database/generated/client.ts'

/** Whose, and but which. */
export interface RevokeAll {
  readonly userId: string
  /** The one that goes on. */
  readonly keepId: string | null
  readonly now: Date
}

/** In the transaction of the act that takes it; answers which. Also those that have expired: a clock may be put back. */
export async function revokeAll(
  tx: Pick<PrismaClient, 'signIn'>,
  { userId, keepId, now }: RevokeAll,
): Promise<string[]> {
  const rows = await tx.signIn.updateManyAndReturn({
    where: { userId, revokedAt: null, ...(keepId === null ? {} : { id: { not: keepId } }) },
    data: { revokedAt: now },
    select: { id: true },
  })
  return rows.map((row) => row.id)
}
