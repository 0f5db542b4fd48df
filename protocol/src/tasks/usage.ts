/** What tasks have used, and the budgets that bound it. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

export const USAGE_GROUPS = ['run', 'agent', 'user', 'day', 'model', 'provider'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** Most groups on one page, and groups on a page by default. */
export const USAGE_LIMIT_MAX = 500
export const USAGE_LIMIT_DEFAULT = 100
/** The last page that can be asked for. */
const USAGE_PAGE_MAX = 100_000
/** The highest budget, in US dollars. */
export const BUDGET_USD_MAX = 10_000_000

/** By default the present month in UTC, by day. Pages are counted from 1. */
export const UsageQuery = Type.Object(
  {
    /** Runs that ended from this moment. */
    from: Type.Optional(Timestamp),
    /** Runs that ended before this moment. */
    to: Type.Optional(Timestamp),
    group: Type.Optional(Type.Enum(USAGE_GROUPS, { default: 'day' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: USAGE_PAGE_MAX, default: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: USAGE_LIMIT_MAX, default: USAGE_LIMIT_DEFAULT })),
  },
  { additionalProperties: false },
)
export type UsageQuery = Static<typeof UsageQuery>

/** Sums over runs. Null: of no run it is known. */
const Sums = {
  runs: Type.Integer(),
  /** Runs of which the cost of a model is not known. */
  runsWithoutCost: Type.Integer(),
  /** Without those that were read from the cache or written to it. */
  inputTokens: Nullable(Type.Number()),
  outputTokens: Nullable(Type.Number()),
  cacheReadTokens: Nullable(Type.Number()),
  cacheWriteTokens: Nullable(Type.Number()),
  /** In US dollars, without what is not known. */
  costUsd: Nullable(Type.Number()),
  /** The part of the cost that comes from the list of prices, because the CLI does not tell its cost. */
  estimatedUsd: Type.Number(),
}
export const UsageSums = Type.Object(Sums)
export type UsageSums = Static<typeof UsageSums>

/** One run, agent, user, day, model or provider. */
export const UsageItem = Type.Object({
  /** The id of the run, the agent or the user, the day in UTC as `2026-11-26`, the model or the provider. Null: deleted or unknown. */
  key: Nullable(Type.String()),
  /** The agent's name for a run or an agent, a user's e-mail address, a model's provider. Null: deleted, a day or a provider. */
  name: Nullable(Type.String()),
  ...Sums,
})
export type UsageItem = Static<typeof UsageItem>

export const UsageReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  group: Type.Enum(USAGE_GROUPS),
  /** Runs and days: the newest first. Others: the highest cost first. */
  items: Type.Array(UsageItem),
  page: Type.Integer(),
  limit: Type.Integer(),
  /** How many groups there are on all pages. */
  total: Type.Integer(),
  /** All groups together. */
  sums: UsageSums,
  /** The day of the list of prices for estimates, as `2026-11-26`. */
  pricesOf: Type.String(),
})
export type UsageReport = Static<typeof UsageReport>

/** A budget for the present calendar month in UTC, in US dollars. */
export const Budget = Type.Object({
  /** Null: no budget is set, so tasks may cost any sum. */
  limitUsd: Nullable(Type.Number()),
  /** What the tasks have cost that ended in the month, as far as it is known. */
  spentUsd: Type.Number(),
  from: Timestamp,
  to: Timestamp,
})
export type Budget = Static<typeof Budget>

export const SetBudget = Type.Object(
  {
    /** Null removes the budget. */
    limitUsd: Nullable(Type.Number({ minimum: 0, maximum: BUDGET_USD_MAX })),
  },
  { additionalProperties: false },
)
export type SetBudget = Static<typeof SetBudget>
