/** How long runs wait for people, in the database. */
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'

/** A run that begins to wait. */
type Begins = (tx: Prisma.TransactionClient, run: { readonly id: string; readonly userId: string }) => Promise<void>

/**
 * Stores since when a run waits, and adds up how long it has waited. `begins` is called in the same transaction if it did not
 * wait before. Answers whether the run was found.
 */
export const asksSince = async (
  prisma: PrismaClient,
  where: Prisma.CodingRunWhereInput,
  since: Date | null,
  now: Date,
  begins: Begins,
): Promise<boolean> =>
  prisma.$transaction(async (tx) => {
    const run = await tx.codingRun.findFirst({ where, select: { id: true, userId: true, asksSince: true } })
    if (!run) return false
    const waitedMs = run.asksSince === null ? 0 : Math.max(0, now.getTime() - run.asksSince.getTime())
    const { count } = await tx.codingRun.updateMany({
      where,
      data: { asksSince: since, askedMs: { increment: waitedMs } },
    })
    if (count > 0 && since !== null && run.asksSince === null) await begins(tx, run)
    return count > 0
  })
