/** The tokens that Gemini CLI prints at its end. */
import type { ModelUsage } from '@slipway/protocol'
import { bounded, countIn, type Fields, fieldsIn } from '../parts/json.ts'

/** Most models of one process. */
const MODELS_MAX = 50

/** The usage of each model; empty if Gemini does not tell. */
export const usageIn = (stats: Fields): ModelUsage[] => {
  const models = Object.entries(fieldsIn(stats.models)).slice(0, MODELS_MAX)
  if (models.length > 0) return models.map(([model, tokens]) => usageOf(bounded(model), fieldsIn(tokens)))
  return countIn(stats.total_tokens) === null ? [] : [usageOf(null, stats)]
}

const usageOf = (model: string | null, tokens: Fields): ModelUsage => {
  const total = countIn(tokens.total_tokens)
  const prompt = countIn(tokens.input_tokens)
  const answer = countIn(tokens.output_tokens)
  // Only the total holds the model's thoughts, which cost as much as its answer.
  const other = total === null || prompt === null ? null : total - prompt
  return {
    model,
    // `input_tokens` would hold the cached ones, too.
    inputTokens: countIn(tokens.input) ?? prompt,
    outputTokens: other === null || answer === null ? answer : Math.max(answer, other),
    cacheReadTokens: countIn(tokens.cached),
    cacheWriteTokens: null,
    costUsd: null,
  }
}
