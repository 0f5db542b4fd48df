/** The tokens and the cost of OpenCode's steps. */
import type { ModelUsage } from '@slipway/protocol'
import { countIn, type Fields, fieldsIn, numberIn } from '../parts/json.ts'
import { sum } from '../parts/sum.ts'

/** Adds up the steps of one process. OpenCode does not name their model, and leaves out the steps of subagents. */
export class StepUsage {
  #inputTokens: number | null = null
  #outputTokens: number | null = null
  #cacheReadTokens: number | null = null
  #cacheWriteTokens: number | null = null
  #costUsd = 0

  /** The part of an event `step_finish`. */
  add(part: Fields): void {
    const tokens = fieldsIn(part.tokens)
    const cache = fieldsIn(tokens.cache)
    this.#inputTokens = sum(this.#inputTokens, countIn(tokens.input))
    // `output` is without the model's thoughts, which cost as much.
    this.#outputTokens = sum(sum(this.#outputTokens, countIn(tokens.output)), countIn(tokens.reasoning))
    this.#cacheReadTokens = sum(this.#cacheReadTokens, countIn(cache.read))
    this.#cacheWriteTokens = sum(this.#cacheWriteTokens, countIn(cache.write))
    this.#costUsd = sum(this.#costUsd, Math.max(0, numberIn(part.cost) ?? 0)) ?? 0
  }

  /** The usage so far; empty before the first step with tokens. */
  get models(): ModelUsage[] {
    const tokens = {
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadTokens: this.#cacheReadTokens,
      cacheWriteTokens: this.#cacheWriteTokens,
    }
    if (Object.values(tokens).every((count) => count === null)) return []
    return [{ model: null, ...tokens, costUsd: this.costUsd }]
  }

  /** OpenCode prints 0 for a model whose price it does not know. */
  get costUsd(): number | null {
    return this.#costUsd === 0 ? null : this.#costUsd
  }
}
