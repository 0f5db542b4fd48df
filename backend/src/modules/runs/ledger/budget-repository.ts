/** Budgets in the database, and what was spent of them. */
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import type { Month } from './month.ts'

/** A budget of a month with what was spent of it, in US dollars. */
export interface Account {
  /** Null: the platform's. */
  readonly userId: string | null
  readonly limitUsd: number
  readonly spentUsd: number
}

/** Whose budget it is. */
export interface BudgetOwner {
  /** Null: the platform. */
  readonly userId: string | null
  /** An e-mail address, or the name of the platform. */
  readonly name: string
}

const ownerKey = (userId: string | null): string => (userId === null ? 'platform' : `user:${userId}`)

export class BudgetRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** The budgets of the platform and of these users, as far as they are set. Of some runs, nothing counts as spent. */
  async accounts(month: Month, userIds: readonly string[], except: readonly string[]): Promise<Account[]> {
    const owner = { in: [null, ...userIds].map(ownerKey) }
    const budgets = await this.#prisma.budget.findMany({ where: { owner } })
    const limited = budgets.flatMap(({ userId }) => userId ?? [])
    const isLimited = budgets.some(({ userId }) => userId === null)
    const [users, platform] = await Promise.all([
      limited.length === 0 ? new Map<string, number>() : this.#spentBy(month, limited, except),
      isLimited ? this.spent(month, null, except) : 0,
    ])
    return budgets.map(({ userId, limitUsd }) => {
      const spentUsd = userId === null ? platform : (users.get(userId) ?? 0)
      return { userId, limitUsd, spentUsd }
    })
  }

  /** What the runs have cost that ended in the month: those of a user, or all. Runs of unknown cost count nothing. */
  async spent({ from, to }: Month, userId: string | null, except: readonly string[] = []): Promise<number> {
    const { _sum } = await this.#prisma.runUsage.aggregate({
      where: {
        endedAt: { gte: from, lt: to },
        runId: { notIn: [...except] },
        ...(userId === null ? {} : { userId }),
      },
      _sum: { costUsd: true },
    })
    return _sum.costUsd ?? 0
  }

  /** In US dollars; null if none is set. */
  async limitOf(userId: string | null): Promise<number | null> {
    return (await this.#prisma.budget.findUnique({ where: { owner: ownerKey(userId) } }))?.limitUsd ?? null
  }

  /** The e-mail address of a user; null if there is none. */
  async emailOf(userId: string): Promise<string | null> {
    return (await this.#prisma.user.findUnique({ where: { id: userId }, select: { email: true } }))?.email ?? null
  }

  /** Sets a budget, or removes it with null, and records the change. False if the user is gone. */
  async set({ userId, name }: BudgetOwner, limitUsd: number | null, setAt: Date, actor: Actor): Promise<boolean> {
    const where = { owner: ownerKey(userId) }
    try {
      await this.#prisma.$transaction(async (tx) => {
        const before = await tx.budget.findUnique({ where })
        if (limitUsd === null) await tx.budget.deleteMany({ where })
        else {
          const columns = { limitUsd, setAt }
          await tx.budget.upsert({ where, create: { ...where, userId, ...columns }, update: columns })
        }
        const changes = changesOf('Budget', before, limitUsd === null ? null : { limitUsd })
        await this.#audit.record(tx, {
          actor,
          action: 'budget.changed',
          target: { id: userId, name },
          detail: { changes },
        })
      })
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  async #spentBy({ from, to }: Month, userIds: string[], except: readonly string[]): Promise<Map<string, number>> {
    const sums = await this.#prisma.runUsage.groupBy({
      by: ['userId'],
      where: { endedAt: { gte: from, lt: to }, runId: { notIn: [...except] }, userId: { in: userIds } },
      _sum: { costUsd: true },
    })
    return new Map(sums.flatMap(({ userId, _sum }) => (userId === null ? [] : [[userId, _sum.costUsd ?? 0] as const])))
  }
}
