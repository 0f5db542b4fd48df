/** Spans of time in sentences. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/time/clock.ts'

/** No limit of an account lasts longer. A longer span is a mistake, or hostile. */
export const LIMIT_MAX_MS = 366 * DAY_MS

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ...(['day', 'd'] as const).map((unit) => [unit, DAY_MS] as const),
  ...(['hour', 'h'] as const).map((unit) => [unit, HOUR_MS] as const),
  ...(['minute', 'm'] as const).map((unit) => [unit, MINUTE_MS] as const),
  ...(['second', 's'] as const).map((unit) => [unit, 1_000] as const),
  ['ms', 1],
])
const PART = /(?<amount>\d+(?:\.\d+)?) ?(?<unit>day|hour|minute|second|ms|[smhd])/gi

/** The length of a span such as "3 days 6 hours" or "3h2m", in milliseconds. */
export const spanIn = (text: string): number => {
  let span = 0
  for (const { groups } of text.matchAll(PART))
    span += Number(groups?.amount) * (UNITS_MS.get(groups?.unit?.toLowerCase() ?? '') ?? 0)
  return span
}
