/** Why Gemini CLI failed, by its result and by its lines on standard error. */
import type { Failure } from '../headless.ts'
import { bounded, type Fields, fieldsIn, objectOf, textIn } from '../parts/json.ts'
import { endOfWait, refusalIn, TOO_MANY_REQUESTS, UNAUTHORIZED, waitIn } from '../parts/waits.ts'

/** How much of a message is searched, in UTF-16 code units. It keeps the time short for hostile text. */
const SEARCHED_MAX = 4_096
/** Gemini wraps the server's JSON in its own, as text. */
const NESTED_MAX = 4

/** Without a key, with a wrong one, and with one that Google has blocked. */
const NOT_SIGNED_IN = /\bAPI[ _]key\b|\bGEMINI_API_KEY\b|\bset an Auth method\b|\bnot authenticated\b/i
const USAGE_LIMIT =
  /\bexceeded your current quota\b|\b(?:exhausted|reached) your (?:daily|capacity)\b|\bquota will reset\b|\bquota exceeded\b/i
/** What Gemini says, on standard error or as its refusal to load, if it has no file of the session that it is to continue. */
const SESSION_LOST =
  /^(?:Error resuming session: )?(?:Invalid session identifier "|No previous sessions found for this project\b)/
const MAX_TURNS = /\bmax(?:imum)? session turns\b/i
const CANCELLED = /^(?:FatalCancellationError|Operation cancelled\.?)$/

/** What formatted errors have in place of a number. */
const STATUS_NAME = /\(Status: (?<name>[A-Z_]{1,40})\)/
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['UNAUTHENTICATED', UNAUTHORIZED],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['RESOURCE_EXHAUSTED', TOO_MANY_REQUESTS],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
])
const STATUS_NUMBER = /\bstatus:? (?<number>[45]\d\d)\b/i

/** What standard error quotes of a server's refusal. */
const QUOTED_LIMIT = /You exceeded your current quota[^"\\\n]{0,400}/i

/** What the message of an error means. `pending` is what standard error said before. */
export const failureOf = (text: string, pending: Failure | null, now: number): Failure => {
  const error = serverErrorIn(text)
  const message = bounded(error.message)
  const searched = text.slice(0, SEARCHED_MAX)
  const status = error.status ?? statusIn(searched)
  if (SESSION_LOST.test(searched)) return { reason: 'session_lost', message, status: null, resetsAt: null }
  if (MAX_TURNS.test(searched)) return { reason: 'max_turns', message, status, resetsAt: null }
  if (status === UNAUTHORIZED) return { reason: 'not_signed_in', message, status, resetsAt: null }
  const limit = pending?.reason === 'usage_limit' ? pending : null
  if (status === TOO_MANY_REQUESTS || USAGE_LIMIT.test(searched) || (status === null && limit !== null)) {
    const resetsAt = endOfWait(waitIn(searched), now) ?? limit?.resetsAt ?? null
    return { reason: 'usage_limit', message, status: status ?? limit?.status ?? null, resetsAt }
  }
  // Sentences about a limit recommend another API key, so this comes after them.
  return { reason: NOT_SIGNED_IN.test(searched) ? 'not_signed_in' : 'cli_error', message, status, resetsAt: null }
}

/** Whether the error of a result says that Gemini was interrupted. */
export const isCancelled = (error: Fields): boolean =>
  [error.type, error.message].some((value) => CANCELLED.test(textIn(value) ?? ''))

/** The failure that a line of standard error names; `before` if it names none. The wait may be on a later line. */
export const failureInErrorLine = (line: string, before: Failure | null, now: number): Failure | null => {
  if (SESSION_LOST.test(line)) return { reason: 'session_lost', message: line, status: null, resetsAt: null }
  if (MAX_TURNS.test(line)) return { reason: 'max_turns', message: line, status: null, resetsAt: null }
  if (/\bset an Auth method\b|\bmust specify the GEMINI_API_KEY\b/i.test(line))
    return { reason: 'not_signed_in', message: line, status: null, resetsAt: null }
  const resetsAt = endOfWait(waitIn(line), now)
  if (USAGE_LIMIT.test(line)) {
    const message = (QUOTED_LIMIT.exec(line)?.[0] ?? line).trim()
    return { reason: 'usage_limit', message, status: statusIn(line), resetsAt }
  }
  return before?.reason === 'usage_limit' && resetsAt !== null ? { ...before, resetsAt } : before
}

/** The server's message and status, out of the JSON in a text; the text itself if there is none. */
const serverErrorIn = (text: string): { readonly message: string; readonly status: number | null } => {
  let [message, status]: [string, number | null] = [text, null]
  for (let depth = 0; depth < NESTED_MAX; depth += 1) {
    const [start, end] = [message.indexOf('{'), message.lastIndexOf('}')]
    const error = fieldsIn(start === -1 ? null : objectOf(message.slice(start, end + 1))?.error)
    status = refusalIn(error.code) ?? status
    const inner = textIn(error.message)
    if (inner === null) break
    message = inner
  }
  return { message, status }
}

const statusIn = (text: string): number | null => {
  const name = STATUS_NAME.exec(text)?.groups?.name
  const number = STATUS_NUMBER.exec(text)?.groups?.number
  return STATUSES.get(name ?? '') ?? (number === undefined ? null : Number(number))
}
