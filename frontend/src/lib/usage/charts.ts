import type { UsageItem } from '@slipway/protocol'
import { shortCount, usd } from '../format/money.ts'
import { tokensRead } from './groups.ts'
import { type Span, daysIn, shortDay } from './range.ts'

/** A chart of bars by day, each with two parts: one on top of the other. */
export interface DayChart {
  readonly id: 'cost' | 'tokens'
  readonly title: string
  /** The lower part first. */
  readonly parts: readonly [string, string]
  readonly format: (value: number) => string
  /** Smallest upper end of the scale. */
  readonly leastTop: number
}

export const DAY_CHARTS: readonly DayChart[] = [
  { id: 'cost', title: 'Cost', parts: ['told by the CLI', 'estimated'], format: usd, leastTop: 0.01 },
  { id: 'tokens', title: 'Tokens', parts: ['input', 'output'], format: shortCount, leastTop: 100 },
]

/** The two parts of each day. Null: there were tasks, and of none it is known. 0: there was no task. */
export interface DayColumn {
  readonly day: string
  readonly parts: readonly [number | null, number | null]
}

export function columnsOf(chart: DayChart, span: Span, items: readonly UsageItem[]): DayColumn[] {
  const byDay = new Map(items.map((item) => [item.key, item]))
  return daysIn(span).map((day) => {
    const item = byDay.get(day)
    return { day, parts: item === undefined ? [0, 0] : partsOf(chart, item) }
  })
}

function partsOf({ id }: DayChart, item: UsageItem): DayColumn['parts'] {
  if (id === 'tokens') return [tokensRead(item), item.outputTokens]
  const { costUsd, estimatedUsd } = item
  return costUsd === null ? [null, null] : [costUsd - estimatedUsd, estimatedUsd]
}

/** Both parts together; null if neither is known. */
export const heightOf = ({ parts: [lower, upper] }: DayColumn): number | null =>
  lower === null && upper === null ? null : (lower ?? 0) + (upper ?? 0)

/** Describes a chart in one sentence, for users who cannot see it. */
export function describe(chart: DayChart, columns: readonly DayColumn[]): string {
  const [first, last] = [columns.at(0), columns.at(-1)]
  if (first === undefined || last === undefined) return `${chart.title}: no days.`
  const days = `${chart.title} by day, ${shortDay(first.day)} to ${shortDay(last.day)}`
  const known = columns.flatMap((column) => {
    const height = heightOf(column)
    return height === null || height === 0 ? [] : [{ day: column.day, height }]
  })
  if (known.length === 0) return `${days}: nothing known.`
  const highest = known.reduce((one, other) => (other.height > one.height ? other : one))
  return `${days}: ${known.length} with a known value, the highest ${chart.format(highest.height)} on ${shortDay(highest.day)}.`
}
