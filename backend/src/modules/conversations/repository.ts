/** What is read of conversations in the database. */
import type { ConversationsQuery, ConversationState } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { PageStart } from '../../lib/page.ts'
import { type Viewer, viewerOf } from '../agents/repository.ts'
import type { Caller } from '../identity/caller.ts'
import { type RunRow, seenBy, WITH_CONVERSATION } from '../runs/repository.ts'
import { withBeginnings } from '../runs/search/prompt-repository.ts'
import type { ConversationCounts } from './metrics.ts'
import type { ConversationRow, Figures, MessageRow } from './rows.ts'

/** Most conversations of one look. */
const BATCH = 100

const currentRun = {
  select: { id: true, userId: true, state: true, policy: true, asksSince: true, cliSessionId: true, endedAt: true },
} as const
const include = { currentRun } as const

/** An API token sees nothing of a program with a user's own credential. */
const open = (caller: Caller): Prisma.ConversationWhereInput =>
  caller.via.kind === 'api_token' ? { messages: { none: { run: { is: { personal: true } } } } } : {}

/** The key of {@link ConversationRepository.list}. */
export const listKey = ({ lastActivityAt, id }: Pick<ConversationRow, 'lastActivityAt' | 'id'>): string =>
  `${lastActivityAt.toISOString()} ${id}`
const LIST_KEY = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [0-9a-f-]{36}$/
export const isListKey = (key: string): boolean => LIST_KEY.test(key)

const inState = (state: ConversationsQuery['state']): Prisma.ConversationWhereInput => {
  if (state === 'archived') return { archivedAt: { not: null } }
  if (state === undefined) return { archivedAt: null }
  return { archivedAt: null, error: state === 'errored' ? { not: null } : null }
}

const behind = (after: string | null): Prisma.ConversationWhereInput => {
  if (after === null) return {}
  const [at = '', id = ''] = after.split(' ')
  const lastActivityAt = new Date(at)
  return { OR: [{ lastActivityAt: { lt: lastActivityAt } }, { lastActivityAt, id: { lt: id } }] }
}

