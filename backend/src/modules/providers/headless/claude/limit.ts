/** Recognises a usage limit of the account in Claude's messages, and when it ends. */
import { DAY_MS } from '../../../../lib/time/clock.ts'

/** How much of a message is searched, in UTF-16 code units. Claude's own sentences are shorter. */
const SEARCHED = 2000
/** A reset that is farther away is not believed: the longest limit is for a month. */
const RESET_MAX_MS = 35 * DAY_MS
/** A larger number is a time in milliseconds, not in seconds. */
const SECONDS_MAX = 99_999_999_999

/** What names a limit of the account. A rate limit alone is the model server's, and over within a minute. */
const LIMITS = [
  /\busage limits?\b.{0,30}\b(?:reached|exceeded)\b/i,
  /\b(?:\d{1,2}-hour|session|weekly|monthly|daily|opus|sonnet) limit reached\b/i,
  /\b(?:hit|reached) your\b(?:(?!\brate\b).){0,40}\blimits?\b/i,
  /\bout of extra usage\b/i,
  /\baccount['’]s rate limit\b/i,
]

/** `Claude AI usage limit reached|1764086400` */
const EPOCH = /\|(\d{10,13})\b/
/** `You will regain access on 2026-12-01 at 00:00 UTC` */
const DATE_TIME = /\bon (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC\b/
/** `Dec 1, ` */
const DAY = '([a-z]{3})[a-z]{0,6} (\\d{1,2})(?:,| at)? '
/** `resets 3pm`, `resets 1:30am (UTC)`, `reset at 9:30 AM`, `resets Dec 1, 2am (UTC)` */
const CLOCK = new RegExp(
  `\\bresets?(?: at)? (?:${DAY})?(\\d{1,2})(?::(\\d{2}))? ?([ap])m\\b(?: \\(([^)]{1,40})\\))?`,
  'i',
)
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** The only zone whose clock is read. A clock without a zone is the container's, which is in this one. */
const UTC = /^(?:Etc\/)?(?:UTC|GMT)$/i

/** Whether a message says that a limit of the account is reached. */
export const saysUsageLimit = (message: string): boolean => {
  const text = message.slice(0, SEARCHED)
  return LIMITS.some((limit) => limit.test(text))
}

/** When a message says that the limit ends, in milliseconds since 1970. Null: the message does not tell. */
export const resetIn = (message: string, now: number): number | null => {
  const text = message.slice(0, SEARCHED)
  const [, epoch] = EPOCH.exec(text) ?? []
  if (epoch !== undefined) return resetAt(Number(epoch), now)
  const [, date, time] = DATE_TIME.exec(text) ?? []
  if (date !== undefined && time !== undefined) return believed(Date.parse(`${date}T${time}:00Z`), now)
  const clock = CLOCK.exec(text)
  return clock === null ? null : believed(nextOf(clock, now), now)
}

/** A time that Claude prints as a number of seconds, or of milliseconds. Null: it cannot be meant. */
export const resetAt = (epoch: number, now: number): number | null =>
  believed(epoch > SECONDS_MAX ? epoch : epoch * 1000, now)

/** A time in the past is believed, because the limit may end before its line is read. */
const believed = (at: number, now: number): number | null =>
  at > 0 && at <= now + RESET_MAX_MS ? Math.round(at) : null

/** The next time at which a clock in UTC shows this; NaN if it never does. */
const nextOf = ([, month, day, hour, minute = '0', half = '', zone = 'UTC']: RegExpExecArray, now: number): number => {
  const hours = Number(hour)
  if (!UTC.test(zone) || hours < 1 || hours > 12 || Number(minute) > 59) return NaN
  const time = [(hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0), Number(minute)] as const
  const today = new Date(now)
  const year = today.getUTCFullYear()
  if (month === undefined) {
    const at = Date.UTC(year, today.getUTCMonth(), today.getUTCDate(), ...time)
    return at > now ? at : at + DAY_MS
  }
  const index = MONTHS.indexOf(month.toLowerCase())
  const at = Date.UTC(year, index, Number(day), ...time)
  if (new Date(at).getUTCMonth() !== index) return NaN
  // In December, a day of January is one of the next year.
  return at > now - DAY_MS ? at : Date.UTC(year + 1, index, Number(day), ...time)
}
