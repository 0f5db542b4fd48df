/** Keeps runs within the budgets of their users and of the platform. */
import { type Clock, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Account, BudgetRepository } from './budget-repository.ts'
import { type Month, monthOf } from './month.ts'
import { usd } from './usd.ts'

/** How often the budgets are compared with what was spent while runs are active, in seconds. */
const CHECK_SECONDS = 5

export interface SpendingDeps {
  readonly repository: Pick<BudgetRepository, 'accounts'>
  readonly clock: Clock
  readonly log: Log
}

/** An active run. */
interface Watched {
  readonly id: string
  readonly userId: string
  readonly end: (message: string) => void
  /** What all of its processes have cost by now, in US dollars. */
  costUsd: number
}

/** A run that becomes active. */
interface Watchable extends Pick<Watched, 'id' | 'userId'> {
  /** What its earlier processes have cost, in US dollars. */
  readonly spentUsd: number
}

/** The place of one active run. */
export interface Watch {
  /** What it has cost by now with its earlier processes, in US dollars. */
  spent(costUsd: number): void
  leave(): void
}

/**
 * What counts is the sum of the runs that ended in the calendar month, and the cost of the active runs by now. The earlier
 * processes of a run that waited or is repaired are booked already, and count with their run while it is active. A run
 * costs no query of its own: all of them share one look at the database every {@link CHECK_SECONDS}.
 */
export class Spending {
  readonly #deps: SpendingDeps
  /** As many as this backend holds runs. */
  readonly #runs = new Map<string, Watched>()
  #timer: NodeJS.Timeout | null = null
  #isChecking = false

  constructor(deps: SpendingDeps) {
    this.#deps = deps
  }

  /** `end` is called with a sentence for users when a budget of the run is used up. */
  watch({ id, userId, spentUsd }: Watchable, end: (message: string) => void): Watch {
    const run: Watched = { id, userId, end, costUsd: spentUsd }
    this.#runs.set(id, run)
    this.#timer ??= setInterval(() => void this.#tick(), CHECK_SECONDS * SECOND_MS).unref()
    return {
      spent: (costUsd) => (run.costUsd = costUsd),
      leave: () => {
        this.#runs.delete(id)
        if (this.#runs.size > 0 || this.#timer === null) return
        clearInterval(this.#timer)
        this.#timer = null
      },
    }
  }

  /** Throws `BUDGET_EXHAUSTED` if the user may start no run, because their budget or the platform's is used up. */
  async require(userId: string): Promise<void> {
    const month = monthOf(this.#deps.clock.now())
    const [used] = await this.#usedUp(month, [userId])
    if (used) throw new AppError('BUDGET_EXHAUSTED', sentenceOf(used, month))
  }

  /** Ends the runs whose budget is used up. */
  async check(): Promise<void> {
    const month = monthOf(this.#deps.clock.now())
    const runs = [...this.#runs.values()]
    for (const account of await this.#usedUp(month, [...new Set(runs.map(({ userId }) => userId))]))
      for (const run of runs) if (isOf(account, run)) run.end(sentenceOf(account, month))
  }

  async #usedUp(month: Month, userIds: readonly string[]): Promise<Account[]> {
    // A run that is stored meanwhile would count twice, so the runs of this moment count by their own cost alone.
    const runs = [...this.#runs.values()].map((run) => ({ ...run }))
    const accounts = await this.#deps.repository.accounts(
      month,
      userIds,
      runs.map(({ id }) => id),
    )
    return accounts.filter((account) => {
      const live = runs.filter((run) => isOf(account, run)).reduce((total, { costUsd }) => total + costUsd, 0)
      return account.spentUsd + live >= account.limitUsd
    })
  }

  async #tick(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      await this.check()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the budgets could not be checked')
    } finally {
      this.#isChecking = false
    }
  }
}

const isOf = ({ userId }: Account, run: Pick<Watched, 'userId'>): boolean => userId === null || userId === run.userId

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const sentenceOf = ({ userId, limitUsd }: Account, { from, to }: Month): string => {
  const whose = userId === null ? "The platform's budget" : "The user's budget"
  const next = to.toISOString().slice(0, 10)
  return `${whose} of ${usd(limitUsd)} for ${MONTH.format(from)} is used up. It begins anew on ${next} (UTC). An admin can raise it.`
}
