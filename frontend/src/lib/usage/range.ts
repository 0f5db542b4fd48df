/** Spans of whole days in UTC, as the server counts days and months. */

/** `from` belongs to it, `to` does not. */
export interface Span {
  readonly from: string
  readonly to: string
}

export const RANGES = [
  { id: 'month', label: 'Month', name: 'This month' },
  { id: '7', label: '7 days', name: 'The last 7 days' },
  { id: '30', label: '30 days', name: 'The last 30 days' },
  { id: '90', label: '90 days', name: 'The last 90 days' },
] as const
export type RangeId = (typeof RANGES)[number]['id']

export const isRangeId = (value: unknown): value is RangeId => RANGES.some(({ id }) => id === value)

const DAY_MS = 86_400_000

/** The days of a range until today, or of the month until its end. */
export function spanOf(range: RangeId, now: number): Span {
  const today = new Date(now)
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  if (range === 'month') return { from: utc(year, month, 1), to: utc(year, month + 1, 1) }
  return { from: utc(year, month, day - Number(range) + 1), to: utc(year, month, day + 1) }
}

const utc = (year: number, month: number, day: number): string => new Date(Date.UTC(year, month, day)).toISOString()

/** The days of a span, as `2026-11-26`. */
export function daysIn({ from, to }: Span): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS) days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const longFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

/** A day of the server: "Nov 26". */
export const shortDay = (day: string): string => dayFormat.format(new Date(day))
/** A day of the server: "Nov 26, 2026". */
export const longDay = (day: string): string => longFormat.format(new Date(day))
export const monthOf = (iso: string): string => monthFormat.format(new Date(iso))
