/** Comparisons in the database, and the archive of runs. */
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { viewerOf } from '../../agents/repository.ts'
import type { Caller } from '../../identity/caller.ts'
import { open, type RunRow, seenBy } from '../repository.ts'
import { withBeginnings } from '../search/prompt-repository.ts'

/** A target as the request names it, and the id of its run. */
export interface NewTarget {
  readonly agentName: string
  readonly provider: string | null
  readonly model: string | null
  readonly cwd: string | null
  readonly runId: string
}

export interface TargetRow extends NewTarget {
  /** Why it did not start. Both are null if it did. */
  readonly refusalCode: string | null
  readonly refusal: string | null
}

export interface ComparisonRow {
  readonly id: string
  readonly prompt: string
  readonly chosenId: string | null
  readonly createdAt: Date
  /** In the order of the request. */
  readonly targets: readonly TargetRow[]
}

/** Why a target did not start. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** What changes about a run in the archive. */
interface Move {
  readonly actor: Actor
  readonly archivedAt: Date | null
}

const include = { targets: { orderBy: { position: 'asc' as const } } }

export class ComparisonRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  async create(
    {
      targets,
      ...comparison
    }: Pick<ComparisonRow, 'id' | 'prompt' | 'createdAt'> & { readonly targets: readonly NewTarget[] },
    userId: string,
  ): Promise<void> {
    const data = {
      ...comparison,
      userId,
      targets: { create: targets.map((target, position) => ({ ...target, position })) },
    }
    await this.#prisma.comparison.create({ data })
  }

  /** None of its targets has started. */
  async forget(id: string): Promise<void> {
    await this.#prisma.comparison.deleteMany({ where: { id } })
  }

  /** The target of this run did not start. */
  async refused(runId: string, { code, message }: Refusal): Promise<void> {
    const data = { refusalCode: code, refusal: message }
    await this.#prisma.comparisonTarget.updateMany({ where: { runId }, data })
  }

  async find(userId: string, id: string): Promise<ComparisonRow | null> {
    return this.#prisma.comparison.findFirst({ where: { id, userId }, include })
  }

  /** A user's comparisons with cut prompts, the newest first, and how many there are. */
  async page(userId: string, { skip, take }: { skip: number; take: number }): Promise<[ComparisonRow[], number]> {
    const where = { userId }
    const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]
    const omit = { prompt: true } as const
    const [rows, total] = await Promise.all([
      this.#prisma.comparison.findMany({ where, include, omit, orderBy, skip, take }),
      this.#prisma.comparison.count({ where }),
    ])
    return [await withBeginnings(this.#prisma, 'comparison', rows), total]
  }

  /** Those of a user's runs that exist, with cut prompts, and whether the caller may see each. */
  async runs(caller: Caller, ids: readonly string[]): Promise<{ readonly row: RunRow; readonly isSeen: boolean }[]> {
    const own = { id: { in: [...ids] }, userId: caller.userId }
    const isSeen = { ...own, ...seenBy(viewerOf(caller)), ...open(caller) }
    const [rows, seen] = await Promise.all([
      this.#prisma.codingRun.findMany({ where: own, omit: { prompt: true } }),
      this.#prisma.codingRun.findMany({ where: isSeen, select: { id: true } }),
    ])
    const shown = (await withBeginnings(this.#prisma, 'run', rows)) as RunRow[]
    return shown.map((row) => ({ row, isSeen: seen.some(({ id }) => id === row.id) }))
  }

  /** The tokens of these runs, as far as the ledger knows them. */
  async tokens(ids: readonly string[]): Promise<Map<string, number>> {
    const where = { runId: { in: [...ids] } }
    const rows = await this.#prisma.runUsage.findMany({ where })
    const sums = new Map<string, number>()
    for (const { runId, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } of rows) {
      const known = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].filter((count) => count !== null)
      if (known.length > 0)
        sums.set(
          runId,
          known.reduce((sum, count) => sum + Number(count), sums.get(runId) ?? 0),
        )
    }
    return sums
  }

  /**
   * Chooses a run of a comparison and archives the others. Throws `WRONG_STATE` while one of them has not ended. Then
   * nothing is changed.
   */
  async choose({ id, targets }: ComparisonRow, chosenId: string, archivedAt: Date, actor: Actor): Promise<void> {
    const others = targets.map(({ runId }) => runId).filter((runId) => runId !== chosenId)
    await this.#prisma.$transaction(async (tx) => {
      const runs = [...others, chosenId]
      if ((await tx.codingRun.count({ where: { id: { in: runs }, endedAt: null } })) > 0)
        throw new AppError('WRONG_STATE', 'A task of this comparison has not ended. Wait for its end, or end it.')
      if ((await tx.codingRun.count({ where: { id: chosenId } })) === 0) throw notFound()
      await tx.comparison.update({ where: { id }, data: { chosenId } })
      await this.#move(tx, others, { actor, archivedAt })
      await this.#move(tx, [chosenId], { actor, archivedAt: null })
    })
  }

  /** Archives a run, or takes it out of the archive. Throws `WRONG_STATE` if it has not ended. */
  async move(runId: string, move: Move): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      if (!(await tx.codingRun.findFirst({ where: { id: runId, endedAt: { not: null } }, select: { id: true } })))
        throw new AppError('WRONG_STATE', 'The task has not ended yet, so it cannot be archived.')
      await this.#move(tx, [runId], move)
    })
  }

  /** Records each run that changes. */
  async #move(tx: Prisma.TransactionClient, ids: readonly string[], { actor, archivedAt }: Move): Promise<void> {
    const isMoved = { archivedAt: archivedAt === null ? { not: null } : null }
    const moved = await tx.codingRun.updateManyAndReturn({
      where: { id: { in: [...ids] }, ...isMoved },
      data: { archivedAt },
      select: { id: true, agentId: true, agentName: true },
    })
    const agentIds = moved.flatMap(({ agentId }) => agentId ?? [])
    const owners = await tx.agent.findMany({
      where: { id: { in: agentIds } },
      select: { id: true, owner: { select: { email: true } } },
    })
    const action = archivedAt === null ? 'task.unarchived' : 'task.archived'
    const entries = moved.map(({ id: taskId, agentId, agentName }): AuditEntry => {
      const owner = owners.find(({ id }) => id === agentId)?.owner?.email ?? null
      return { actor, action, target: { id: agentId, name: agentName }, detail: { owner, taskId } }
    })
    await this.#audit.record(tx, ...entries)
  }
}
