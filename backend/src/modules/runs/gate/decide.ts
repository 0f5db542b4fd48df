/** What follows from the validation of a run with a gate: its end, or a repair. */
import type { RunReason, ValidationReason } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { usd } from '../ledger/usd.ts'
import type { Judged } from './judged.ts'
import { commandOf } from './prompt.ts'

/** A repair does not begin with less time than this, in milliseconds: it would end in the middle of its first answer. */
export const REPAIR_LEAST_MS = 10 * SECOND_MS

/**
 * Why nothing is known, where the agent can change that. The network, a missing package manager, and a validation that a user
 * ended are out of its reach.
 */
const REPAIRABLE: ReadonlySet<ValidationReason> = new Set([
  'dependencies_missing',
  'unreadable',
  'no_tests',
  'watch_mode',
  'timed_out',
  'out_of_memory',
])

/** What is left of a run. */
export interface Left {
  /** How many repairs its gate allows. */
  readonly repairs: number
  /** How many of them have begun. */
  readonly begun: number
  /** What is left of its time limit, in milliseconds. */
  readonly leftMs: number
  /** What is left of its budget, in US dollars; null without one. */
  readonly leftUsd: number | null
  /** Whether its CLI has named the session, in which a repair continues. */
  readonly canContinue: boolean
}

/** The end of a run that may not complete. */
export interface Refused {
  readonly reason: Extract<RunReason, 'validation_failed' | 'not_verified'>
  /** A sentence for users. */
  readonly error: string
}

export type Decision =
  | { readonly kind: 'completes' }
  | ({ readonly kind: 'fails' } & Refused)
  /** `repair` is its number, counted from 1. The rest is how the run ends if the repair cannot be stored. */
  | ({ readonly kind: 'repairs'; readonly repair: number } & Refused)

export const decide = (judged: Judged, left: Left): Decision => {
  if (judged.state === 'passed') return { kind: 'completes' }
  const { repairs, begun } = left
  const reason = judged.state === 'not_verified' ? 'not_verified' : 'validation_failed'
  const found = foundIn(judged)
  if (judged.reason !== null && !REPAIRABLE.has(judged.reason)) return { kind: 'fails', reason, error: found }
  const after = begun === 0 ? '' : ` It had ${begun === 1 ? 'one repair' : `${begun} repairs`}.`
  const why = repairs > begun ? whyNoRepair(left) : ''
  const refused = { reason, error: `${found}${after}${why}` } as const
  return repairs > begun && why === ''
    ? { kind: 'repairs', repair: begun + 1, ...refused }
    : { kind: 'fails', ...refused }
}

/** A sentence about what was found. */
export const foundIn = ({ state, message, evidence }: Judged): string => {
  if (state === 'passed') return 'The validation passed.'
  if (state === 'not_verified')
    return `The validation could not tell whether the work passes. ${message ?? ''}`.trimEnd()
  const failed = evidence.checks.find(({ after }) => after !== null && after.exitCode !== 0)
  const what = failed
    ? `${commandOf(failed)} ended with exit code ${failed.after?.exitCode ?? 'unknown'}`
    : 'a command failed'
  return state === 'failed'
    ? `The validation failed: ${what}.`
    : `The validation failed: ${what}, as at the start of the task.`
}

/** Why no repair begins although the gate allows one; empty if one may. */
const whyNoRepair = ({ leftMs, leftUsd, canContinue }: Left): string => {
  if (!canContinue) return ' The CLI has not named its session, so no repair could continue it.'
  if (leftMs < REPAIR_LEAST_MS) return ' The time limit of the task leaves no time for a repair.'
  return leftUsd !== null && leftUsd <= 0 ? ` The budget of the task leaves ${usd(0)} for a repair.` : ''
}
