/** The share of one process in the totals of a session that earlier processes began. */
import type { ModelUsage } from '@slipway/protocol'

const FIGURES = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const
type Figure = (typeof FIGURES)[number]

/** Digits of a cost after the point. A difference of two sums has further ones, which mean nothing. */
const COST_DIGITS = 10

const NO_MODEL: Readonly<Record<Figure, null>> = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  costUsd: null,
}

/**
 * What is left of `totals` without what an earlier process had printed as the totals of the same session. If any figure
 * is lower than before, the totals have begun anew, and all of them are this process's own.
 */
export const shareOf = (totals: readonly ModelUsage[], before: readonly ModelUsage[] = []): readonly ModelUsage[] => {
  const now = new Map(totals.map((usage) => [usage.model, usage]))
  const continues = before.every((earlier) =>
    FIGURES.every((figure) => (now.get(earlier.model)?.[figure] ?? 0) >= (earlier[figure] ?? 0)),
  )
  if (before.length === 0 || !continues) return totals
  const earlier = new Map(before.map((usage) => [usage.model, usage]))
  return totals
    .map((usage) => difference(usage, earlier.get(usage.model) ?? NO_MODEL))
    .filter((usage) => FIGURES.some((figure) => (usage[figure] ?? 0) > 0))
}

const difference = (now: ModelUsage, before: Readonly<Record<Figure, number | null>>): ModelUsage => {
  const left = (figure: Figure): number | null => {
    const total = now[figure]
    return total === null ? null : total - (before[figure] ?? 0)
  }
  const costUsd = left('costUsd')
  return {
    model: now.model,
    inputTokens: left('inputTokens'),
    outputTokens: left('outputTokens'),
    cacheReadTokens: left('cacheReadTokens'),
    cacheWriteTokens: left('cacheWriteTokens'),
    costUsd: costUsd === null ? null : Number(costUsd.toFixed(COST_DIGITS)),
  }
}
