/** Times of schedules, in the schedule's own time zone. */

/** The reader's time zone. */
export const ownTimezone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** All names for the choice of a time zone, with the reader's own and UTC first. */
export const timezones = (): string[] => [
  ...new Set([ownTimezone(), 'UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== HALF_HOUR)]),
]
/** The server refuses it, because its clocks change by half an hour. */
const HALF_HOUR = 'Australia/Lord_Howe'

const PARTS = {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const satisfies Intl.DateTimeFormatOptions

/** A time in a time zone: "Fri, Nov 27, 02:30". The year is there if it is not that of `now`. */
export function timeIn(timezone: string, iso: string, now: number): string {
  const at = new Date(iso)
  const isOtherYear = at.getUTCFullYear() !== new Date(now).getUTCFullYear()
  return formatOf(timezone, isOtherYear).format(at)
}

/** The time of day in the reader's time zone, with the day of the week if it is another than in `elsewhere`. */
export function clockIn(timezone: string, iso: string, elsewhere: string): string {
  const at = new Date(iso)
  const day = (zone: string): string => inZone({ weekday: 'short' }, zone).format(at)
  const clock = inZone({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, timezone).format(at)
  return day(timezone) === day(elsewhere) ? clock : `${day(timezone)} ${clock}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string, withYear: boolean): Intl.DateTimeFormat {
  const key = `${timezone} ${withYear}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const options = { ...PARTS, ...(withYear && { year: 'numeric' as const }) }
  const format = inZone(options, timezone)
  formats.set(key, format)
  return format
}

/** The server may know time zones that this browser does not. Then the time is in the reader's own. */
function inZone(options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { ...options, timeZone })
  } catch {
    return new Intl.DateTimeFormat('en', options)
  }
}
