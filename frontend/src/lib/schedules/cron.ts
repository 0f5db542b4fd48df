/** What a cron expression says, in words. The server alone decides which expressions are valid. */

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const short = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3).toLowerCase())

/** The lowest and the highest value of a field, and the names of its values from `first` on. */
interface Range {
  readonly low: number
  readonly high: number
  readonly names?: readonly string[]
}
const RANGES = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: ['', ...short(MONTHS)] },
  { low: 0, high: 7, names: short(DAYS) },
] as const satisfies readonly Range[]

/** More times than this in a day are not listed one by one. */
const LISTED_TIMES = 4
const MINUTES_PER_HOUR = 60
const HOURS_PER_DAY = 24
const WEEKDAYS = [1, 2, 3, 4, 5]
const WEEKEND = [0, 6]

/** The values of a field in their order; null for every value, as with `*`. */
type Values = readonly number[] | null

/** The expression as a sentence without a full stop; null for forms that it has no words for. */
export function cronWords(cron: string): string | null {
  const parts = cron.trim().split(/\s+/)
  if (parts.length !== RANGES.length) return null
  const fields = RANGES.map((range, index) => valuesOf(parts[index] ?? '', range))
  if (fields.includes(undefined)) return null
  const [minutes = null, hours = null, monthDays = null, months = null, weekdays = null] = fields
  const days = dayWords(monthDays, months, weekdays && sundayFirst(weekdays))
  if (days === null) return null
  const often = oftenWords(minutes, hours)
  if (often !== null) return days === '' ? often : `${often}, ${days}`
  const times = timeWords(minutes, hours)
  return times && capital(`${days === '' ? 'every day' : days} at ${times}`)
}

/** Undefined for a field that is not understood. */
function valuesOf(text: string, range: Range): Values | undefined {
  if (text === '*') return null
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const match = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(part)
    if (match === null) return undefined
    const [, all, from = '', to, every] = match
    // A step from one value on, such as 5/15, has no words.
    if (all === undefined && to === undefined && every !== undefined) return undefined
    const step = Number(every ?? 1)
    const low = all === undefined ? numberOf(from, range) : range.low
    const high = all === undefined ? numberOf(to ?? from, range) : range.high
    if (low === null || high === null || low > high || step === 0) return undefined
    for (let value = low; value <= high; value += step) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

function numberOf(text: string, { low, high, names }: Range): number | null {
  const value = /^\d+$/.test(text) ? Number(text) : (names?.indexOf(text.toLowerCase()) ?? -1)
  return value >= low && value <= high ? value : null
}

/** Sunday is 0 and 7. */
const sundayFirst = (days: readonly number[]): readonly number[] =>
  [...new Set(days.map((day) => day % DAYS.length))].sort((a, b) => a - b)

/** Empty for every day, null for days without words. With both kinds of days either is enough, which is rare. */
function dayWords(monthDays: Values, months: Values, weekdays: Values): string | null {
  if (weekdays !== null) return monthDays === null && months === null ? weekdayWords(weekdays) : null
  if (monthDays === null) return months === null ? '' : null
  const days = listed(monthDays.map(ordinal))
  if (monthDays.length > LISTED_TIMES) return null
  if (months === null) return `on the ${days} of each month`
  return months.length > LISTED_TIMES
    ? null
    : `on the ${days} of ${listed(months.map((month) => MONTHS[month - 1] ?? ''))}`
}

function weekdayWords(days: readonly number[]): string {
  if (days.length === DAYS.length) return ''
  if (isSame(days, WEEKDAYS)) return 'Monday to Friday'
  if (isSame(days, WEEKEND)) return 'Saturday and Sunday'
  // The week begins with Monday in words.
  const ordered = [...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
  return `every ${listed(ordered.map((day) => DAYS[day] ?? ''))}`
}

/** Several times in an hour, or in equal steps over the day. */
function oftenWords(minutes: Values, hours: Values): string | null {
  if (minutes === null) return null
  const [minute = 0] = minutes
  const between = hours === null ? '' : rangeWords(hours, minutes.at(-1) ?? 0)
  const step = stepOf(minutes, MINUTES_PER_HOUR)
  if (step !== null && between !== null) return `Every ${step} minutes${between}`
  if (minutes.length > 1) return null
  const past = minute === 0 ? '' : ` at ${minute} minutes past`
  if (between !== null) return `Every hour${past}${between}`
  const hourStep = hours === null ? null : stepOf(hours, HOURS_PER_DAY)
  return hourStep === null || hourStep * LISTED_TIMES >= HOURS_PER_DAY ? null : `Every ${hourStep} hours${past}`
}

/** The first and the last time of hours without a gap; null for hours with gaps, or only a few of them. */
function rangeWords(hours: readonly number[], lastMinute: number): string | null {
  const [first = 0] = hours
  const last = hours.at(-1) ?? 0
  if (hours.length < 3 || last - first !== hours.length - 1) return null
  return ` from ${clock(first, 0)} to ${clock(last, lastMinute)}`
}

/** The step of values that divide the whole evenly, beginning at 0. */
function stepOf(values: readonly number[], whole: number): number | null {
  const step = values[1] ?? 0
  const isEven =
    values[0] === 0 && step * values.length === whole && values.every((value, index) => value === index * step)
  return isEven ? step : null
}

function timeWords(minutes: Values, hours: Values): string | null {
  if (minutes === null || hours === null || minutes.length * hours.length > LISTED_TIMES) return null
  return listed(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))
}

const clock = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinal = (day: number): string => `${day}${ENDINGS[ORDINALS.select(day)] ?? 'th'}`

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })
const listed = (words: readonly string[]): string => LIST.format(words)
const isSame = (one: readonly number[], other: readonly number[]): boolean => one.join() === other.join()
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
