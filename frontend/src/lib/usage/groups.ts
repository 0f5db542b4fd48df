import type { UsageGroup, UsageItem, UsageSums } from '@slipway/protocol'
import { aboutUsd, shortCount, usd } from '../format/money.ts'
import { longDay } from './range.ts'

/** What the table can be grouped by. Single tasks have a page of their own. */
export type GroupId = Exclude<UsageGroup, 'run'>

/** `forAdmins`: other users see only themselves and those who work in their agents. */
export const GROUPS: readonly { id: GroupId; label: string; forAdmins?: true }[] = [
  { id: 'day', label: 'Day' },
  { id: 'agent', label: 'Agent' },
  { id: 'user', label: 'User', forAdmins: true },
  { id: 'provider', label: 'Provider' },
  { id: 'model', label: 'Model' },
]

/** Groups without a name, as the server tells them. */
const NAMELESS: Record<GroupId, string> = {
  day: '',
  agent: 'Deleted agents',
  user: 'Deleted users',
  provider: 'Unknown',
  model: 'Unknown model',
}

/** The name of a group; `labelOf` gives that of a provider. */
export function nameOf(group: GroupId, { key, name }: UsageItem, labelOf: (provider: string) => string): string {
  if (group === 'day') return key === null ? '' : longDay(key)
  if (group === 'provider') return key === null ? NAMELESS.provider : labelOf(key)
  if (group === 'model') return key ?? NAMELESS.model
  return name ?? NAMELESS[group]
}

/** What stands behind the name: a model's provider, or that the agent is deleted. */
export function noteOf(group: GroupId, { key, name }: UsageItem, labelOf: (provider: string) => string): string {
  if (group === 'model') return name === null ? '' : labelOf(name)
  return group === 'agent' && key === null && name !== null ? 'deleted' : ''
}

/** A sum of money. What is not known is not 0, and what has an estimated part is marked. */
export function costText({ costUsd, estimatedUsd }: Pick<UsageSums, 'costUsd' | 'estimatedUsd'>): string {
  if (costUsd === null) return 'unknown'
  return estimatedUsd > 0 ? aboutUsd(costUsd) : usd(costUsd)
}

export const countText = (count: number | null): string => (count === null ? 'unknown' : shortCount(count))

/** All tokens that the models read, with those of the cache; null if none is known. */
export const tokensRead = (sums: UsageSums): number | null =>
  added(sums.inputTokens, sums.cacheReadTokens, sums.cacheWriteTokens)

const added = (...counts: readonly (number | null)[]): number | null => {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}

/** "3 tasks", "1 task". */
export const tasksText = (count: number): string => `${count} ${count === 1 ? 'task' : 'tasks'}`