export class ConversationRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The viewer's access is part of the query. After the deletion of the agent, only its user finds it. */
  async find(id: string, viewer: Viewer): Promise<ConversationRow | null> {
    return (await this.#prisma.conversation.findFirst({ where: { id, ...seenBy(viewer) }, include })) as ConversationRow
  }

  /** For the platform's own work, never for a request. */
  async byId(id: string): Promise<ConversationRow | null> {
    return (await this.#prisma.conversation.findUnique({ where: { id }, include })) as ConversationRow | null
  }

  /** The same for the one whose turn this run is. */
  async byRun(runId: string): Promise<ConversationRow | null> {
    return (await this.#prisma.conversation.findFirst({ where: { currentRunId: runId }, include })) as ConversationRow
  }

  /** By their last activity, newest first. One row more than `limit` means that more follow. */
  async list(
    caller: Caller,
    { agent, state, by = 'me' }: ConversationsQuery,
    { limit, after }: PageStart,
  ): Promise<ConversationRow[]> {
    const where = {
      AND: [seenBy(viewerOf(caller)), open(caller), inState(state), behind(after)],
      ...(by !== 'all' && { userId: by === 'me' ? caller.userId : by }),
      ...(agent !== undefined && { agent: { is: { name: agent } } }),
    }
    const orderBy = [{ lastActivityAt: 'desc' as const }, { id: 'desc' as const }]
    const rows = await this.#prisma.conversation.findMany({ where, include, orderBy, take: limit + 1 })
    return rows as unknown as ConversationRow[]
  }

  /** What is counted of each. */
  async figures(rows: readonly ConversationRow[]): Promise<Map<string, Figures>> {
    const ids = rows.map(({ id }) => id)
    const sessions = rows.flatMap(({ cliSessionId, currentRun: run }) => run?.cliSessionId ?? cliSessionId ?? [])
    const [counted, terminals] = await Promise.all([
      this.#prisma.$queryRaw<(Omit<Figures, 'isInTerminal'> & { readonly id: string })[]>`
        SELECT m."conversationId" AS "id",
          (count(*) FILTER (WHERE m."state" = 'queued'))::int AS "queued",
          (count(*) FILTER (WHERE m."state" = 'sent'))::int AS "turns",
          sum(r."costUsd") FILTER (WHERE m."state" = 'sent') AS "costUsd",
          coalesce(bool_or(r."costEstimated"), false) AS "costEstimated",
          coalesce(bool_or(r."personal"), false) AS "personal"
        FROM "ConversationMessage" m LEFT JOIN "CodingRun" r ON r."id" = m."runId"
        WHERE m."conversationId" = ANY(${ids}::uuid[]) GROUP BY m."conversationId"`,
      this.terminals(sessions),
    ])
    const of = new Map(counted.map(({ id, ...figures }) => [id, figures]))
    return new Map(
      rows.map((row) => {
        const session = row.currentRun?.cliSessionId ?? row.cliSessionId
        const isInTerminal = terminals.some(
          ({ agentId, cliSessionId }) => agentId === row.agentId && cliSessionId === session,
        )
        return [row.id, { ...(of.get(row.id) ?? NOTHING), isInTerminal }]
      }),
    )
  }

  /**
   * One as it is after it was counted: a turn that begins between two reads must not look like one that has ended. Null if
   * it was deleted meanwhile.
   */
  async counted(seen: ConversationRow): Promise<{ readonly row: ConversationRow; readonly figures: Figures } | null> {
    const figures = (await this.figures([seen])).get(seen.id)
    const row = await this.byId(seen.id)
    return row && figures ? { row, figures } : null
  }

  /** The terminals that continue one of these sessions of CLIs. */
  async terminals(cliSessionIds: readonly string[]) {
    if (cliSessionIds.length === 0) return []
    return this.#prisma.terminalSession.findMany({
      where: { cliSessionId: { in: [...cliSessionIds] }, endedAt: null },
      select: { agentId: true, cliSessionId: true },
    })
  }

  /**
   * Those with something to do: their turn has ended, or no turn runs and a message waits. Each one once, so that those
   * that fail keep no other one from its turn.
   */
  async *due(): AsyncGenerator<string> {
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const rows: { readonly id: string }[] = await this.#prisma.$queryRaw`
        SELECT due."id" FROM (
          SELECT c."id" FROM "Conversation" c JOIN "CodingRun" r ON r."id" = c."currentRunId"
          WHERE r."endedAt" IS NOT NULL
          UNION SELECT c."id" FROM "ConversationMessage" m JOIN "Conversation" c ON c."id" = m."conversationId"
          WHERE m."state" = 'queued' AND c."currentRunId" IS NULL
        ) due WHERE due."id" > ${after}::uuid ORDER BY due."id" LIMIT ${BATCH}`
      for (const { id } of rows) yield id
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      after = last.id
    }
  }

  /** Of all users, for the metrics. */
  async counts(): Promise<ConversationCounts> {
    const { conversation, conversationMessage } = this.#prisma
    const count = (state: ConversationState) => conversation.count({ where: inState(state) })
    const [active, errored, archived, queued] = await Promise.all([
      count('active'),
      count('errored'),
      count('archived'),
      conversationMessage.count({ where: { state: 'queued' } }),
    ])
    return { states: { active, errored, archived }, queued }
  }

  /** Those that wait, in their order. Few, by their limit. */
  async queue(conversationId: string): Promise<MessageRow[]> {
    const where = { conversationId, state: 'queued' }
    return (await this.#prisma.conversationMessage.findMany({ where, orderBy: { seq: 'asc' } })) as MessageRow[]
  }

  async message(conversationId: string, id: string): Promise<MessageRow | null> {
    return (await this.#prisma.conversationMessage.findFirst({ where: { id, conversationId } })) as MessageRow | null
  }

  /** The last messages that do not wait, or the last ones before a number, newest first. */
  async past(conversationId: string, before: number | undefined, take: number): Promise<MessageRow[]> {
    const seq = before === undefined ? {} : { seq: { lt: before } }
    const where = { conversationId, state: { not: 'queued' }, ...seq }
    const orderBy = { seq: 'desc' as const }
    return (await this.#prisma.conversationMessage.findMany({ where, orderBy, take })) as MessageRow[]
  }

  /** Of these runs, those that the viewer may see, with cut prompts. */
  async runs(ids: readonly string[], viewer: Viewer): Promise<RunRow[]> {
    const where = { id: { in: [...ids] }, ...seenBy(viewer) }
    const rows = await this.#prisma.codingRun.findMany({ where, omit: { prompt: true }, include: WITH_CONVERSATION })
    return (await withBeginnings(this.#prisma, 'run', rows)) as RunRow[]
  }
}

const NOTHING = { queued: 0, turns: 0, costUsd: null, costEstimated: false, personal: false }
