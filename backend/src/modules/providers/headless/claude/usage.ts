/** What Claude says it has used. */
import type { ModelUsage } from '@slipway/protocol'
import { bounded, countIn, type Fields, fieldsIn, numberIn, textIn } from '../parts/json.ts'
import { sum } from '../parts/sum.ts'

/** Most models of one process. */
const MODELS_MAX = 50
/** How many messages are remembered, so that none is counted twice. The lines of one message are close together. */
const MESSAGES_MAX = 100

/** US dollars; null for anything else. */
export const costIn = (value: unknown): number | null => {
  const cost = numberIn(value)
  return cost !== null && cost >= 0 ? cost : null
}

/** The totals of each model in a field `modelUsage`. */
export const totalsIn = (models: unknown): ModelUsage[] =>
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

/** The cost of all models in US dollars; null if none is known. */
export const costOf = (models: readonly ModelUsage[]): number | null =>
  models.reduce<number | null>((total, { costUsd }) => sum(total, costUsd), null)

/**
 * Adds up the messages of a process. It is all there is of a process that is killed before its result. Claude prints a
 * message before its last tokens are counted, so the output is too low.
 */
export class MessageUsage {
  readonly #models = new Map<string, ModelUsage>()
  readonly #seen = new Set<string>()

  get models(): readonly ModelUsage[] {
    return [...this.#models.values()]
  }

  /** Each line of a message repeats its usage. */
  add(message: Fields): void {
    const id = textIn(message.id)
    const model = bounded(textIn(message.model) ?? '')
    const usage = fieldsIn(message.usage)
    if (id === null || this.#seen.has(id) || countIn(usage.input_tokens) === null) return
    const before = this.#models.get(model)
    if (before === undefined && this.#models.size >= MODELS_MAX) return
    this.#remember(id)
    this.#models.set(model, {
      model,
      inputTokens: sum(before?.inputTokens ?? null, countIn(usage.input_tokens)),
      outputTokens: sum(before?.outputTokens ?? null, countIn(usage.output_tokens)),
      cacheReadTokens: sum(before?.cacheReadTokens ?? null, countIn(usage.cache_read_input_tokens)),
      cacheWriteTokens: sum(before?.cacheWriteTokens ?? null, countIn(usage.cache_creation_input_tokens)),
      costUsd: null,
    })
  }

  #remember(id: string): void {
    const [oldest] = this.#seen
    if (oldest !== undefined && this.#seen.size >= MESSAGES_MAX) this.#seen.delete(oldest)
    this.#seen.add(id)
  }
}
