/** How a timeline says times. */
import { duration } from '../../format/time.ts'

const SECOND_MS = 1000
/** From here on, tenths of a second say nothing more, in milliseconds. */
const TENTHS_MS = 10_000

/** A time of any length: "40 ms", "1.4 s", "2 min 5 s". */
export function shortTime(ms: number): string {
  if (ms === 0) return '0 s'
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  return ms < TENTHS_MS ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : duration(ms)
}

/** A share of the whole: "43 %". */
export function shareOf(ms: number, total: number): string {
  const percent = total === 0 ? 0 : (ms / total) * 100
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`
}
