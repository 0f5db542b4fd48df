import { RUN_REASONS, type CodingResult, type CodingSession } from '@slipway/protocol'

/** The filters of the history; a missing field does not filter. */
export interface ResultFilters {
  /** Words that begin a word of the prompt or of the answer. */
  q?: string
  agent?: string
  provider?: string
  state?: EndedState
  reason?: CodingResult['reason']
  /** `all`, or the id of a user; the reader's own tasks without it. */
  by?: string
  time?: TaskTime
  /** Only archived tasks. */
  archived?: 'true'
}

/** The states of a task that has ended. */
export const ENDED_STATES = ['completed', 'failed', 'terminated'] as const
export type EndedState = (typeof ENDED_STATES)[number]

const HOUR_MS = 3_600_000
/** How far back a list goes. It is relative, so that a saved view stays useful. */
export const TASK_TIMES = {
  '1d': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
} as const
export type TaskTime = keyof typeof TASK_TIMES

const ALL = 'all'
/** As the server takes the id of a user. */
const USER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whose items a list shows: `all`, or the id of a user. Undefined for the reader's own, and for what the server refuses. */
export const whoseIn = (by: unknown): string | undefined =>
  typeof by === 'string' && (by === ALL || USER_ID.test(by)) ? by : undefined

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value)

/** The filters in the query of the page's address. Values that the server would refuse are left out. */
export function filtersIn(query: Readonly<Record<string, unknown>>): ResultFilters {
  const filters: ResultFilters = {}
  for (const field of ['q', 'agent', 'provider'] as const) {
    const value = query[field]
    if (typeof value === 'string' && value.trim() !== '') filters[field] = value
  }
  // The server refuses a search without a letter or a digit.
  if (filters.q !== undefined && !/[\p{L}\p{N}]/u.test(filters.q)) delete filters.q
  const state = oneOf(ENDED_STATES, query['state'])
  const reason = oneOf(RUN_REASONS, query['reason'])
  const time = oneOf(Object.keys(TASK_TIMES) as TaskTime[], query['time'])
  const by = whoseIn(query['by'])
  return {
    ...filters,
    ...(state !== undefined && { state }),
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(time !== undefined && { time }),
    ...(query['archived'] === 'true' && { archived: 'true' }),
  }
}

/** The same filters as the API takes them. */
export function parametersOf({ time, ...filters }: ResultFilters, now: number): Record<string, string> {
  return { ...filters, ...(time && { from: new Date(now - TASK_TIMES[time].ms).toISOString() }) }
}

/** Whether a task of the user that has not ended matches. Such a task has neither a reason nor a state of the history. */
export function activeFilter(filters: ResultFilters, userId: string | undefined, now: number) {
  const { q, agent, provider, state, reason, by, time, archived } = filters
  const words = q?.toLowerCase().split(/\s+/) ?? []
  return (task: Pick<CodingSession, 'agent' | 'provider' | 'prompt' | 'createdAt'>): boolean =>
    state === undefined &&
    reason === undefined &&
    archived === undefined &&
    (by === undefined || by === ALL || by === userId) &&
    (agent === undefined || task.agent === agent) &&
    (provider === undefined || task.provider === provider) &&
    (time === undefined || Date.parse(task.createdAt) >= now - TASK_TIMES[time].ms) &&
    words.every((word) => task.prompt.toLowerCase().includes(word))
}

/** The filters as a query, in one order, so that equal ones are equal texts. */
export const queryOf = (filters: ResultFilters): string => {
  const parameters = new URLSearchParams({ ...filters })
  parameters.sort()
  return parameters.toString()
}

/** The reasons of a task that was ended from outside. */
const FROM_OUTSIDE: readonly CodingResult['reason'][] = ['terminated', 'access_revoked', 'agent_deleted']

/** The state in which a task has ended. */
export function endedStateOf({ success, reason }: Pick<CodingResult, 'success' | 'reason'>): EndedState {
  if (success) return 'completed'
  return FROM_OUTSIDE.includes(reason) ? 'terminated' : 'failed'
}
