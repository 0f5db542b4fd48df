import type { CodingResult, CodingSession, DashboardTask, RunState } from '@slipway/protocol'
import { endedStateOf } from './filters.ts'
import type { WaitsFor } from '../taskState.ts'

/** A task as one row of a list. */
export interface TaskItem {
  readonly id: string
  /** Null after the agent was deleted. */
  readonly agent: string | null
  readonly provider: string
  readonly prompt: string
  readonly userId: string
  readonly state: RunState
  readonly waitsFor: WaitsFor
  /** When it started, or was created if it has not started. */
  readonly at: string
  /** Null while it is active. */
  readonly durationMs: number | null
  readonly costUsd: number | null
  readonly costEstimated: boolean
}

/** First line of a prompt, for a row. Only a task in a terminal may have none. */
export const titleOf = (prompt: string): string => prompt.trim().split('\n', 1)[0] || 'Task in a terminal'

export const itemOfSession = (task: CodingSession): TaskItem => ({
  id: task.id,
  agent: task.agent,
  provider: task.provider,
  prompt: task.prompt,
  userId: task.userId,
  state: task.state,
  waitsFor: task.waitsFor,
  at: task.startedAt ?? task.createdAt,
  durationMs: null,
  costUsd: task.costUsd,
  costEstimated: task.costEstimated,
})

export const itemOfResult = (result: CodingResult): TaskItem => ({
  id: result.sessionId,
  agent: result.agent,
  provider: result.provider,
  prompt: result.prompt,
  userId: result.userId,
  state: endedStateOf(result),
  waitsFor: null,
  at: result.createdAt,
  durationMs: result.durationMs,
  costUsd: result.costUsd,
  costEstimated: result.costEstimated,
})

/** Of a task that has ended, `at` is when it did. */
export const itemOfDashboard = (task: DashboardTask): TaskItem => ({
  id: task.id,
  agent: task.agent,
  provider: task.provider,
  prompt: task.prompt,
  userId: task.userId,
  state: task.state,
  waitsFor: task.waitsFor,
  at: task.completedAt ?? task.startedAt ?? task.createdAt,
  durationMs:
    task.completedAt === null ? null : Date.parse(task.completedAt) - Date.parse(task.startedAt ?? task.completedAt),
  costUsd: task.costUsd,
  costEstimated: task.costEstimated,
})
