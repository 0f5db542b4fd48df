/** Whether a run waits for the end of a usage limit, and how long. */
import { MINUTE_MS, DAY_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import type { Failure } from '../../providers/headless/headless.ts'

/** The longest limits of accounts are a week. A later time is nonsense, and the CLI is in the agent's hands. */
const LONGEST_MS = 8 * DAY_MS
/** Waiting runs of one account must not all continue in the same second. A tenth of the wait, at most this. */
const JITTER_MAX_MS = MINUTE_MS
/** The account's clock and this one differ. */
const AFTER_MS = SECOND_MS

/**
 * When a run continues after this failure, or null if it does not wait. Times are in milliseconds since 1970; `random` is
 * at least 0 and below 1.
 */
export const continuesAt = (failure: Failure | null, now: number, random = Math.random()): Date | null => {
  if (failure?.reason !== 'usage_limit' || failure.resetsAt === null) return null
  const wait = Math.max(0, failure.resetsAt - now)
  if (!(wait <= LONGEST_MS)) return null
  return new Date(now + wait + AFTER_MS + Math.floor(random * Math.min(JITTER_MAX_MS, wait / 10)))
}
