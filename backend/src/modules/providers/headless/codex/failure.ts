/** Why a turn of Codex failed. `codex exec` tells it in one sentence, without a code. */
import type { Failure } from '../headless.ts'
import { bounded } from '../parts/json.ts'
import { resetTimeIn } from '../parts/reset-time.ts'
import { UNAUTHORIZED } from '../parts/waits.ts'

/** "unexpected status 401 Unauthorized: ...", "exceeded retry limit, last status: 429 Too Many Requests" */
const STATUS = /\bstatus:? (?<status>[1-5]\d\d)\b/
/** Without a key, with a variable that is missing, and with a sign-in that has expired. */
const NOT_SIGNED_IN = /\b401 Unauthorized\b|\bMissing environment variable\b|\bNot logged in\b|\bsign in again\b/i
const USAGE_LIMIT = /\busage limit\b|^Quota exceeded\b/i

/** What Codex says if it has no file of the thread that it is to continue. */
const SESSION_LOST = /\bno rollout found\b/

/** The first word of the line on standard error with which Codex gives up before it has a thread. */
export const FATAL = /^error: /i

/** What `codex app-server` says besides the sentence. */
export interface Told {
  /** The model server's HTTP status, or null. */
  readonly status: number | null
  /** Codex's own name of the failure, or null. */
  readonly code: string | null
}

/** What Codex's sentence means. */
export const failureOf = (sentence: string, now: number, { status: told, code }: Partial<Told> = {}): Failure => {
  const message = bounded(sentence)
  const found = STATUS.exec(message)?.groups?.status
  const status = told ?? (found === undefined ? null : Number(found))
  if (status === UNAUTHORIZED || code === 'unauthorized' || NOT_SIGNED_IN.test(message))
    return { reason: 'not_signed_in', message, status, resetsAt: null }
  if (code === 'usageLimitExceeded' || USAGE_LIMIT.test(message))
    return { reason: 'usage_limit', message, status, resetsAt: resetTimeIn(message, now) }
  return { reason: SESSION_LOST.test(message) ? 'session_lost' : 'cli_error', message, status, resetsAt: null }
}
