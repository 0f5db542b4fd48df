/** Watches what one run uses: against its own limits, and for the budgets. */
import type { Verdict } from '../../providers/headless/headless.ts'
import { type Outcome, overBudget, type RunEnd } from '../end.ts'
import type { Used } from '../stored-end.ts'
import { costOf, type RunCost, sharesOf } from './shares.ts'
import type { Spending, Watch } from './spending.ts'

/** A run to watch. */
export interface MeteredRun {
  readonly id: string
  readonly userId: string
  /** The model that was asked for, or null. */
  readonly model: string | null
  /** Null: no limit, or the CLI itself ends at it. */
  readonly maxTurns: number | null
  /** The same in US dollars, for all processes of the run together. */
  readonly maxBudgetUsd: number | null
  /** What its earlier processes have cost, in US dollars. */
  readonly spentUsd: number
}

export class Meter {
  readonly #run: MeteredRun
  readonly #watch: Watch
  #isOver = false
  readonly #limited = Promise.withResolvers<Outcome>()
  /** Settles when the run has to end because of what it uses. */
  readonly limited = this.#limited.promise

  constructor(spending: Pick<Spending, 'watch'>, run: MeteredRun) {
    this.#run = run
    this.#watch = spending.watch(run, (message) => {
      if (!this.#isOver) this.#limited.resolve({ kind: 'budget_exhausted', message })
    })
  }

  /** Looks at what the output says by now. A run that has done its work is not ended any more. */
  read(verdict: Verdict): void {
    const { model, maxTurns, maxBudgetUsd: limitUsd } = this.#run
    const costUsd = this.#totalUsd(costOf(sharesOf(verdict, model)))
    this.#watch.spent(costUsd)
    this.#isOver = verdict.isOver
    if (verdict.isOver) return
    if (limitUsd !== null && costUsd >= limitUsd) this.#limited.resolve({ kind: 'max_budget', costUsd, limitUsd })
    else if (maxTurns !== null && (verdict.turns ?? 0) > maxTurns)
      this.#limited.resolve({ kind: 'max_turns', turns: maxTurns })
  }

  /** The end with what the process has used. A CLI may tell its cost only when it has done its work. */
  settled(end: RunEnd, verdict: Verdict): RunEnd & Used {
    const usage = sharesOf(verdict, this.#run.model)
    const cost = costOf(usage)
    const limitUsd = this.#run.maxBudgetUsd
    const totalUsd = this.#totalUsd(cost)
    const isOver = limitUsd !== null && totalUsd > limitUsd
    const settled = isOver && end.state === 'completed' ? overBudget(end, totalUsd, limitUsd) : end
    return { ...settled, ...cost, usage, totals: verdict.totals ?? [] }
  }

  /** Call it when the end is stored, or when the run is left to another backend. */
  leave(): void {
    this.#watch.leave()
  }

  #totalUsd({ costUsd }: Pick<RunCost, 'costUsd'>): number {
    return this.#run.spentUsd + (costUsd ?? 0)
  }
}
