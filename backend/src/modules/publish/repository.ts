/** Pull requests in the database: what Slipway opened for which branch. */
import type { ValidationState } from '@slipway/protocol'
import type { PrismaClient } from '../../database/generated/client.ts'
import { viewerOf } from '../agents/repository.ts'
import type { Hosted } from '../git/host.ts'
import type { Caller } from '../identity/caller.ts'
import { open, seenBy } from '../runs/repository.ts'
import type { Standing } from '../sessions/recovery/reinstate.ts'
import type { TurnsCost } from './text/body.ts'

/** The branch of an agent's repository on a host. */
export interface BranchOf extends Hosted {
  readonly agentId: string
  readonly branch: string
}

/** A stored pull request. */
export interface PullRow {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly draft: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A task that has completed in an agent that commits. */
export interface DueTask {
  readonly userId: string
  readonly agentId: string
  readonly via: NonNullable<Standing['via']>
}

const keyOf = ({ agentId, host, path: repository, branch }: BranchOf) => ({ agentId, host, repository, branch })

export class PullRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  async find(of: BranchOf): Promise<PullRow | null> {
    return this.#prisma.pullRequest.findUnique({ where: { agentId_host_repository_branch: keyOf(of) } })
  }

  /** Stores what the host has now. */
  async store(of: BranchOf, facts: Pick<PullRow, 'number' | 'url' | 'title' | 'draft'>, at: Date): Promise<PullRow> {
    return this.#prisma.pullRequest.upsert({
      where: { agentId_host_repository_branch: keyOf(of) },
      create: { ...keyOf(of), ...facts, createdAt: at, updatedAt: at },
      update: { ...facts, updatedAt: at },
    })
  }
}

const VERDICTS: ValidationState[] = ['passed', 'failed', 'failing_before', 'not_verified']

/** The turns of a conversation that have ended. */
export interface EndedTurns {
  readonly cost: TurnsCost
  /** The turn with the newest verdict, or null. */
  readonly validated: string | null
}

export class TurnRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Of the turns that the caller may see. */
  async ended(conversationId: string, caller: Caller): Promise<EndedTurns> {
    const run = {
      ...{ ...seenBy(viewerOf(caller)), ...open(caller), endedAt: { not: null } },
      messages: { some: { conversationId } },
    }
    const [{ _count: count, _sum: sum }, estimated, newest] = await Promise.all([
      this.#prisma.codingRun.aggregate({ where: run, _count: { _all: true, costUsd: true }, _sum: { costUsd: true } }),
      this.#prisma.codingRun.count({ where: { ...run, costEstimated: true } }),
      this.#prisma.validation.findFirst({
        where: { run: { is: run }, state: { in: VERDICTS } },
        orderBy: [{ startedAt: 'desc' }, { runId: 'desc' }],
        select: { runId: true },
      }),
    ])
    const unknown = count._all - count.costUsd
    const cost = { turns: count._all, unknown, costUsd: sum.costUsd, costEstimated: estimated > 0 }
    return { cost, validated: newest?.runId ?? null }
  }
}

/** Most tasks of one read. */
const BATCH = 100
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** What the commits of the platform itself need to know of tasks. */
export class CompletedTasks {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /**
   * Null: it has not completed, its agent does not commit, it only planned, or it is not known by which right it was started.
   */
  async due(id: string): Promise<DueTask | null> {
    const changed = { OR: [{ policy: null }, { policy: { not: 'plan' } }] }
    const where = { id, state: 'completed' as const, endedAt: { not: null }, agent: { autoCommit: true }, ...changed }
    const select = { userId: true, agentId: true, via: true, viaId: true }
    const found = await this.#prisma.codingRun.findFirst({ where, select })
    if (!found) return null
    const { userId, agentId, via, viaId } = found
    return agentId === null || via === null || viaId === null
      ? null
      : { userId, agentId, via: { kind: via as DueTask['via']['kind'], id: viaId } }
  }

  /**
   * The tasks that ended after a time, and whose commit no server has begun: what they changed is not known to be nothing,
   * and no later task has worked in their folder. {@link due} says which of them are due.
   */
  async *left(since: Date): AsyncGenerator<string> {
    for (let after = NO_ID; ;) {
      const rows: { readonly id: string }[] = await this.#prisma.$queryRaw`
        SELECT r."id" FROM "CodingRun" r JOIN "Agent" a ON a."id" = r."agentId" AND a."autoCommit"
        WHERE r."id" > ${after}::uuid AND r."state" = 'completed' AND r."endedAt" > ${since}
          AND r."changesDetected" IS NOT FALSE
          AND NOT EXISTS (
            SELECT 1 FROM "CodingRun" o WHERE o."agentId" = r."agentId" AND o."cwd" = r."cwd" AND o."id" <> r."id"
              AND (o."endedAt" IS NULL OR o."endedAt" > r."endedAt"))
          AND NOT EXISTS (
            SELECT 1 FROM "AuditEvent" e WHERE e."targetId" = r."agentId" AND e."action" = 'changes.committed'
              AND e."at" >= r."endedAt" AND e."detail"->>'taskId' = r."id"::text)
        ORDER BY r."id" LIMIT ${BATCH}`
      for (const { id } of rows) yield id
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      after = last.id
    }
  }
}
