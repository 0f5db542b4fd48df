/** When a usage limit ends, as Codex and Copilot say it in a sentence. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/time/clock.ts'
import { LIMIT_MAX_MS, spanIn } from './spans.ts'

/** How far a time of day may be in the past before it means the next day. The sentence may be old when it is read. */
const LATE_MS = 10 * MINUTE_MS

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** "try again in 3 days 6 hours 57 minutes", "retry after 2733 seconds" */
const AFTER = /\b(?:again in|retry after) (?<span>(?:\d{1,6} (?:day|hour|minute|second)s?\b[ ,]*(?:and )?)+)/i
/** "try again at 3:04 PM", "try again at Nov 26th, 2026 3:04 PM" */
const AT =
  /\bagain at (?:(?<month>[A-Z][a-z]{2}) (?<day>\d{1,2})(?:st|nd|rd|th), (?<year>\d{4}) )?(?<hour>1[0-2]|0?[1-9]):(?<minute>[0-5]\d) (?<half>[AP])M\b/

/** CLIs print their container's local time, which is UTC unless the agent's variables change it. */
const atClock = (groups: Readonly<Record<string, string | undefined>>, now: number): number | null => {
  const { month, day, year, hour, minute, half } = groups
  const ofDay = ((Number(hour) % 12) + (half === 'P' ? 12 : 0)) * HOUR_MS + Number(minute) * MINUTE_MS
  if (month === undefined) {
    const today = Math.floor(now / DAY_MS) * DAY_MS + ofDay
    return today < now - LATE_MS ? today + DAY_MS : today
  }
  const index = MONTHS.indexOf(month)
  return index === -1 ? null : Date.UTC(Number(year), index, Number(day)) + ofDay
}

/**
 * The time that a sentence names, in milliseconds since 1970, or null. The CLIs cut off the seconds, so it is the end
 * of the minute: a run that resumes too early wastes its one attempt.
 */
export const resetTimeIn = (sentence: string, now: number): number | null => {
  const at = namedTime(sentence, now)
  if (at === null || at < now - DAY_MS || at > now + LIMIT_MAX_MS) return null
  return at + MINUTE_MS
}

const namedTime = (sentence: string, now: number): number | null => {
  const span = AFTER.exec(sentence)?.groups?.span
  if (span !== undefined) return now + spanIn(span)
  const groups = AT.exec(sentence)?.groups
  return groups === undefined ? null : atClock(groups, now)
}
