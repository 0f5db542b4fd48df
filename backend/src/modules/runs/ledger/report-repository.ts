/** Sums of the ledger. */
import type { UsageGroup, UsageItem, UsageSums } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import type { Caller } from '../../identity/caller.ts'

/** What to sum up. */
export interface ReportQuery {
  readonly from: Date
  readonly to: Date
  readonly group: UsageGroup
  readonly skip: number
  readonly take: number
}

/** The first groups after `skip`, the number of all groups, and the sums of all runs. */
export interface Report {
  readonly items: UsageItem[]
  readonly total: number
  readonly sums: UsageSums
}

/** The key and the name of a group, and the order of the groups. */
const GROUPS: Readonly<Record<UsageGroup, { key: Prisma.Sql; name: Prisma.Sql; order: Prisma.Sql }>> = {
  run: {
    key: Prisma.sql`u."runId"::text`,
    name: Prisma.sql`u."agentName"`,
    order: Prisma.sql`MAX(u."endedAt") DESC`,
  },
  agent: {
    key: Prisma.sql`u."agentId"::text`,
    name: Prisma.sql`u."agentName"`,
    order: Prisma.sql`"costUsd" DESC NULLS LAST`,
  },
  user: {
    key: Prisma.sql`u."userId"::text`,
    name: Prisma.sql`p."email"`,
    order: Prisma.sql`"costUsd" DESC NULLS LAST`,
  },
  day: {
    key: Prisma.sql`to_char(u."endedAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    name: Prisma.sql`NULL::text`,
    order: Prisma.sql`"key" DESC`,
  },
  model: {
    key: Prisma.sql`NULLIF(u."model", '')`,
    name: Prisma.sql`u."provider"`,
    order: Prisma.sql`"costUsd" DESC NULLS LAST`,
  },
  provider: {
    key: Prisma.sql`u."provider"`,
    name: Prisma.sql`NULL::text`,
    order: Prisma.sql`"costUsd" DESC NULLS LAST`,
  },
}

/** The sums are exact up to 2^53. */
const SUMS = Prisma.sql`
  COUNT(DISTINCT u."runId")::int AS "runs",
  COUNT(DISTINCT u."runId") FILTER (WHERE u."costUsd" IS NULL)::int AS "runsWithoutCost",
  SUM(u."inputTokens")::float8 AS "inputTokens",
  SUM(u."outputTokens")::float8 AS "outputTokens",
  SUM(u."cacheReadTokens")::float8 AS "cacheReadTokens",
  SUM(u."cacheWriteTokens")::float8 AS "cacheWriteTokens",
  SUM(u."costUsd") AS "costUsd",
  COALESCE(SUM(u."costUsd") FILTER (WHERE u."estimated"), 0) AS "estimatedUsd"`

/** An admin sees all runs; other users see their own and those in agents that they own. */
const seenBy = ({ role, userId }: Caller): Prisma.Sql =>
  role === 'admin'
    ? Prisma.sql`TRUE`
    : Prisma.sql`(u."userId" = ${userId}::uuid
        OR u."agentId" IN (SELECT a."id" FROM "Agent" a WHERE a."ownerId" = ${userId}::uuid))`

export class ReportRepository {
  readonly #prisma: Pick<PrismaClient, '$queryRaw'>

  constructor(prisma: Pick<PrismaClient, '$queryRaw'>) {
    this.#prisma = prisma
  }

  /** Sums of the runs that the caller may see. */
  async report(caller: Caller, { from, to, group, skip, take }: ReportQuery): Promise<Report> {
    const { key, name, order } = GROUPS[group]
    const source = Prisma.sql`
    FROM "RunUsage" u LEFT JOIN "User" p ON p."id" = u."userId"
    WHERE u."endedAt" >= ${from} AND u."endedAt" < ${to} AND ${seenBy(caller)}`
    const [items, [all]] = await Promise.all([
      this.#prisma.$queryRaw<UsageItem[]>`
      SELECT ${key} AS "key", ${name} AS "name", ${SUMS} ${source}
      GROUP BY 1, 2 ORDER BY ${order}, "key", "name" LIMIT ${take} OFFSET ${skip}`,
      this.#prisma.$queryRaw<[UsageSums & { total: number }]>`
      SELECT COUNT(DISTINCT (${key}, ${name}))::int AS "total", ${SUMS} ${source}`,
    ])
    const { total, ...sums } = all
    return { items, total, sums }
  }
}
