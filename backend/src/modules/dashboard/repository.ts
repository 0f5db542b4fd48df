/** What the dashboard shows, in the database. Every query names the caller, and reads a bounded number of rows. */
import { DASHBOARD_ERROR_MAX, type RunMode, type RunReason, type RunState } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import { viewerOf, visible } from '../agents/repository.ts'
import type { Caller } from '../identity/caller.ts'
import type { ProviderOfRun } from '../providers/task-provider.ts'
import { UNENDED } from '../runs/repository.ts'
import { PROMPT_SHOWN } from '../runs/search/prompt-repository.ts'

/** A task, as far as the dashboard shows it. */
export interface TaskRow extends ProviderOfRun {
  readonly id: string
  readonly agentId: string | null
  readonly agentName: string
  readonly userId: string
  readonly mode: RunMode
  readonly state: RunState
  readonly asksSince: Date | null
  /** One character more than is shown, so that it is seen to be cut. */
  readonly prompt: string
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly reason: RunReason | null
  readonly error: string | null
  readonly costUsd: number | null
  readonly costEstimated: boolean
}

/** The first rows of a list, and the number of all of them. */
export interface Listed<Row> {
  readonly items: Row[]
  readonly total: number
}

/** What tasks cost. */
export interface Cost {
  readonly tasks: number
  readonly tasksWithoutCost: number
  readonly costUsd: number | null
  readonly estimatedUsd: number
}

/** A schedule that is switched on. */
export interface ScheduleRow {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly nextAt: Date
  readonly timezone: string
}

const ownAgents = (userId: string) => Prisma.sql`SELECT a."id" FROM "Agent" a WHERE a."ownerId" = ${userId}::uuid`

/** The caller's own tasks, as far as they may still see them, and all tasks in their agents. */
const concerning = (caller: Caller): Prisma.Sql => {
  const { userId, isAdmin } = viewerOf(caller)
  const isSeen = isAdmin
    ? Prisma.sql`TRUE`
    : Prisma.sql`(r."agentId" IS NULL OR r."agentId" IN (${ownAgents(userId)}
        UNION ALL SELECT s."agentId" FROM "Share" s WHERE s."userId" = ${userId}::uuid))`
  const all = Prisma.sql`((r."userId" = ${userId}::uuid AND ${isSeen}) OR r."agentId" IN (${ownAgents(userId)}))`
  // An API token sees no task that holds a user's own credential.
  return caller.via.kind === 'api_token' ? Prisma.sql`${all} AND NOT r."personal"` : all
}

const COLUMNS = Prisma.raw(
  [
    ...['id', 'agentId', 'agentName', 'userId', 'provider', 'displayName', 'outputFormat', 'mode', 'state'],
    ...['asksSince', 'createdAt', 'startedAt', 'endedAt', 'reason', 'costUsd', 'costEstimated'],
  ]
    .map((name) => `r."${name}"`)
    .join(', '),
)

export class DashboardRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Tasks that have not ended, newest first. */
  async active(caller: Caller, take: number): Promise<Listed<TaskRow>> {
    const isActive = Prisma.sql`r."state" IN (${Prisma.join([...UNENDED])})`
    return this.#tasks(Prisma.sql`${isActive} AND ${concerning(caller)}`, 'createdAt', take)
  }

  /** Tasks that ended after a moment, the last ones first, without archived ones. */
  async ended(caller: Caller, after: Date, take: number): Promise<Listed<TaskRow>> {
    const isNew = Prisma.sql`r."endedAt" > ${after} AND r."archivedAt" IS NULL`
    return this.#tasks(Prisma.sql`${isNew} AND ${concerning(caller)}`, 'endedAt', take)
  }

  /** The first query reads no text of the rows that are not shown. */
  async #tasks(where: Prisma.Sql, by: 'createdAt' | 'endedAt', take: number): Promise<Listed<TaskRow>> {
    const order = Prisma.raw(`r."${by}" DESC, r."id" DESC`)
    const rows = await this.#prisma.$queryRaw<(TaskRow & { readonly total: number })[]>`
      WITH found AS MATERIALIZED (SELECT r."id", r."createdAt", r."endedAt" FROM "CodingRun" r WHERE ${where})
      SELECT ${COLUMNS}, left(r."prompt", ${PROMPT_SHOWN + 1}) AS "prompt",
        left(r."error", ${DASHBOARD_ERROR_MAX}) AS "error", (SELECT COUNT(*)::int FROM found) AS "total"
      FROM "CodingRun" r WHERE r."id" IN (SELECT r."id" FROM found r ORDER BY ${order} LIMIT ${take})
      ORDER BY ${order}`
    return { items: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 }
  }

  /** What the tasks cost that ended from a moment on: the caller's own, and those in their agents. */
  async costSince({ userId }: Caller, from: Date): Promise<Cost> {
    const [cost] = await this.#prisma.$queryRaw<[Cost]>`
      SELECT COUNT(DISTINCT u."runId")::int AS "tasks",
        COUNT(DISTINCT u."runId") FILTER (WHERE u."costUsd" IS NULL)::int AS "tasksWithoutCost",
        SUM(u."costUsd") AS "costUsd",
        COALESCE(SUM(u."costUsd") FILTER (WHERE u."estimated"), 0) AS "estimatedUsd"
      FROM "RunUsage" u WHERE u."endedAt" >= ${from}
        AND (u."userId" = ${userId}::uuid OR u."agentId" IN (${ownAgents(userId)}))`
    return cost
  }

  /** The caller's schedules that are switched on, the next one first. */
  async schedules({ userId }: Caller, take: number): Promise<Listed<ScheduleRow>> {
    const rows = await this.#prisma.$queryRaw<(ScheduleRow & { readonly total: number })[]>`
      SELECT s."id", s."name", a."name" AS "agent", s."nextAt", s."timezone", (COUNT(*) OVER ())::int AS "total"
      FROM "Schedule" s JOIN "Agent" a ON a."id" = s."agentId"
      WHERE s."userId" = ${userId}::uuid AND s."enabled" AND s."nextAt" IS NOT NULL
      ORDER BY s."nextAt", s."id" LIMIT ${take}`
    return { items: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 }
  }

  /** The agents of the caller and those shared with them. */
  async agentIds(caller: Caller): Promise<string[]> {
    const where = { isSystem: false, ...visible({ ...viewerOf(caller), isAdmin: false }) }
    return (await this.#prisma.agent.findMany({ where, select: { id: true } })).map(({ id }) => id)
  }

  /** Until when the user has seen what ended; null if they have marked nothing. */
  async seenUntil(userId: string): Promise<Date | null> {
    return (await this.#prisma.dashboardMark.findUnique({ where: { userId } }))?.seenUntil ?? null
  }

  /** It never moves back, so that an older page undoes nothing. */
  async markSeen(userId: string, until: Date): Promise<void> {
    await this.#prisma.$executeRaw`
      INSERT INTO "DashboardMark" ("userId", "seenUntil") VALUES (${userId}::uuid, ${until})
      ON CONFLICT ("userId") DO UPDATE SET "seenUntil" = GREATEST("DashboardMark"."seenUntil", excluded."seenUntil")`
  }
}
