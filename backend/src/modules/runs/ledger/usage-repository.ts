/** Writes to the ledger, and finds the totals of a CLI's session, which its next process continues. */
import { ModelUsage } from '@slipway/protocol'
import Type from 'typebox'
import Value from 'typebox/value'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import { sum } from '../../providers/headless/parts/sum.ts'
import type { RunCost, Share } from './shares.ts'

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

/** Writes what a process of a run has used. The figures of its earlier processes are added. */
export const bookUsage = async (
  tx: Pick<Prisma.TransactionClient, 'runUsage'>,
  { id: runId, endedAt, ...run }: Booked,
  shares: readonly Share[],
): Promise<void> => {
  if (endedAt === null) return
  for (const share of shares) {
    const key = { runId_model: { runId, model: share.model } }
    const before = await tx.runUsage.findUnique({ where: key })
    const data = { ...run, runId, endedAt, ...(before ? added(before, share) : share) }
    await tx.runUsage.upsert({ where: key, create: data, update: data })
  }
}

/** The same at the end of the run. Its row gets the cost of all of its processes. */
export const bookEnd = async (
  tx: Pick<Prisma.TransactionClient, 'runUsage' | 'codingRun'>,
  run: Booked,
  shares: readonly Share[],
): Promise<void> => {
  const earlier = await tx.runUsage.count({ where: { runId: run.id } })
  await bookUsage(tx, run, shares)
  if (earlier === 0 || run.endedAt === null) return
  await tx.runUsage.updateMany({ where: { runId: run.id }, data: { endedAt: run.endedAt } })
  const all = await tx.runUsage.findMany({ where: { runId: run.id } })
  const costUsd = all.reduce<number | null>((total, one) => sum(total, one.costUsd), null)
  const costEstimated = all.some(({ estimated }) => estimated)
  await tx.codingRun.updateMany({ where: { id: run.id }, data: { costUsd, costEstimated } })
}

/** Writes what a run has used that ended while no backend held it. What is stored already stays as it is. */
export const bookLate = async (
  prisma: Pick<PrismaClient, '$transaction'>,
  id: string,
  { usage, totals, ...cost }: RunCost & { readonly usage: readonly Share[]; readonly totals: readonly ModelUsage[] },
): Promise<void> => {
  await prisma.$transaction(async (tx) => {
    const where = { id, costUsd: null, endedAt: { not: null } }
    const data = { costUsd: cost.costUsd, costEstimated: cost.costEstimated, ...storedTotals(totals) }
    const [run] = await tx.codingRun.updateManyAndReturn({ where, data, select: BOOKED })
    // Its end may have booked it already.
    if (run && (await tx.runUsage.count({ where: { runId: id } })) === 0) await bookUsage(tx, run, usage)
  })
}

/** The column of the totals. The database stores neither NUL nor half a character, and a CLI may print them. */
export const storedTotals = (totals: readonly ModelUsage[]) =>
  totals.length === 0
    ? {}
    : { totals: totals.map((one) => ({ ...one, model: one.model?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null })) }

type StoredShare = Prisma.RunUsageGetPayload<true>

const added = (before: StoredShare, share: Share): Share => ({
  model: share.model,
  inputTokens: sum(asNumber(before.inputTokens), share.inputTokens),
  outputTokens: sum(asNumber(before.outputTokens), share.outputTokens),
  cacheReadTokens: sum(asNumber(before.cacheReadTokens), share.cacheReadTokens),
  cacheWriteTokens: sum(asNumber(before.cacheWriteTokens), share.cacheWriteTokens),
  costUsd: sum(before.costUsd, share.costUsd),
  estimated: before.estimated || share.estimated,
})

/** Tokens are far below the bound of whole numbers. */
const asNumber = (tokens: bigint | null): number | null => (tokens === null ? null : Number(tokens))

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

/**
 * What the last process of the session that has ended printed as its totals; empty if there is none. No two runs continue
 * one session at once, so the answer stays the same while a run continues it.
 */
export const lastTotals = async (
  prisma: Pick<PrismaClient, 'codingRun'>,
  { id, agentId, provider, resumed }: SessionOfCli,
): Promise<ModelUsage[]> => {
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
  return Value.Check(Totals, run?.totals) ? run.totals : []
}
