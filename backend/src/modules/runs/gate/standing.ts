/** The gate of a run as its rows say it. */
import type { RunGate, RunRequest } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { RunRow } from '../repository.ts'
import type { NewRun } from '../new-run.ts'

/** A gate in front of the end of a process. */
export interface Gate {
  /** How many repairs it allows. */
  readonly repairs: number
  /** How many of them have begun. */
  readonly begun: number
  /** What this process may cost, in US dollars; null without a limit. */
  readonly limitUsd: number | null
  /** Whether an earlier backend has begun to validate this process. */
  readonly isAgain: boolean
}

export type GateRow = Pick<RunRow, 'gateRepairs' | 'repairs' | 'repairPrompt' | 'workedMs' | 'spentUsd'>

/** That of a run that has not started yet. */
export const newGate = (gateRepairs: number | null | undefined): GateRow => ({
  ...{ gateRepairs: gateRepairs ?? null, repairs: 0, repairPrompt: null, workedMs: 0, spentUsd: 0 },
})

/** The gate of a process; null without one. */
export const gateOf = (
  { gateRepairs, repairs, ...budget }: Pick<RunRow, 'gateRepairs' | 'repairs' | 'maxBudgetUsd' | 'spentUsd'>,
  isAgain: boolean,
): Gate | null =>
  gateRepairs === null ? null : { repairs: gateRepairs, begun: repairs, limitUsd: budgetLeft(budget), isAgain }

/** As clients see it. */
export const shownGate = ({ gateRepairs, repairs }: Pick<GateRow, 'gateRepairs' | 'repairs'>): RunGate | null =>
  gateRepairs === null ? null : { repairs: gateRepairs, begun: repairs }

/** What is left of a run's budget for its next process, in US dollars; null without one. A CLI takes no limit of zero. */
export const budgetLeft = ({ maxBudgetUsd, spentUsd }: Pick<RunRow, 'maxBudgetUsd' | 'spentUsd'>): number | null =>
  maxBudgetUsd === null ? null : Math.max(0.000001, maxBudgetUsd - spentUsd)

/** What the transcript says where the next process of a run begins. */
export const resumption = ({ repairPrompt, repairs, gateRepairs }: GateRow): string =>
  repairPrompt === null
    ? 'The usage limit is over, and the task continues.'
    : `Repair ${repairs} of ${gateRepairs ?? repairs} begins.`

/** The gate that a request asks for. Throws if its mode has none, or if it says that nothing is to be validated. */
export const gateIn = (body: RunRequest): Pick<NewRun, 'gateRepairs'> => {
  if (!('gate' in body)) return {}
  if (body.mode === 'interactive')
    throw new AppError('VALIDATION', 'body.gate: only a task in the mode auto can be repaired')
  if (body.validate === false)
    throw new AppError('VALIDATION', 'body.gate: needs a validation, so validate cannot be false')
  return { gateRepairs: body.gate.repairs }
}
