/**
 * The times of a schedule. A time in the hour that a clock change skips comes an hour later. Of a doubled hour, the first
 * one counts; with `*` as the hour, both do.
 */
import { SCHEDULE_EVERY_MINUTES, SCHEDULE_TIMES } from '@slipway/protocol'
import { type CronExpression, CronExpressionParser } from 'cron-parser'
import { DAY_MS } from '../../../lib/clock.ts'
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
/** The library's random value. Each look at the schedule would choose another one. */
const RANDOM = /(?:^|[\s,])H/i

/** The next {@link SCHEDULE_TIMES} times after one in milliseconds since 1970. Throws `VALIDATION`. */
export const timesAfter = (times: Times, after: number): Date[] => {
  const expression = parsed(times, after)
  requireRare(expression)
  return take(expression)
}

/** Its times around now, in milliseconds since 1970. `from` is a time of it that has come. Throws `VALIDATION`. */
export const advance = (times: Times, from: Date, now: number): Advance => {
  // Not from now: within a doubled hour, the library would begin anew.
  const expression = parsed(times, Math.max(from.getTime(), now - GONE_THROUGH_MS))
  let last = from
  for (;;) {
    const time = nextOf(expression)
    if (time.getTime() > now) return { last, next: [time, ...take(expression, SCHEDULE_TIMES - 1)] }
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
  if (RANDOM.test(cron)) throw wrong('cron', 'must not contain H')
  return explained(() => CronExpressionParser.parse(fields.join(' '), { currentDate: new Date(after), tz: timezone }))
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

const nextOf = (expression: CronExpression): Date => explained(() => expression.next().toDate())

const take = (expression: CronExpression, count = SCHEDULE_TIMES): Date[] =>
  Array.from({ length: count }, () => nextOf(expression))

/** The library throws plain errors, with messages about what is wrong. */
const explained = <T>(call: () => T): T => {
  try {
    return call()
  } catch (error) {
    throw wrong('cron', error instanceof Error ? error.message : 'cannot be read')
  }
}

const wrong = (field: string, message: string): AppError => new AppError('VALIDATION', `body.${field}: ${message}`)
