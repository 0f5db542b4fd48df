/**
 * The times of a schedule. A time in the hour that a clock change skips comes an hour later. Of a doubled hour, the first
 * one counts; with `*` as the hour, both do.
 */
import { SCHEDULE_EVERY_MINUTES, SCHEDULE_TIMES } from '@slipway/protocol'
import { CronDate, type CronExpression, CronExpressionParser } from 'cron-parser'
import { DAY_MS, HOUR_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'

/** When a schedule runs. */
export interface Times {
  readonly cron: string
  readonly timezone: string
}

/** What a look at a schedule finds whose time has come. */
export interface Advance {
  /** Its last time until now. */
  readonly last: Date
  /** Its next {@link SCHEDULE_TIMES} times. */
  readonly next: readonly Date[]
}

const FIELDS = 5
const MINUTES_PER_HOUR = 60
const HOURS_PER_DAY = 24
/** Times that are longer ago are not gone through one by one. */
const GONE_THROUGH_MS = DAY_MS
/** The only time zone whose clocks change by half an hour. There the library finds no end. */
const HALF_HOUR = 'Australia/Lord_Howe'
/** No letter of the library's own, such as its random H, which each look at the schedule would choose anew. */
const FIELD = /^(?:[\d*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i
/** The longest time without a 29 February, in days: 1896 to 1904, and 2096 to 2104. */
const LONGEST_GAP_DAYS = 8 * 366
/** The library looks at each day. Days without a time are left out if there are more of them, in milliseconds. */
const WALKED_MS = 60 * DAY_MS

/** The next {@link SCHEDULE_TIMES} times after one in milliseconds since 1970. Throws `VALIDATION`. */
export const timesAfter = (times: Times, after: number): Date[] => {
  const expression = parsed(times, after)
  requireRare(expression)
  return take(walk(expression, times, after))
}

/** Its times around now, in milliseconds since 1970. `from` is a time of it that has come. Throws `VALIDATION`. */
export const advance = (times: Times, from: Date, now: number): Advance => {
  // Not from now: within a doubled hour, the library would begin anew.
  const after = Math.max(from.getTime(), now - GONE_THROUGH_MS)
  const nextTime = walk(parsed(times, after), times, after)
  let last = from
  for (;;) {
    const time = nextTime()
    if (time.getTime() > now) return { last, next: [time, ...take(nextTime, SCHEDULE_TIMES - 1)] }
    last = time
  }
}

const parsed = ({ cron, timezone }: Times, after: number): CronExpression => {
  requireTimezone(timezone)
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== FIELDS)
    throw wrong(
      'cron',
      `must have ${FIELDS} fields: minute, hour, day of the month, month, day of the week. It has ${fields.length}`,
    )
  if (!fields.every((field) => FIELD.test(field)))
    throw wrong('cron', 'may only have numbers, names of months and days of the week such as MAR and THU, and * , - /')
  const options = { currentDate: new Date(after), tz: timezone }
  const expression = explained(() => CronExpressionParser.parse(fields.join(' '), options))
  if (dayFrom(expression, after) === null) throw wrong('cron', 'none of its months has this day of the month')
  return expression
}

/** The first day on which it can run, from a day on, as midnight in UTC; null if there is none in any year. */
const dayFrom = ({ fields }: CronExpression, from: number): number | null => {
  const { month, dayOfMonth, dayOfWeek } = fields
  const months = new Set(month.values.map(Number))
  const days = new Set(dayOfMonth.values.map(Number))
  const weekdays = new Set(dayOfWeek.values.map(Number))
  for (let day = 0; day <= LONGEST_GAP_DAYS; day += 1) {
    const date = new Date(from + day * DAY_MS)
    if (!months.has(date.getUTCMonth() + 1)) continue
    const isDay = !dayOfMonth.isWildcard && days.has(date.getUTCDate())
    const isWeekday = !dayOfWeek.isWildcard && weekdays.has(date.getUTCDay())
    const isAny = dayOfMonth.isWildcard && dayOfWeek.isWildcard
    if (isDay || isWeekday || isAny) return date.setUTCHours(0, 0, 0, 0)
  }
  return null
}

/** Answers the next time with each call. */
const walk = (expression: CronExpression, { timezone }: Times, after: number): (() => Date) => {
  const { hour, minute } = expression.fields
  const lastMinute = Number(hour.values.at(-1)) * MINUTES_PER_HOUR + Number(minute.values.at(-1))
  let at = new CronDate(new Date(after), timezone)
  return () => {
    const late = isAfterSkip(at, timezone) ? MINUTES_PER_HOUR : 0
    const isOver = at.getHours() * MINUTES_PER_HOUR + at.getMinutes() >= lastMinute + late
    const day = dayFrom(expression, Date.UTC(at.getFullYear(), at.getMonth(), at.getDate() + (isOver ? 1 : 0)))
    // A day begins at another time in each time zone, less than a day before or after UTC.
    if (day !== null && day - at.getTime() > WALKED_MS) expression.reset(new Date(day - DAY_MS))
    at = explained(() => expression.next())
    return at.toDate()
  }
}

/** Whether the clocks have skipped an hour within the last one. Times of that hour come now. */
const isAfterSkip = (at: CronDate, timezone: string): boolean => {
  const before = new CronDate(new Date(at.getTime() - HOUR_MS), timezone)
  return (at.getHours() - before.getHours() + HOURS_PER_DAY) % HOURS_PER_DAY > 1
}

const requireTimezone = (timezone: string): void => {
  let canonical: string
  try {
    canonical = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
  } catch {
    throw wrong('timezone', `'${timezone}' is not in the IANA time zone database`)
  }
  if (canonical === HALF_HOUR)
    throw wrong('timezone', `'${timezone}' is not supported, because its clocks change by half an hour`)
}

/** A day has the same times as every other day that it runs on, so minutes and hours decide it. */
const requireRare = ({ fields }: CronExpression): void => {
  const minutes = fields.minute.values.map(Number)
  const hours = fields.hour.values.map(Number)
  const gaps = minutes.slice(1).map((minute, at) => minute - (minutes[at] ?? 0))
  if (hours.some((hour) => hours.includes((hour + 1) % HOURS_PER_DAY)))
    gaps.push(MINUTES_PER_HOUR - (minutes.at(-1) ?? 0) + (minutes[0] ?? 0))
  if (Math.min(...gaps) < SCHEDULE_EVERY_MINUTES)
    throw wrong('cron', `a schedule may run every ${SCHEDULE_EVERY_MINUTES} minutes at most`)
}

const take = (nextTime: () => Date, count = SCHEDULE_TIMES): Date[] => Array.from({ length: count }, nextTime)

/** The library throws plain errors, with messages about what is wrong. */
const explained = <T>(call: () => T): T => {
  try {
    return call()
  } catch (error) {
    throw wrong('cron', error instanceof Error ? error.message : 'cannot be read')
  }
}

const wrong = (field: string, message: string): AppError => new AppError('VALIDATION', `body.${field}: ${message}`)
