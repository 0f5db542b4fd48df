/** What a run has used, as the ledger has it: one share for each model. */
import type { ModelUsage } from '@slipway/protocol'
import type { Verdict } from '../../providers/headless/headless.ts'
import { sum } from '../../providers/headless/parts/sum.ts'
import { estimateOf } from './prices.ts'

/** Longest name of a model, in UTF-16 code units. It is a part of a key in the database. */
const MODEL_MAX = 200
/** The CLI is in the agent's hands, so its numbers may be nonsense. These bound what one share can claim. */
const TOKENS_MAX = 1_000_000_000_000
const COST_MAX = 10_000

/** What a run has used of one model. Null: unknown. */
export interface Share extends Omit<ModelUsage, 'model'> {
  /** Empty if it is not known. */
  readonly model: string
  /** Whether the cost comes from the list of prices. */
  readonly estimated: boolean
}

/** The cost of a run. */
export interface RunCost {
  /** In US dollars. Null: of no model the cost is known. */
  readonly costUsd: number | null
  /** Whether a part of it comes from the list of prices. */
  readonly costEstimated: boolean
}

const UNKNOWN = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null }

/**
 * The shares of a run whose output says so much. `model` is what was asked for, where the CLI names none. A run that
 * worked and tells nothing has one share with nothing known. One that did not work has none.
 */
export const sharesOf = (verdict: Pick<Verdict, 'usage' | 'costUsd' | 'hasWorked'>, model: string | null): Share[] => {
  const { usage, costUsd, hasWorked } = verdict
  if (usage.length === 0 && costUsd === null && !hasWorked) return []
  const merged = new Map<string, ModelUsage>()
  for (const one of usage) {
    const name = nameOf(one.model ?? model)
    const before = merged.get(name)
    merged.set(name, before ? added(before, one) : one)
  }
  // The CLI may tell the cost of the whole alone.
  if (merged.size === 0) merged.set(nameOf(model), { model, ...UNKNOWN, costUsd })
  return [...merged].map(([name, one]) => shareOf(name, one))
}

/** The cost of all shares. */
export const costOf = (shares: readonly Share[]): RunCost => ({
  costUsd: shares.reduce<number | null>((total, { costUsd }) => sum(total, costUsd), null),
  costEstimated: shares.some(({ estimated }) => estimated),
})

/** The database stores every character except NUL. */
const nameOf = (model: string | null): string =>
  (model ?? '').slice(0, MODEL_MAX).replaceAll('\0', '\uFFFD').toWellFormed()

const added = (one: ModelUsage, other: ModelUsage): ModelUsage => ({
  model: one.model,
  inputTokens: sum(one.inputTokens, other.inputTokens),
  outputTokens: sum(one.outputTokens, other.outputTokens),
  cacheReadTokens: sum(one.cacheReadTokens, other.cacheReadTokens),
  cacheWriteTokens: sum(one.cacheWriteTokens, other.cacheWriteTokens),
  costUsd: sum(one.costUsd, other.costUsd),
})

const shareOf = (model: string, usage: ModelUsage): Share => {
  const tokens = {
    inputTokens: atMost(TOKENS_MAX, usage.inputTokens),
    outputTokens: atMost(TOKENS_MAX, usage.outputTokens),
    cacheReadTokens: atMost(TOKENS_MAX, usage.cacheReadTokens),
    cacheWriteTokens: atMost(TOKENS_MAX, usage.cacheWriteTokens),
  }
  const estimate = usage.costUsd === null ? estimateOf(model, tokens) : null
  return { model, ...tokens, costUsd: atMost(COST_MAX, usage.costUsd ?? estimate), estimated: estimate !== null }
}

const atMost = (max: number, value: number | null): number | null => (value === null ? null : Math.min(max, value))
