/** How long a model server asks to wait, and the status of its answer. */
import { LIMIT_MAX_MS, spanIn } from './spans.ts'

export const UNAUTHORIZED = 401
export const TOO_MANY_REQUESTS = 429

/** "retry in 3h2m", "reset after 18h53m42s", and the field `"retryDelay": "34s"` */
const WAIT =
  /(?:\b(?:retry|try again|resets?) (?:in|after) |retryDelay\W{1,8})(?<span>(?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|[smhd]) ?){1,6})/i

/** The wait that a text names in short units, in milliseconds; null if it names none. */
export const waitIn = (text: string): number | null => {
  const span = WAIT.exec(text)?.groups?.span
  return span === undefined ? null : spanIn(span)
}

/** The end of a wait, in milliseconds since 1970; null without a wait, and for one that cannot be meant. */
export const endOfWait = (wait: number | null, now: number): number | null =>
  wait === null || wait < 0 || wait > LIMIT_MAX_MS ? null : now + Math.ceil(wait)

/** The status of an HTTP answer that refuses; null for anything else. */
export const refusalIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599 ? value : null
