import type { UsageItem } from '@slipway/protocol'

/**
 * A spreadsheet treats a cell that begins so as a formula, and a name could be one. Some programs also treat the
 * full-width and small forms of these characters so; therefore the compatible form counts (Unicode, NFKC).
 */
const FORMULA = /^[=+\-@\t\r\n]/

type Cell = string | number | null

function cellOf(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const inert = FORMULA.test(text.slice(0, 1).normalize('NFKC')) ? `'${text}` : text
  return `"${inert.replaceAll('"', '""')}"`
}

/** One line of RFC 4180. */
const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`

const HEAD = [
  'tasks',
  'tasks_without_cost',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
  'estimated_usd',
]

/** The groups as a file for spreadsheets. What is not known is an empty cell. */
export const csvOf = (group: string, items: readonly (UsageItem & { readonly title: string })[]): string =>
  [
    lineOf([group, ...HEAD]),
    ...items.map((item) =>
      lineOf([
        item.title,
        item.runs,
        item.runsWithoutCost,
        item.inputTokens,
        item.outputTokens,
        item.cacheReadTokens,
        item.cacheWriteTokens,
        item.costUsd,
        item.estimatedUsd,
      ]),
    ),
  ].join('')
