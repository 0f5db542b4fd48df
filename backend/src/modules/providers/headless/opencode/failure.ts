/** Why OpenCode failed, by its `error` events and by its log on standard error. */
import type { Failure } from '../headless.ts'
import { bounded, type Fields, fieldsIn, textIn } from '../parts/json.ts'
import { endOfWait, refusalIn, TOO_MANY_REQUESTS, UNAUTHORIZED, waitIn } from '../parts/waits.ts'

const PAYMENT_REQUIRED = 402
/** Refusals after which OpenCode asks again: a conflict, a time that is over, and the server's own failures. */
const isRetried = (status: number): boolean =>
  status === 408 || status === 409 || status === TOO_MANY_REQUESTS || status >= 500

/** No model provider has a key, or a provider refuses its key. */
const NO_PROVIDER = /\bno (?:providers?|models?) (?:are |were )?(?:found|available|configured)\b|NoProvidersError/i
const NOT_SIGNED_IN = /\bAPI key (?:is )?(?:not valid|invalid|missing|expired)\b|\binvalid (?:x-)?api[- ]key\b/i
const USAGE_LIMIT = /\busage limit\b|\bexceeded your (?:current )?quota\b|\binsufficient_quota\b|\bcredit balance\b/i
/** A server that wants a longer wait means a limit of the account, not a busy minute. */
const LIMIT_WAIT_MS = 300_000

/** How much of a text is searched, in UTF-16 code units. It keeps the time short for hostile text. */
const SEARCHED_MAX = 4_096

/** The beginning of a line of the log at the level ERROR, in the forms of several versions. */
const LOG = /^ERROR\b|\blevel=ERROR\b/i
const MODEL_CALL = /\bservice=llm\b|\bAI_[A-Za-z]{1,40}Error\b|\bstream error\b/
/** Fields of the JSON in a line of the log, which may stand in a JSON text themselves. */
const LOGGED_STATUS = /statusCode\W{1,6}(?<status>\d{3})\b/
const LOGGED_WAIT = /retry-after\W{1,6}(?<seconds>\d{1,9})\b/i
/** The error of a line that tells no status, such as `error.error="AI_APICallError: This key is not valid"`. */
const LOGGED_ERROR = /\berror\.error="AI_[A-Za-z]{1,40}: (?<message>(?:[^"\\]|\\.){1,500})/
/** Lines that say nothing new: the failure that an `error` event tells, too, and a request for a title. */
const REPEATED = /\bmessage=process\b|\bsmall=true\b/

/** The last line that OpenCode prints if it has nothing of the session that it is to continue. */
const SESSION_LOST = /^Error: Session not found$/

/** The failure of a line that is none of the log; null for any other line. The line has no escape sequences. */
export const lostIn = (line: string): Failure | null =>
  SESSION_LOST.test(line)
    ? { reason: 'session_lost', message: 'Session not found', status: null, resetsAt: null }
    : null

/** The error of an `error` event. Null: the user interrupted OpenCode. */
export const failureOf = (error: Fields, now: number): Failure | null => {
  const name = textIn(error.name) ?? ''
  if (name === 'MessageAbortedError') return null
  const data = fieldsIn(error.data)
  const message = bounded(textIn(data.message) ?? textIn(error.message) ?? (name || 'OpenCode has named no reason.'))
  const status = refusalIn(data.statusCode)
  const searched = `${message.slice(0, SEARCHED_MAX)}\n${(textIn(data.responseBody) ?? '').slice(0, SEARCHED_MAX)}`
  const failure = { message, status, resetsAt: null }
  if (status === UNAUTHORIZED || name === 'ProviderAuthError') return { ...failure, reason: 'not_signed_in' }
  if (status === TOO_MANY_REQUESTS || status === PAYMENT_REQUIRED || USAGE_LIMIT.test(searched)) {
    const wait = waitOf(fieldsIn(data.responseHeaders), now) ?? waitIn(searched)
    return { ...failure, reason: 'usage_limit', resetsAt: endOfWait(wait, now) }
  }
  const isSignedOut = NO_PROVIDER.test(searched) || NOT_SIGNED_IN.test(searched)
  return { ...failure, reason: isSignedOut ? 'not_signed_in' : 'cli_error' }
}

/** What a line of the log says about a request to a model. */
export interface Logged {
  /** The refusal's status; null if there was no answer, or none that is known. */
  readonly status: number | null
  /** The error, in a line that tells no status. */
  readonly message: string | null
  /** Whether OpenCode asks again. With a message this is not known, and false. */
  readonly isRetried: boolean
  /** A reason that will last if OpenCode does not get on. */
  readonly failure: Failure | null
}

/** Reads a line of the log; null if it says nothing of a model. A line may hold a whole conversation. */
export const loggedIn = (line: string, now: number): Logged | null => {
  const head = line.slice(0, SEARCHED_MAX)
  if (!LOG.test(head)) return null
  if (NO_PROVIDER.test(head)) {
    const failure: Failure = {
      reason: 'not_signed_in',
      message: 'No model provider is configured.',
      status: null,
      resetsAt: null,
    }
    return { status: null, message: null, isRetried: false, failure }
  }
  if (!MODEL_CALL.test(head) || REPEATED.test(head)) return null
  const status = refusalIn(Number(LOGGED_STATUS.exec(line)?.groups?.status))
  const message = LOGGED_ERROR.exec(head)?.groups?.message?.replaceAll(/\\(.)/g, '$1')
  if (status === null && message !== undefined)
    return { status, message, isRetried: false, failure: limitOf(message, now) }
  const failure = limitIn(line, status, now)
  return { status, message: null, isRetried: status === null || isRetried(status), failure }
}

/** The usage limit that a message tells; null if it tells none. */
const limitOf = (message: string, now: number): Failure | null =>
  USAGE_LIMIT.test(message)
    ? { reason: 'usage_limit', message, status: null, resetsAt: endOfWait(waitIn(message), now) }
    : null

const limitIn = (line: string, status: number | null, now: number): Failure | null => {
  if (status !== TOO_MANY_REQUESTS && status !== PAYMENT_REQUIRED) return null
  const seconds = LOGGED_WAIT.exec(line)?.groups?.seconds
  const wait = seconds === undefined ? null : Number(seconds) * 1_000
  if ((wait ?? 0) < LIMIT_WAIT_MS && !USAGE_LIMIT.test(line)) return null
  const message = `The model server answered with status ${status}.`
  return { reason: 'usage_limit', message, status, resetsAt: endOfWait(wait, now) }
}

/** The wait of the header `retry-after`, which holds seconds or a date. */
const waitOf = (headers: Fields, now: number): number | null => {
  const value = textIn(headers['retry-after'])?.slice(0, SEARCHED_MAX) ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : date - now
}
