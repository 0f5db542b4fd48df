/** What a run found: rows for people, rounds for those who want to calculate again. */

export interface Row {
  readonly figure: string
  readonly median: string
  /** What it is compared with, measured in the same run; empty where there is nothing. */
  readonly limit: string
  readonly ratio: string
  readonly target: string
  /** Null: no target was set. */
  readonly met: boolean | null
}

/** What one figure's program gives back. `raw` goes into the file as it is. */
export interface Findings {
  readonly rows: readonly Row[]
  readonly raw: unknown
}

const HEAD = ['Figure', 'Median', 'Limit, same run', 'Ratio', 'Target', '']

const verdict = (met: boolean | null): string => (met === null ? '-' : met ? 'ok' : 'MISS')

/** A Markdown table, which is readable as it is. */
export const printTable = (rows: readonly Row[]): string => {
  const cells = rows.map((row) => [row.figure, row.median, row.limit, row.ratio, row.target, verdict(row.met)])
  const widths = HEAD.map((title, column) =>
    Math.max(4, ...[HEAD, ...cells].map((line) => (line[column] ?? title).length)),
  )
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

export const megabytes = (bytesPerSecond: number): string => `${(bytesPerSecond / 1e6).toFixed(1)} MB/s`
export const milliseconds = (ms: number, digits = 2): string => `${ms.toFixed(digits)} ms`
export const kilobytes = (bytes: number): string => `${(bytes / 1e3).toFixed(0)} kB`
