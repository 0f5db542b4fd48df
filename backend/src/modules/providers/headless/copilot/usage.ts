/** What one process of Copilot has used. */
import type { ModelUsage } from '@slipway/protocol'
import { bounded, countIn, textIn, type Fields } from '../parts/json.ts'
import { sum } from '../parts/sum.ts'

/** Most models of one process. Calls of further ones are not counted. */
const MODELS_MAX = 100

/**
 * Adds up the calls of the models. Copilot tells only the tokens of each call, and may tell none: its `result` has a
 * number of premium requests, which have no price in dollars.
 */
export class CopilotUsage {
  readonly #models = new Map<string | null, ModelUsage>()

  get models(): ModelUsage[] {
    return [...this.#models.values()]
  }

  add(data: Fields): void {
    const name = textIn(data.model)
    const model = name === null ? null : bounded(name)
    const before = this.#models.get(model)
    if (before === undefined && this.#models.size >= MODELS_MAX) return
    this.#models.set(model, {
      model,
      inputTokens: sum(before?.inputTokens ?? null, countIn(data.inputTokens)),
      outputTokens: sum(before?.outputTokens ?? null, countIn(data.outputTokens)),
      cacheReadTokens: sum(before?.cacheReadTokens ?? null, countIn(data.cacheReadTokens)),
      cacheWriteTokens: sum(before?.cacheWriteTokens ?? null, countIn(data.cacheWriteTokens)),
      costUsd: null,
    })
  }
}
