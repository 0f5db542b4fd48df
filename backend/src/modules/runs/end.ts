/** How a run ends: its state, one reason, and a sentence for users. */
import type { RunReason, RunState } from '@slipway/protocol'
import type { ProgramExit } from '../../runtime/program.ts'
import type { Failure, Verdict } from '../providers/headless/headless.ts'
import { usd } from './ledger/usd.ts'
import type { Ending } from '../sessions/ending.ts'

/** The end of a run, as it is stored. */
export interface RunEnd {
  readonly state: Extract<RunState, 'completed' | 'failed' | 'terminated'>
  readonly reason: RunReason
  /** A sentence for users; null if the run completed. */
  readonly error: string | null
  readonly exitCode: number | null
}

/** Why the program is over. */
export type Outcome =
  /** It ended by itself. */
  | { readonly kind: 'exited'; readonly exit: ProgramExit }
  /** It printed its last answer and did not exit, so it was ended. */
  | { readonly kind: 'finished_without_exit' }
  /** Its time was over. */
  | { readonly kind: 'timed_out'; readonly seconds: number }
  /** It said nothing from its start on. */
  | { readonly kind: 'no_first_event'; readonly seconds: number }
  /** It was silent, and its processes used no CPU. */
  | { readonly kind: 'stalled'; readonly seconds: number }
  /** It used up its own budget. Amounts are in US dollars. */
  | { readonly kind: 'max_budget'; readonly costUsd: number; readonly limitUsd: number }
  /** It began more turns than it may. */
  | { readonly kind: 'max_turns'; readonly turns: number }
  /** A budget of its user or of the platform is used up. */
  | { readonly kind: 'budget_exhausted'; readonly message: string }
  /** A user ended it. */
  | { readonly kind: 'terminated'; readonly by: string }
  /** A right or its container was lost. */
  | { readonly kind: 'ended'; readonly ending: Ending }

/** The names that its sentences use. */
export interface Names {
  /** The label of the provider. */
  readonly provider: string
  readonly agent: string
}

/**
 * Exit codes in a folder that no user has trusted: of Gemini, and of the image's `start-cli.sh` for CLIs without such a
 * question.
 */
const NOT_TRUSTED: ReadonlySet<number | null> = new Set([55, 77])
/** A shell's exit code for a missing program. */
const NOT_FOUND = 127

/** The end of a run with this outcome, whose output says so much. */
export const endOf = (outcome: Outcome, verdict: Verdict, names: Names): RunEnd => {
  const { provider } = names
  switch (outcome.kind) {
    case 'exited':
      return endOfExit(outcome.exit, verdict, names)
    case 'finished_without_exit':
      if (verdict.failure) return failed(verdict.failure.reason, sentenceOf(verdict.failure, provider))
      return { state: 'completed', reason: 'finished_without_exit', error: null, exitCode: null }
    case 'timed_out':
      return failed('timed_out', `The run took longer than ${outcome.seconds} seconds, so it was ended.`)
    case 'no_first_event':
      return failed('no_first_event', `${provider} printed nothing for ${outcome.seconds} seconds, so it was ended.`)
    case 'stalled': {
      const message = `${provider} printed nothing and used no CPU for ${outcome.seconds} seconds, so it was ended.`
      return failed('stalled', message)
    }
    case 'max_budget':
      return failed('max_budget', overText(outcome.costUsd, outcome.limitUsd))
    case 'max_turns':
      return failed('max_turns', `The run reached its highest number of turns, ${outcome.turns}, so it was ended.`)
    case 'budget_exhausted':
      return failed('budget_exhausted', outcome.message)
    case 'terminated':
      return terminatedBy(outcome.by)
    case 'ended':
      return endOfEnding(outcome.ending)
  }
}

/** The end of a run that a user ended before any backend held its program. */
export const terminatedBy = (by: string): RunEnd => ({
  state: 'terminated',
  reason: 'terminated',
  error: `${by} ended the run.`,
  exitCode: null,
})

/** The end of a run that did its work for more than its own budget. Amounts are in US dollars. */
export const overBudget = ({ exitCode }: RunEnd, costUsd: number, limitUsd: number): RunEnd =>
  failed('max_budget', overText(costUsd, limitUsd), exitCode)

const overText = (costUsd: number, limitUsd: number): string =>
  `The run cost ${usd(costUsd)}, and its budget was ${usd(limitUsd)}.`
