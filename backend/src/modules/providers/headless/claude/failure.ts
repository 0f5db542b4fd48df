/** Why a turn of Claude failed. */
import type { Failure } from '../headless.ts'
import { bounded, countIn, type Fields, textIn } from '../parts/json.ts'
import { TOO_MANY_REQUESTS, UNAUTHORIZED } from '../parts/waits.ts'
import { resetIn, saysUsageLimit } from './limit.ts'

/** An error of the model server, which Claude reports before its result. */
export interface ServerError {
  /** Claude's own name for it, such as `authentication_failed`. */
  readonly kind: string | null
  readonly status: number | null
  /** The text in place of an answer. Null: Claude tries again. */
  readonly text: string | null
}

/** A limit of the account that is reached. */
export interface UsageLimit {
  /** In milliseconds since 1970; null if Claude does not tell. */
  readonly endsAt: number | null
}

/** What earlier lines say about a failure. */
export interface Before {
  readonly error: ServerError | null
  readonly limit: UsageLimit | null
  /** Claude's note that the turn was interrupted. */
  readonly interruption: string | null
}

/** Most messages of one failure. */
const ERRORS_MAX = 10
/** What Claude writes in place of an answer after SIGINT. */
const INTERRUPTION = /^\[Request interrupted by user/
/** What Claude says without a key, with a wrong one, and after its sign-in has expired. */
const SIGN_IN = /^not logged in\b|\bplease run \/login\b|^invalid api key\b/i

/** What Claude says if it has no file of the session that it is to continue. */
const SESSION_LOST = /^No conversation found with session ID\b/

/** Whether a text is Claude's note that the turn was interrupted. */
export const isInterruption = (text: string): boolean => INTERRUPTION.test(text)

/** An HTTP status; null for anything else. */
export const statusIn = (value: unknown): number | null => {
  const status = countIn(value)
  return status !== null && status >= 100 && status <= 599 ? status : null
}

/** The failure that a line `result` reports; null if the turn succeeded. `now` is in milliseconds since 1970. */
export const failureIn = (line: Fields, before: Before, now: number): Failure | null => {
  const text = textIn(line.result) ?? ''
  const interruption = interruptionIn(line, text, before)
  // The caller knows whether it has sent the signal. If it has not, the turn was no success.
  if (interruption !== null)
    return { reason: 'cli_error', message: bounded(interruption), status: null, resetsAt: null }
  const subtype = textIn(line.subtype)
  // An error of the model server has the subtype `success`.
  const isError = line.is_error === true || subtype?.startsWith('error') === true
  const isErrorText = text !== '' && text === before.error?.text
  if (!isError && !isErrorText) return null
  const message = bounded(text || errorsIn(line) || subtype || 'Claude has named no reason.')
  return { message, ...causeOf(line, message, before, now) }
}

const interruptionIn = (line: Fields, text: string, before: Before): string | null => {
  const isAborted = textIn(line.terminal_reason)?.startsWith('aborted') === true || isInterruption(text)
  return before.interruption ?? (isAborted ? text || 'Interrupted' : null)
}

const errorsIn = ({ errors }: Fields): string =>
  Array.isArray(errors)
    ? errors
        .slice(0, ERRORS_MAX)
        .flatMap((error) => textIn(error) ?? [])
        .join('\n')
    : ''

const causeOf = (line: Fields, message: string, { error, limit }: Before, now: number): Omit<Failure, 'message'> => {
  const status = statusIn(line.api_error_status) ?? error?.status ?? null
  const cause = { status, resetsAt: null }
  if (line.subtype === 'error_max_turns') return { ...cause, reason: 'max_turns' }
  if (line.subtype === 'error_max_budget_usd') return { ...cause, reason: 'max_budget' }
  if (saysUsageLimit(message) || (limit !== null && status === TOO_MANY_REQUESTS))
    return { ...cause, reason: 'usage_limit', resetsAt: limit?.endsAt ?? resetIn(message, now) }
  if (status === UNAUTHORIZED || error?.kind === 'authentication_failed' || SIGN_IN.test(message))
    return { ...cause, reason: 'not_signed_in' }
  return { ...cause, reason: SESSION_LOST.test(message) ? 'session_lost' : 'cli_error' }
}
