/** Decides what the results of a validation's checks mean. */
import type { ValidationCheck, CheckResult, ValidationReason, ValidationState } from '@slipway/protocol'

/** The verdict, with its reason if nothing is known. */
export interface Verdict {
  readonly state: Exclude<ValidationState, 'waiting' | 'running'>
  readonly reason: ValidationReason | null
}

/** What shells say of a program that they do not find: one that a dependency brings. */
const NOT_FOUND =
  /^(?:\S*\/)?(?:(?:ba|da)?sh|bun): (?:(?:line )?\d+: )?(?:command not found: \S+|\S+: (?:command )?not found)$/m
/** What the managers and Node say if a registry cannot be reached. */
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_PNPM_META_FETCH_FAIL|ERR_SOCKET_TIMEOUT)\b|\bETIMEDOUT\b.*\bregistry\b|Temporary failure in name resolution/
/** What a manager says of a project that wants another version of it, which Corepack would fetch. */
const OTHER_VERSION = /Corepack must currently be enabled|This project is configured to use \S+ /
/** The exit codes of a shell for a program that it does not find, or must not run. */
const NO_PROGRAM = [126, 127]

/** What is known of a check when it has ended. */
export type Ended = Pick<CheckResult, 'exitCode' | 'tests'> & {
  readonly kind: ValidationCheck['kind']
  readonly timedOut: boolean
  readonly outOfMemory: boolean
  /** Without control sequences. */
  readonly output: string
}

/** Why the end of a check says nothing about the project; null if it does. */
export const reasonOf = ({ kind, exitCode, tests, timedOut, outOfMemory, output }: Ended): ValidationReason | null => {
  if (timedOut) return 'timed_out'
  if (outOfMemory) return 'out_of_memory'
  if (kind !== 'build' && tests?.total === 0) return 'no_tests'
  if (exitCode === 0 || tests !== null) return null
  if (NO_NETWORK.test(output)) return 'no_network'
  if (OTHER_VERSION.test(output)) return 'manager_missing'
  const isMissing = (exitCode !== null && NO_PROGRAM.includes(exitCode)) || NOT_FOUND.test(output)
  return isMissing ? 'dependencies_missing' : null
}

/** Whether a check has failed, and its end says so of the project. */
export const hasFailed = (result: CheckResult | null): boolean =>
  result !== null && result.reason === null && result.exitCode !== 0

/** Whether it failed at the start, too, with no fewer tests than now. */
const failedBefore = ({ after, before }: ValidationCheck): boolean => {
  if (!hasFailed(before)) return false
  const [now, then] = [after?.tests ?? null, before?.tests ?? null]
  return now === null || then === null || now.failed <= then.failed
}

/**
 * Of checks that have ended. A failure counts more than what is not known, and all must have passed for `passed`. Where
 * packages have no tests, those of another one are enough.
 */
export const verdictOf = (checks: readonly ValidationCheck[]): Verdict => {
  const failed = checks.filter(({ after }) => hasFailed(after))
  if (failed.length > 0) return { state: failed.every(failedBefore) ? 'failing_before' : 'failed', reason: null }
  const hasTests = checks.some(({ kind, after }) => kind !== 'build' && after?.exitCode === 0 && after.reason === null)
  const unknown = checks.find(({ after }) => {
    const reason = after === null ? 'not_started' : after.reason
    return reason !== null && !(reason === 'no_tests' && after?.exitCode === 0 && hasTests)
  })
  if (unknown) return { state: 'not_verified', reason: unknown.after?.reason ?? 'not_started' }
  return checks.length === 0 ? { state: 'not_verified', reason: 'no_scripts' } : { state: 'passed', reason: null }
}

/** The reasons as sentences for users. */
export const REASONS: Readonly<Record<ValidationReason, string>> = {
  no_package: 'No folder from the folder of the task upwards has a package.json.',
  unreadable: 'A package.json cannot be read: it is no JSON object, no regular file, or larger than 1 MiB.',
  no_scripts: 'The project has neither a script named build nor one named test.',
  nothing_changed: 'The task changed no file in a package of this monorepo.',
  too_many_packages: 'The task changed more packages than one validation checks.',
  dependencies_missing: 'The dependencies of the project are not installed.',
  manager_missing:
    'The agent does not have the package manager of the project, or not in the version that it asks for.',
  no_network: 'A command needs the network, and the agent could not reach it.',
  no_tests: 'No test ran: the test runner found none.',
  watch_mode: 'A script waits for changes, so it would never end. Give a command that ends.',
  timed_out: 'The time of the validation was over before its commands had ended.',
  out_of_memory: "A command was ended because the agent's memory ran out.",
  agent_stopped: 'The agent is not running.',
  task_not_completed: 'The task did not complete, so nothing was run.',
  not_started: 'A command could not be started.',
  cancelled: 'A user ended the validation.',
  interrupted: 'The server was ended, or its database did not answer, while the validation ran.',
}
