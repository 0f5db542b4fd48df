/**
 * What models cost by the lists of their makers, for CLIs that tell tokens and no cost. A subscription, a gateway or a
 * long context costs another sum, so what comes from here is an estimate.
 */
import type { ModelUsage } from '@slipway/protocol'

/** The day on which the prices were compared with the lists. */
export const PRICES_AT = '2026-11-26'

/** In US dollars for a million tokens. */
interface Prices {
  readonly input: number
  readonly cacheRead: number
  /** Where writing to the cache has no price of its own, it costs as much as input. */
  readonly cacheWrite: number
  readonly output: number
}

const MILLION = 1_000_000

const prices = (input: number, cacheRead: number, output: number, cacheWrite = input): Prices => ({
  input,
  cacheRead,
  cacheWrite,
  output,
})

/**
 * Only models whose prices of input and output two sources confirm. Standard tier, and the shorter context where there are two prices. A model
 * that is not here has no estimate.
 */
const PRICES: Readonly<Record<string, Prices>> = {
  // https://developers.openai.com/api/docs/pricing
  'gpt-5': prices(1.25, 0.125, 10),
  'gpt-5-codex': prices(1.25, 0.125, 10),
  'gpt-5-3-codex': prices(1.75, 0.175, 14),
  'gpt-5-4': prices(2.5, 0.25, 15),
  'gpt-5-4-mini': prices(0.75, 0.075, 4.5),
  'gpt-5-5': prices(5, 0.5, 30),
  'gpt-5-6-luna': prices(0.2, 0.02, 1.2, 0.25),
  'gpt-5-6-terra': prices(2, 0.2, 12, 2.5),
  'gpt-6-astra': prices(10, 1, 50),
  // https://ai.google.dev/gemini-api/docs/pricing
  'gemini-2-5-pro': prices(1.25, 0.125, 10),
  'gemini-2-5-flash': prices(0.3, 0.03, 2.5),
  'gemini-3-1-pro-preview': prices(2, 0.2, 12),
  'gemini-3-5-flash': prices(1.5, 0.15, 9),
  // https://platform.claude.com/docs/en/about-claude/pricing, for a Claude that was ended before it told its cost.
  'claude-opus-5-5': prices(4, 0.2, 20, 5),
  'claude-opus-5': prices(5, 0.5, 25, 6.25),
  'claude-opus-4-8': prices(5, 0.5, 25, 6.25),
  'claude-sonnet-5': prices(2, 0.2, 10, 2.5),
  'claude-sonnet-4-6': prices(3, 0.3, 15, 3.75),
  'claude-sonnet-4-5': prices(3, 0.3, 15, 3.75),
  'claude-haiku-4-5': prices(1, 0.1, 5, 1.25),
}

/** A model's name without its server, its date and its size of context, such as `openai/gpt-5.4-2026-03-05`. */
const keyOf = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\[[^\]]*\]$/, '')
    .replace(/-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, '')
    .replaceAll('.', '-')

/** The cost of this usage in US dollars; null for a model without a price, and if no tokens are known. */
export const estimateOf = (model: string, usage: Omit<ModelUsage, 'model' | 'costUsd'>): number | null => {
  const key = keyOf(model)
  const price = Object.hasOwn(PRICES, key) ? PRICES[key] : undefined
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  if (price === undefined || (inputTokens === null && outputTokens === null)) return null
  return (
    ((inputTokens ?? 0) * price.input +
      (cacheReadTokens ?? 0) * price.cacheRead +
      (cacheWriteTokens ?? 0) * price.cacheWrite +
      (outputTokens ?? 0) * price.output) /
    MILLION
  )
}
