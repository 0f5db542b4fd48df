/** Why a turn of Copilot failed: an event says it, or the answer itself does. */
import type { Failure } from '../headless.ts'
import { bounded, fieldsIn, textIn, type Fields } from '../parts/json.ts'
import { resetTimeIn } from '../parts/reset-time.ts'
import { LIMIT_MAX_MS } from '../parts/spans.ts'
import { refusalIn, UNAUTHORIZED } from '../parts/waits.ts'

const NOT_SIGNED_IN = /^(?:Authentication failed|Authentication required|No authentication information found)/
/** "Authentication failed with provider at ... (HTTP 401).", "... retried 5 times ... Last error: 500 ...", "429 ..." */
const STATUS = /\(HTTP (?<http>[1-5]\d\d)\)|\bLast error: (?<last>[1-5]\d\d)\b|^(?<first>[45]\d\d) /
const TOO_MANY = 429
/** The kinds of an error that a wait resolves. */
const LIMITS: ReadonlySet<string> = new Set(['quota', 'rate_limit'])
/** The two answers that Copilot writes in place of its model, exactly: an answer of a model may begin with "Error:". */
const FAILED_ANSWER =
  /^Error: (?=Authentication failed with provider at |Failed to get response from the AI model; retried \d+ times )/
/** What the server of the model refused, in one piece. Copilot passes it on over ACP, in a turn that ends well. */
const REFUSED_ANSWER = /^Error: (?=[45]\d\d \S)/

/** What Copilot says without its protocol and over it, if it has no files of the session that it is to continue. */
const SESSION_LOST = /^(?:No session, task, or name matched '|Resource not found: Session \S{1,200} not found$)/

/** What a sentence means. `data` has the fields of a `session.error`. */
export const failureOf = (sentence: string, now: number, data: Fields = {}): Failure => {
  const message = bounded(sentence)
  const found = STATUS.exec(message)?.groups
  const printed = found?.http ?? found?.last ?? found?.first
  const status = refusalIn(data.statusCode) ?? (printed === undefined ? null : Number(printed))
  const kind = textIn(data.errorType) ?? ''
  if (kind === 'authentication' || status === UNAUTHORIZED || NOT_SIGNED_IN.test(message))
    return { reason: 'not_signed_in', message, status, resetsAt: null }
  if (LIMITS.has(kind)) return { reason: 'usage_limit', message, status, resetsAt: resetTimeIn(message, now) }
  const resetsAt = status === TOO_MANY ? resetTimeIn(message, now) : null
  if (resetsAt !== null) return { reason: 'usage_limit', message, status, resetsAt }
  return { reason: SESSION_LOST.test(message) ? 'session_lost' : 'cli_error', message, status, resetsAt }
}

/** The failure that an answer is; null for a real answer. */
export const failureInAnswer = (answer: string, now: number): Failure | null =>
  FAILED_ANSWER.test(answer) ? failureOf(answer.replace(FAILED_ANSWER, ''), now) : null

/** The refusal that an answer over ACP is; null for any other one. */
export const refusalInAnswer = (answer: string, now: number): Failure | null =>
  REFUSED_ANSWER.test(answer) ? failureOf(answer.replace(REFUSED_ANSWER, ''), now) : null

/** The latest reset of the quotas that are used up, in milliseconds since 1970; null if none is. */
export const quotaResetIn = (snapshots: unknown, now: number): number | null => {
  const resets = Object.values(fieldsIn(snapshots))
    .map(fieldsIn)
    .filter(({ remainingPercentage }) => remainingPercentage === 0)
    .map(({ resetDate }) => Date.parse(textIn(resetDate) ?? ''))
    .filter((at) => at > now && at < now + LIMIT_MAX_MS)
  return resets.reduce<number | null>((latest, at) => Math.max(latest ?? at, at), null)
}
