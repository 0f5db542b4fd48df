import type { AgentStatsHistory } from '@slipway/protocol'
import { bytes } from '../format/size.ts'

/** A column of the history that a chart draws as a line. */
export type Figure = Exclude<keyof AgentStatsHistory, 'at' | 'memoryLimitBytes'>

export interface ChartLine {
  figure: Figure
  label: string
}

export interface ChartKind {
  id: 'cpu' | 'memory' | 'network' | 'disk'
  title: string
  lines: readonly ChartLine[]
  /** Formats a value with its unit. */
  format: (value: number) => string
  /** Smallest upper end of the scale, so that noise does not look like load. */
  leastTop: number
  /** Base of the scale's units: powers of ten, or of 1,024. */
  base: 10 | 2
}

const rate = (value: number): string => `${bytes(value)}/s`

export const CHARTS: readonly ChartKind[] = [
  {
    id: 'cpu',
    title: 'CPU',
    lines: [{ figure: 'cpuPercent', label: 'CPU' }],
    format: (value) => `${value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} %`,
    leastTop: 10,
    base: 10,
  },
  {
    id: 'memory',
    title: 'Memory',
    lines: [{ figure: 'memoryBytes', label: 'Memory' }],
    format: bytes,
    leastTop: 64 * 1024 ** 2,
    base: 2,
  },
  {
    id: 'network',
    title: 'Network',
    lines: [
      { figure: 'networkRxRate', label: 'Received' },
      { figure: 'networkTxRate', label: 'Sent' },
    ],
    format: rate,
    leastTop: 1024,
    base: 2,
  },
  {
    id: 'disk',
    title: 'Disk',
    lines: [
      { figure: 'diskReadRate', label: 'Read' },
      { figure: 'diskWriteRate', label: 'Written' },
    ],
    format: rate,
    leastTop: 1024,
    base: 2,
  },
]

/** The upper end of a scale: a round number a little above the highest value, which ticks can divide. */
export function topOf(highest: number, { leastTop, base }: Pick<ChartKind, 'leastTop' | 'base'>): number {
  const wanted = Math.max(highest * 1.05, leastTop)
  const unit = base === 2 ? 1024 ** Math.floor(Math.log(wanted) / Math.log(1024)) : 1
  const scaled = wanted / unit
  const power = 10 ** Math.floor(Math.log10(scaled))
  const step = [1, 2, 4, 5, 8, 10].find((candidate) => candidate * power >= scaled) ?? 10
  return step * power * unit
}

/** Lowest, highest and newest of a column; null where it has no value. */
export function rangeOf(column: readonly (number | null)[]) {
  const values = column.filter((value) => value !== null)
  const newest = values.at(-1)
  if (newest === undefined) return null
  return { lowest: Math.min(...values), highest: Math.max(...values), newest }
}

/** Describes a chart in one sentence, for users who cannot see it. */
export function describe(kind: ChartKind, history: AgentStatsHistory): string {
  const parts = kind.lines.map(({ figure, label }) => {
    const range = rangeOf(history[figure])
    if (range === null) return `${label}: no figures`
    const { format } = kind
    return `${label}: now ${format(range.newest)}, between ${format(range.lowest)} and ${format(range.highest)}`
  })
  return `${kind.title}. ${parts.join('. ')}.`
}

/** Most rows of the table that replaces the charts. They cover equal spans, newest first. */
export const TABLE_ROWS = 15

export interface TableRow {
  /** Seconds since 1970. */
  at: number
  values: Record<Figure, number | null>
}

/** Averages over equal spans of time. Null if a span has no figure. */
export function tableOf(history: AgentStatsHistory, figures: readonly Figure[]): TableRow[] {
  const size = Math.max(1, Math.ceil(history.at.length / TABLE_ROWS))
  const rows: TableRow[] = []
  for (let from = 0; from < history.at.length; from += size) {
    const to = Math.min(from + size, history.at.length)
    const values = Object.fromEntries(
      figures.map((figure) => {
        const some = history[figure].slice(from, to).filter((value) => value !== null)
        return [figure, some.length === 0 ? null : some.reduce((sum, value) => sum + value, 0) / some.length]
      }),
    ) as Record<Figure, number | null>
    rows.push({ at: history.at[to - 1] ?? 0, values })
  }
  return rows.reverse()
}
