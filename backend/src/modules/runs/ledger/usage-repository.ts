/** Writes to the ledger, and finds the totals of a CLI's session, which its next process continues. */
import { ModelUsage } from '@slipway/protocol'
import Type from 'typebox'
import Value from 'typebox/value'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import type { Share } from './shares.ts'

/** The columns of a run that the ledger keeps. */
export const BOOKED = {
  id: true,
  provider: true,
  agentId: true,
  agentName: true,
  userId: true,
  endedAt: true,
} as const satisfies Prisma.CodingRunSelect

/** A run that has ended. */
type Booked = Prisma.CodingRunGetPayload<{ select: typeof BOOKED }>

/** Writes what a run has used. What was written of it before stays as it is. */
export const bookUsage = async (
  tx: Pick<Prisma.TransactionClient, 'runUsage'>,
  { id: runId, endedAt, ...run }: Booked,
  shares: readonly Share[],
): Promise<void> => {
  if (endedAt === null || shares.length === 0) return
  const data = shares.map((share) => ({ ...run, runId, endedAt, ...share }))
  await tx.runUsage.createMany({ data, skipDuplicates: true })
}

const Totals = Type.Array(ModelUsage)

/** A session of a CLI in an agent. */
export interface SessionOfCli {
  readonly agentId: string | null
  readonly provider: string
  /** The session that a run continues; null if it begins one. */
  readonly resumed: string | null
}

/**
 * What the last run of the session that has ended printed as its totals; empty if there is none. No two runs continue
 * one session at once, so the answer stays the same while a run continues it.
 */
export const lastTotals = async (
  prisma: Pick<PrismaClient, 'codingRun'>,
  { agentId, provider, resumed }: SessionOfCli,
): Promise<ModelUsage[]> => {
  if (agentId === null || resumed === null) return []
  const run = await prisma.codingRun.findFirst({
    where: { agentId, provider, cliSessionId: resumed, endedAt: { not: null }, totals: { not: Prisma.DbNull } },
    orderBy: { endedAt: 'desc' },
    select: { totals: true },
  })
  return Value.Check(Totals, run?.totals) ? run.totals : []
}
