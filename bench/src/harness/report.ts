/** The findings of a run: rows for readers, and rounds for further calculations. */

export interface Row {
  readonly figure: string
  readonly median: string
  /** The value to compare with, measured in the same run. Empty if there is none. */
  readonly limit: string
  readonly ratio: string
  readonly target: string
  /** Null: there is no target. */
  readonly met: boolean | null
}

/** The result of one figure. `raw` goes into the file unchanged. */
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
