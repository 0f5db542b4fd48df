/** What Claude says it has used. */
import type { ModelUsage } from '@slipway/protocol'
import { bounded, countIn, fieldsIn, numberIn } from '../parts/json.ts'

/** Most models of one process. */
const MODELS_MAX = 50

/** US dollars; null for anything else. */
export const costIn = (value: unknown): number | null => {
  const cost = numberIn(value)
  return cost !== null && cost >= 0 ? cost : null
}

/** The usage of each model in a field `modelUsage`. */
export const usageIn = (models: unknown): ModelUsage[] =>
  Object.entries(fieldsIn(models))
    .slice(0, MODELS_MAX)
    .map(([model, value]) => {
      const fields = fieldsIn(value)
      return {
        model: bounded(model),
        inputTokens: countIn(fields.inputTokens),
        outputTokens: countIn(fields.outputTokens),
        cacheReadTokens: countIn(fields.cacheReadInputTokens),
        cacheWriteTokens: countIn(fields.cacheCreationInputTokens),
        costUsd: costIn(fields.costUSD),
      }
    })
