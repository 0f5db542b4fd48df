/** Results in the database: which of those that a user may see match, and how many. */
import type { ResultsQuery } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import { viewerOf } from '../../agents/repository.ts'
import type { Caller } from '../../identity/caller.ts'
import type { RunRow } from '../repository.ts'

/** What to look for. */
export interface ResultFilter extends Pick<
  ResultsQuery,
  'agent' | 'provider' | 'state' | 'reason' | 'schedule' | 'by' | 'from' | 'to' | 'archived'
> {
  /** As of `beginningsOf`; null for all texts. */
  readonly beginnings: string | null
}

/**
 * Ended runs that the caller may see, of the chosen users: in agents that they may see; of their own also those in deleted
 * agents.
 */
const visibleTo = (caller: Caller, by: string): Prisma.Sql[] => {
  const { userId, isAdmin } = viewerOf(caller)
  const isOwn = Prisma.sql`r."userId" = ${userId}::uuid`
  const inAgents = isAdmin
    ? Prisma.sql`r."agentId" IS NOT NULL`
    : Prisma.sql`r."agentId" IN (
    SELECT a."id" FROM "Agent" a WHERE a."ownerId" = ${userId}::uuid
    UNION ALL SELECT s."agentId" FROM "Share" s WHERE s."userId" = ${userId}::uuid)`
  return [
    Prisma.sql`r."endedAt" IS NOT NULL`,
    ...(by === 'me' ? [isOwn] : by === 'all' ? [] : [Prisma.sql`r."userId" = ${by}::uuid`]),
    Prisma.sql`(${inAgents} OR (r."agentId" IS NULL AND ${isOwn}))`,
    // An API token sees no run that holds a user's own credential.
    ...(caller.via.kind === 'api_token' ? [Prisma.sql`NOT r."personal"`] : []),
  ]
}

const matching = ({
  beginnings,
  agent,
  provider,
  state,
  reason,
  schedule,
  from,
  to,
  archived,
}: ResultFilter): Prisma.Sql[] => [
  archived === true ? Prisma.sql`r."archivedAt" IS NOT NULL` : Prisma.sql`r."archivedAt" IS NULL`,
  ...(beginnings === null ? [] : [Prisma.sql`r."words" @@ ${beginnings}::tsquery`]),
  ...(agent === undefined ? [] : [Prisma.sql`r."agentId" IS NOT NULL AND r."agentName" = ${agent}`]),
  ...(provider === undefined ? [] : [Prisma.sql`r."provider" = ${provider}`]),
  ...(state === undefined ? [] : [Prisma.sql`r."state" = ${state}`]),
  ...(schedule === undefined ? [] : [Prisma.sql`r."scheduleId" = ${schedule}::uuid`]),
  ...(reason === undefined ? [] : [Prisma.sql`r."reason" = ${reason}`]),
  ...(from === undefined ? [] : [Prisma.sql`r."createdAt" >= ${new Date(from)}`]),
  ...(to === undefined ? [] : [Prisma.sql`r."createdAt" < ${new Date(to)}`]),
]

/** All columns but the prompt, which may have a mebibyte. */
const COLUMNS = Prisma.raw(
  Object.values(Prisma.CodingRunScalarFieldEnum)
    .filter((name) => name !== 'prompt')
    .map((name) => `r."${name}"`)
    .join(', '),
)

export class ResultRepository {
  readonly #prisma: Pick<PrismaClient, '$queryRaw'>

  constructor(prisma: Pick<PrismaClient, '$queryRaw'>) {
    this.#prisma = prisma
  }

  /**
   * The results that the caller may see and that match, the newest first, and how many there are. A prompt comes cut after `promptMax`
   * characters.
   */
  async find(
    caller: Caller,
    filter: ResultFilter,
    { skip, take, promptMax }: { readonly skip: number; readonly take: number; readonly promptMax: number },
  ): Promise<[RunRow[], number]> {
    const source = Prisma.sql`
      FROM "CodingRun" r WHERE ${Prisma.join([...visibleTo(caller, filter.by ?? 'me'), ...matching(filter)], ' AND ')}`
    // Alone, the inner query reads no text of the rows before the page.
    const [page, [{ total }]] = await Promise.all([
      this.#prisma.$queryRaw<RunRow[]>`
      SELECT ${COLUMNS}, left(r."prompt", ${promptMax}) AS "prompt" FROM "CodingRun" r WHERE r."id" IN (
        SELECT r."id" ${source} ORDER BY r."createdAt" DESC, r."id" DESC LIMIT ${take} OFFSET ${skip})
      ORDER BY r."createdAt" DESC, r."id" DESC`,
      this.#prisma.$queryRaw<[{ total: number }]>`SELECT COUNT(*)::int AS "total" ${source}`,
    ])
    return [page, total]
  }
}
