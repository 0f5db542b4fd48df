/** Writes to the ledger. */
import type { Prisma } from '../../../database/generated/client.ts'
import { sum } from '../../providers/headless/parts/sum.ts'
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

/** Writes what a process of a run has used. The figures of its earlier processes are added. */
const bookUsage = async (
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

/**
 * The same for a process whose run goes on: now, and again with the end of the run. Its row gets the cost of its processes so
 * far, which the budget of the next one depends on.
 */
export const bookProcess = async (
  tx: Pick<Prisma.TransactionClient, 'runUsage' | 'codingRun'>,
  run: Booked,
  shares: readonly Share[],
): Promise<void> => {
  await bookUsage(tx, { ...run, endedAt: new Date() }, shares)
  const { _sum } = await tx.runUsage.aggregate({ where: { runId: run.id }, _sum: { costUsd: true } })
  await tx.codingRun.updateMany({ where: { id: run.id }, data: { spentUsd: _sum.costUsd ?? 0 } })
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
