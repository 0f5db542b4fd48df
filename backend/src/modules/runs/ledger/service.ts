/** What tasks have used, and their budgets. Whether the caller may manage budgets was decided before. */
import { type Budget, USAGE_LIMIT_DEFAULT, type UsageQuery, type UsageReport } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { BudgetOwner, BudgetRepository } from './budget-repository.ts'
import { monthOf } from './month.ts'
import { PRICES_AT } from './prices.ts'
import type { ReportRepository } from './report-repository.ts'

export interface LedgerDeps {
  readonly reports: Pick<ReportRepository, 'report'>
  readonly budgets: BudgetRepository
  readonly clock: Clock
}

/** The platform as the owner of a budget. */
const PLATFORM: BudgetOwner = { userId: null, name: 'Platform' }

export class LedgerService {
  readonly #deps: LedgerDeps

  constructor(deps: LedgerDeps) {
    this.#deps = deps
  }

  /** Sums of the runs that the caller may see. Throws `VALIDATION` if the time is empty. */
  async report(caller: Caller, query: UsageQuery): Promise<UsageReport> {
    const { group = 'day', page = 1, limit = USAGE_LIMIT_DEFAULT } = query
    const month = monthOf(this.#deps.clock.now())
    const from = query.from === undefined ? month.from : new Date(query.from)
    const to = query.to === undefined ? month.to : new Date(query.to)
    if (from >= to) throw new AppError('VALIDATION', 'querystring.to: must be after the beginning')
    const { items, total, sums } = await this.#deps.reports.report(caller, {
      from,
      to,
      group,
      skip: (page - 1) * limit,
      take: limit,
    })
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      group,
      items,
      page,
      limit,
      total,
      sums,
      pricesOf: PRICES_AT,
    }
  }

  /** The budget of a user, or of the platform for null. Throws `NOT_FOUND`. */
  async budget(userId: string | null): Promise<Budget> {
    const { budgets, clock } = this.#deps
    await this.#owner(userId)
    const month = monthOf(clock.now())
    const [limitUsd, spentUsd] = await Promise.all([budgets.limitOf(userId), budgets.spent(month, userId)])
    return { limitUsd, spentUsd, from: month.from.toISOString(), to: month.to.toISOString() }
  }

  /** Sets a budget, or removes it with null. Throws `NOT_FOUND`. */
  async setBudget(caller: Caller, userId: string | null, limitUsd: number | null): Promise<Budget> {
    const { budgets, clock } = this.#deps
    const owner = await this.#owner(userId)
    if (!(await budgets.set(owner, limitUsd, new Date(clock.now()), actorOf(caller)))) throw notFound()
    return this.budget(userId)
  }

  async #owner(userId: string | null): Promise<BudgetOwner> {
    if (userId === null) return PLATFORM
    const email = isUuid(userId) ? await this.#deps.budgets.emailOf(userId) : null
    if (email === null) throw notFound()
    return { userId, name: email }
  }
}
