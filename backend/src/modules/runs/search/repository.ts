/** The results of a user in the database: which of them match, and how many. */
import type { ResultsQuery } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import { viewerOf } from '../../agents/repository.ts'
import type { Caller } from '../../identity/caller.ts'
import type { RunRow } from '../repository.ts'

/** What to look for. */
export interface ResultFilter extends Pick<ResultsQuery, 'agent' | 'provider' | 'state' | 'reason' | 'schedule'> {
  /** As of `beginningsOf`; null for all texts. */
  readonly beginnings: string | null
}

/** The caller's own ended runs that they may see: in agents that they may see, and in deleted ones. */
const ownBy = (caller: Caller): Prisma.Sql[] => {
  const { userId, isAdmin } = viewerOf(caller)
  const seen = Prisma.sql`(r."agentId" IS NULL OR r."agentId" IN (
    SELECT a."id" FROM "Agent" a WHERE a."ownerId" = ${userId}::uuid
    UNION ALL SELECT s."agentId" FROM "Share" s WHERE s."userId" = ${userId}::uuid))`
  return [
    Prisma.sql`r."userId" = ${userId}::uuid AND r."endedAt" IS NOT NULL`,
    ...(isAdmin ? [] : [seen]),
    // An API token sees no run that holds a user's own credential.
    ...(caller.via.kind === 'api_token' ? [Prisma.sql`NOT r."personal"`] : []),
  ]
}

const matching = ({ beginnings, agent, provider, state, reason, schedule }: ResultFilter): Prisma.Sql[] => [
  ...(beginnings === null ? [] : [Prisma.sql`r."words" @@ ${beginnings}::tsquery`]),
  ...(agent === undefined ? [] : [Prisma.sql`r."agentId" IS NOT NULL AND r."agentName" = ${agent}`]),
  ...(provider === undefined ? [] : [Prisma.sql`r."provider" = ${provider}`]),
  ...(state === undefined ? [] : [Prisma.sql`r."state" = ${state}`]),
  ...(schedule === undefined ? [] : [Prisma.sql`r."scheduleId" = ${schedule}::uuid`]),
  ...(reason === undefined ? [] : [Prisma.sql`r."reason" = ${reason}`]),
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
   * The caller's results that match, the newest first, and how many there are. A prompt comes cut after `promptMax`
   * characters.
   */
  async find(
    caller: Caller,
    filter: ResultFilter,
    { skip, take, promptMax }: { readonly skip: number; readonly take: number; readonly promptMax: number },
  ): Promise<[RunRow[], number]> {
    const source = Prisma.sql`
      FROM "CodingRun" r WHERE ${Prisma.join([...ownBy(caller), ...matching(filter)], ' AND ')}`
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
