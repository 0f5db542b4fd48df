/** The totals of a CLI's session, which its next process continues. */
import { ModelUsage } from '@slipway/protocol'
import Type from 'typebox'
import Value from 'typebox/value'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'

const Totals = Type.Array(ModelUsage)

/** A session of a CLI in an agent. */
export interface SessionOfCli {
  /** The run that continues it. */
  readonly id: string
  readonly agentId: string | null
  readonly provider: string
  /** The session that a run continues; null if it begins one. */
  readonly resumed: string | null
}

/** The column of the totals. The database stores neither NUL nor half a character, and a CLI may print them. */
export const storedTotals = (totals: readonly ModelUsage[]) =>
  totals.length === 0
    ? {}
    : { totals: totals.map((one) => ({ ...one, model: one.model?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null })) }

/**
 * What the last process of the session that has ended printed as its totals; empty if there is none. Null: the session
 * may have totals, which were deleted with a user. No two runs continue one session at once, so the answer stays the same
 * while a run continues it.
 */
export const lastTotals = async (
  prisma: Pick<PrismaClient, 'codingRun' | 'runUsage'>,
  { id, agentId, provider, resumed }: SessionOfCli,
): Promise<ModelUsage[] | null> => {
  if (agentId === null || resumed === null) return []
  const run = await prisma.codingRun.findFirst({
    where: {
      ...{ agentId, provider, cliSessionId: resumed, totals: { not: Prisma.DbNull } },
      // Its own earlier process is the last one.
      OR: [{ id }, { endedAt: { not: null } }],
    },
    orderBy: { endedAt: { sort: 'desc', nulls: 'first' } },
    select: { totals: true },
  })
  if (run) return Value.Check(Totals, run.totals) && run.totals.length > 0 ? run.totals : null
  const ofDeleted = await prisma.runUsage.findFirst({
    where: { agentId, provider, userId: null },
    select: { runId: true },
  })
  return ofDeleted ? null : []
}

/**
 * Keeps the totals of each session that a user's runs have continued, in the transaction that deletes the user: the last
 * run of another user in that session gets them. They are stored as empty if a run of the user goes on, because what it
 * prints as totals will not be stored.
 */
export const keepTotalsOf = async (
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  userId: string,
): Promise<void> => {
  await tx.$executeRaw`
    WITH gone AS (
      SELECT DISTINCT ON ("agentId", "provider", "cliSessionId") "agentId", "provider", "cliSessionId", "endedAt",
        CASE WHEN "endedAt" IS NULL THEN '[]'::jsonb ELSE "totals" END AS "totals"
      FROM "CodingRun"
      WHERE "userId" = ${userId}::uuid AND "agentId" IS NOT NULL AND "cliSessionId" IS NOT NULL
        AND ("endedAt" IS NULL OR "totals" IS NOT NULL)
      ORDER BY "agentId", "provider", "cliSessionId", "endedAt" DESC NULLS FIRST
    ), kept AS (
      SELECT DISTINCT ON (r."agentId", r."provider", r."cliSessionId") r."id", gone."totals"
      FROM "CodingRun" r JOIN gone USING ("agentId", "provider", "cliSessionId")
      WHERE r."userId" <> ${userId}::uuid AND r."endedAt" IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM "CodingRun" later
        WHERE later."agentId" = gone."agentId" AND later."provider" = gone."provider"
          AND later."cliSessionId" = gone."cliSessionId" AND later."userId" <> ${userId}::uuid
          AND later."totals" IS NOT NULL AND later."endedAt" > gone."endedAt")
      ORDER BY r."agentId", r."provider", r."cliSessionId", r."endedAt" DESC
    )
    UPDATE "CodingRun" SET "totals" = kept."totals" FROM kept WHERE "CodingRun"."id" = kept."id"`
}
