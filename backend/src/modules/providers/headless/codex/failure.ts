/** Why a turn of Codex failed. Codex tells it in one sentence, without a code. */
import type { Failure } from '../headless.ts'
import { bounded } from '../parts/json.ts'
import { resetTimeIn } from '../parts/reset-time.ts'
import { UNAUTHORIZED } from '../parts/waits.ts'

/** "unexpected status 401 Unauthorized: ...", "exceeded retry limit, last status: 429 Too Many Requests" */
const STATUS = /\bstatus:? (?<status>[1-5]\d\d)\b/
/** Without a key, with a variable that is missing, and with a sign-in that has expired. */
const NOT_SIGNED_IN = /\b401 Unauthorized\b|\bMissing environment variable\b|\bNot logged in\b|\bsign in again\b/i
const USAGE_LIMIT = /\busage limit\b|^Quota exceeded\b/i

/** What Codex's sentence means. */
export const failureOf = (sentence: string, now: number): Failure => {
  const message = bounded(sentence)
  const found = STATUS.exec(message)?.groups?.status
  const status = found === undefined ? null : Number(found)
  if (status === UNAUTHORIZED || NOT_SIGNED_IN.test(message))
    return { reason: 'not_signed_in', message, status, resetsAt: null }
  if (USAGE_LIMIT.test(message)) return { reason: 'usage_limit', message, status, resetsAt: resetTimeIn(message, now) }
  return { reason: 'cli_error', message, status, resetsAt: null }
}
