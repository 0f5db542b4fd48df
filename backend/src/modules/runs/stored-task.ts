/** The task that a schedule or a webhook starts later: as requests name its fields, as they are stored, and as it starts. */
import type { CreateCodingSession, WorktreeMode } from '@slipway/protocol'

/** The stored fields of a task. Null: what a new task has by default. */
export interface StoredTask {
  readonly provider: string | null
  readonly prompt: string
  readonly cwd: string | null
  readonly model: string | null
  readonly timeoutSeconds: number | null
  readonly maxTurns: number | null
  readonly maxBudgetUsd: number | null
  readonly worktree: WorktreeMode | null
  readonly validate: boolean | null
  /** How often its gate lets it repair its work. */
  readonly gateRepairs: number | null
}

/** The fields as requests name them. */
interface NamedTask {
  readonly provider?: string | null
  readonly prompt?: string
  readonly cwd?: string | null
  readonly model?: string | null
  readonly timeout_seconds?: number | null
  readonly max_turns?: number | null
  readonly max_budget_usd?: number | null
  readonly worktree?: WorktreeMode | null
  readonly validate?: boolean | null
  readonly gate_repairs?: number | null
}

type Given<T> = { [Name in keyof T]?: T[Name] | undefined }

/** The fields of the task that a request names. Those that it does not name are undefined. */
export const namedTask = (body: NamedTask): Given<StoredTask> => ({
  provider: body.provider,
  prompt: body.prompt,
  cwd: body.cwd,
  model: body.model,
  timeoutSeconds: body.timeout_seconds,
  maxTurns: body.max_turns,
  maxBudgetUsd: body.max_budget_usd,
  worktree: body.worktree,
  validate: body.validate,
  gateRepairs: body.gate_repairs,
})

/** The fields that are not undefined. */
export const defined = <T extends object>(fields: Given<T>): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

/** The fields of the task alone, of a row that has more. */
export const storedTask = (fields: StoredTask): StoredTask => ({
  provider: fields.provider,
  prompt: fields.prompt,
  cwd: fields.cwd,
  model: fields.model,
  timeoutSeconds: fields.timeoutSeconds,
  maxTurns: fields.maxTurns,
  maxBudgetUsd: fields.maxBudgetUsd,
  worktree: fields.worktree,
  validate: fields.validate,
  gateRepairs: fields.gateRepairs,
})

/** The request that starts the task. It waits in line, because its user does not wait for the answer. */
export const requestOf = (fields: StoredTask, agent: string | undefined): CreateCodingSession => ({
  prompt: fields.prompt,
  queue: true,
  ...(agent !== undefined && { agent }),
  ...(fields.provider !== null && { provider: fields.provider }),
  ...(fields.cwd !== null && { cwd: fields.cwd }),
  ...(fields.model !== null && { model: fields.model }),
  ...(fields.timeoutSeconds !== null && { timeout_seconds: fields.timeoutSeconds }),
  ...(fields.maxTurns !== null && { max_turns: fields.maxTurns }),
  ...(fields.maxBudgetUsd !== null && { max_budget_usd: fields.maxBudgetUsd }),
  ...(fields.worktree !== null && { worktree: fields.worktree }),
  ...(fields.validate !== null && { validate: fields.validate }),
  ...(fields.gateRepairs !== null && { gate: { repairs: fields.gateRepairs } }),
})
