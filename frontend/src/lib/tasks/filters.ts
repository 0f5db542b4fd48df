import type { CodingResult } from '@slipway/protocol'

/** The filters of the history; a missing field does not filter. */
export interface ResultFilters {
  /** Words that begin a word of the prompt or of the answer. */
  q?: string
  agent?: string
  provider?: string
  state?: EndedState
}

/** The states of a task that has ended. */
export const ENDED_STATES = ['completed', 'failed', 'terminated'] as const
export type EndedState = (typeof ENDED_STATES)[number]

const isEndedState = (value: unknown): value is EndedState => (ENDED_STATES as readonly unknown[]).includes(value)

/** The filters in the query of the page's address. Values that the server would refuse are left out. */
export function filtersIn(query: Readonly<Record<string, unknown>>): ResultFilters {
  const filters: ResultFilters = {}
  for (const field of ['q', 'agent', 'provider'] as const) {
    const value = query[field]
    if (typeof value === 'string' && value.trim() !== '') filters[field] = value
  }
  // The server refuses a search without a letter or a digit.
  if (filters.q !== undefined && !/[\p{L}\p{N}]/u.test(filters.q)) delete filters.q
  if (isEndedState(query['state'])) filters.state = query['state']
  return filters
}

/** The reasons of a task that was ended from outside. */
const FROM_OUTSIDE: readonly CodingResult['reason'][] = ['terminated', 'access_revoked', 'agent_deleted']

/** The state in which a task has ended. */
export function endedStateOf({ success, reason }: Pick<CodingResult, 'success' | 'reason'>): EndedState {
  if (success) return 'completed'
  return FROM_OUTSIDE.includes(reason) ? 'terminated' : 'failed'
}