/** The end of a run in a deleted agent. */
export const AGENT_GONE: RunEnd = {
  state: 'terminated',
  reason: 'agent_deleted',
  error: 'The agent was deleted.',
  exitCode: null,
}

/** The end of a run that its user may not have any more. */
export const RIGHT_LOST: RunEnd = {
  state: 'terminated',
  reason: 'access_revoked',
  error: 'Its user lost the right to run tasks in this agent.',
  exitCode: null,
}

/** The end of a run that did not survive its server. */
export const LOST: RunEnd = {
  state: 'failed',
  reason: 'lost',
  error: 'The server was killed, and the run did not survive it.',
  exitCode: null,
}

/** The end of a run with a gate whose program is gone with the server that would have validated it. */
export const NOT_VALIDATED: RunEnd = {
  state: 'failed',
  reason: 'not_verified',
  error: 'The server was killed before the task could be validated.',
  exitCode: null,
}

/** The end of a run whose session the recovery has ended. */
export const endOfGone = (reason: string, agent: string): RunEnd => {
  switch (reason) {
    case 'container_stopped':
      return failed('container_stopped', stoppedText(agent))
    case 'access_revoked':
      return RIGHT_LOST
    default:
      return LOST
  }
}

const stoppedText = (agent: string): string => `Agent '${agent}' was stopped.`

const failed = (reason: RunReason, error: string, exitCode: number | null = null): RunEnd => ({
  state: 'failed',
  reason,
  error,
  exitCode,
})

const endOfExit = ({ cause, exitCode }: ProgramExit, verdict: Verdict, { provider, agent }: Names): RunEnd => {
  if (cause === 'out_of_memory')
    return failed('out_of_memory', `${provider} was ended because the agent ran out of memory.`, exitCode)
  if (cause === 'container_stopped') return failed('container_stopped', stoppedText(agent), exitCode)
  if (cause === 'engine_unavailable') return failed('lost', 'The container engine does not answer.', exitCode)
  if (verdict.failure) return failed(verdict.failure.reason, sentenceOf(verdict.failure, provider), exitCode)
  if (exitCode === NOT_FOUND && !verdict.hasWorked)
    return failed('failed_to_start', `${provider} is not in this agent's image.`, exitCode)
  if (NOT_TRUSTED.has(exitCode) && !verdict.hasWorked) {
    const message = `The folder of the task brings settings for ${provider} that no user has trusted. Start ${provider} there in a terminal and trust the folder, then try again.`
    return failed('failed_to_start', message, exitCode)
  }
  if (exitCode !== 0) return failed('exit_code', `${provider} ended with exit code ${exitCode ?? 'unknown'}.`, exitCode)
  if (!verdict.hasWorked)
    return failed('finished_without_work', `${provider} ended without doing or saying anything.`, exitCode)
  return { state: 'completed', reason: 'completed', error: null, exitCode }
}

const endOfEnding = ({ reason, message }: Ending): RunEnd => {
  switch (reason) {
    case 'access_revoked':
      return { state: 'terminated', reason: 'access_revoked', error: message, exitCode: null }
    case 'agent_deleted':
      return { state: 'terminated', reason: 'agent_deleted', error: message, exitCode: null }
    case 'container_stopped':
      return failed('container_stopped', message)
    case 'failed_to_start':
      return failed('failed_to_start', message)
    // A run that had a personal credential of its user ends when the agent is shared.
    case 'now_shared':
      return { state: 'terminated', reason: 'access_revoked', error: message, exitCode: null }
    default:
      return failed('lost', message)
  }
}

const sentenceOf = ({ reason, message, resetsAt }: Failure, provider: string): string => {
  switch (reason) {
    case 'not_signed_in':
      return `${provider} has no valid key or sign-in: ${message}`
    case 'usage_limit':
      return resetsAt === null
        ? `The account reached its usage limit: ${message}`
        : `The account reached its usage limit until ${new Date(resetsAt).toISOString()}: ${message}`
    case 'session_lost':
      return `${provider} does not have the session any more: ${message}`
    case 'max_turns':
      return `${provider} reached the highest number of turns: ${message}`
    case 'max_budget':
      return `${provider} reached the budget of the run: ${message}`
    case 'cli_error':
      return message
  }
}
