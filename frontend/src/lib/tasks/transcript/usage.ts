import type { ModelUsage } from '@slipway/protocol'

/** What a task has used so far, as its CLI tells. Null: the CLI does not tell. */
export interface Used {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly costUsd: number | null
}

export const NOTHING_USED: Used = { inputTokens: null, outputTokens: null, cachedTokens: null, costUsd: null }

/** Null is not zero: a sum is unknown only if all of its parts are. */
const sum = (parts: readonly (number | null)[]): number | null =>
  parts.reduce((total, part) => (part === null ? total : (total ?? 0) + part), null)

/** The totals of one process, which tells them by model. */
export const usedBy = (models: readonly ModelUsage[]): Used => ({
  inputTokens: sum(models.flatMap((model) => [model.inputTokens, model.cacheWriteTokens])),
  outputTokens: sum(models.map((model) => model.outputTokens)),
  cachedTokens: sum(models.map((model) => model.cacheReadTokens)),
  costUsd: sum(models.map((model) => model.costUsd)),
})

export const together = (one: Used, other: Used): Used => ({
  inputTokens: sum([one.inputTokens, other.inputTokens]),
  outputTokens: sum([one.outputTokens, other.outputTokens]),
  cachedTokens: sum([one.cachedTokens, other.cachedTokens]),
  costUsd: sum([one.costUsd, other.costUsd]),
})
