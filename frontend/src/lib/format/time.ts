const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

// Always a number: "tomorrow" would be a day of the calendar, and these are hours.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** A time relative to `now`: "3 min. ago", "in 2 mo.". */
export function relativeTime(iso: string, now: number): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  const found = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  if (found === undefined) return 'just now'
  const [unit, length] = found
  return relative.format(Math.trunc(seconds / length), unit)
}

/** The exact time, in the reader's time zone. */
export const exactTime = (iso: string): string => exact.format(new Date(iso))

const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

/** The time of day to the millisecond, in the reader's time zone. */
export const clockTime = (iso: string): string => clock.format(new Date(iso))

const shortClock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const secondsClock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** The time of day to the second, in the reader's time zone: "14:03:05". */
export const timeToSecond = (iso: string): string => secondsClock.format(new Date(iso))

const day = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** The day of a time, in the reader's time zone: "Today", "Yesterday", "Wednesday, November 25, 2026". */
export function dayName(iso: string, now: number): string {
  const [name, today] = [day.format(new Date(iso)), new Date(now)]
  if (name === day.format(today)) return 'Today'
  return name === day.format(today.setDate(today.getDate() - 1)) ? 'Yesterday' : name
}

/** The time of day to the minute. `seconds` counts from 1970. */
export const timeOfDay = (seconds: number): string => shortClock.format(new Date(seconds * 1000))

/** A duration: "4 s", "2 min 5 s", "3 h 12 min". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
