/** The fields of schedules: as requests name them, as tasks name them, and as the API answers them. */
import {
  type CreateCodingSession,
  type CreateSchedule,
  type Schedule,
  SCHEDULE_DEFAULTS,
  type UpdateSchedule,
} from '@slipway/protocol'
import type { LastRun, ScheduleFields, ScheduleRow } from './repository.ts'

/** The fields that a request names. */
const given = (body: UpdateSchedule): Partial<ScheduleFields> => {
  const fields: { [Name in keyof ScheduleFields]?: ScheduleFields[Name] | undefined } = {
    name: body.name?.trim(),
    cron: body.cron?.trim(),
    timezone: body.timezone,
    missed: body.missed,
    enabled: body.enabled,
    provider: body.provider,
    prompt: body.prompt,
    cwd: body.cwd,
    model: body.model,
    timeoutSeconds: body.timeout_seconds,
    maxTurns: body.max_turns,
    maxBudgetUsd: body.max_budget_usd,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The fields of a new schedule. */
export const fieldsOf = ({ name, cron, prompt, ...further }: CreateSchedule): ScheduleFields => ({
  ...SCHEDULE_DEFAULTS,
  ...given(further),
  name: name.trim(),
  cron: cron.trim(),
  prompt,
})

/** The fields of a schedule after a change. */
export const changed = (before: ScheduleFields, body: UpdateSchedule): ScheduleFields => ({
  name: before.name,
  cron: before.cron,
  timezone: before.timezone,
  missed: before.missed,
  enabled: before.enabled,
  provider: before.provider,
  prompt: before.prompt,
  cwd: before.cwd,
  model: before.model,
  timeoutSeconds: before.timeoutSeconds,
  maxTurns: before.maxTurns,
  maxBudgetUsd: before.maxBudgetUsd,
  ...given(body),
})

/** The task of a schedule. It waits in line, because its user does not wait for an answer. */
export const taskOf = (fields: ScheduleFields, agent: string | undefined): CreateCodingSession => ({
  prompt: fields.prompt,
  queue: true,
  ...(agent !== undefined && { agent }),
  ...(fields.provider !== null && { provider: fields.provider }),
  ...(fields.cwd !== null && { cwd: fields.cwd }),
  ...(fields.model !== null && { model: fields.model }),
  ...(fields.timeoutSeconds !== null && { timeout_seconds: fields.timeoutSeconds }),
  ...(fields.maxTurns !== null && { max_turns: fields.maxTurns }),
  ...(fields.maxBudgetUsd !== null && { max_budget_usd: fields.maxBudgetUsd }),
})

/** As the API answers it. `lastRun` is null if the caller may not see it. */
export const present = (row: ScheduleRow, lastRun: LastRun | null): Schedule => ({
  id: row.id,
  userId: row.userId,
  name: row.name,
  agent: row.agent.name,
  cron: row.cron,
  timezone: row.timezone,
  missed: row.missed,
  enabled: row.enabled,
  disabledBecause: row.disabledBecause,
  provider: row.provider,
  prompt: row.prompt,
  cwd: row.cwd,
  model: row.model,
  timeoutSeconds: row.timeoutSeconds,
  maxTurns: row.maxTurns,
  maxBudgetUsd: row.maxBudgetUsd,
  nextRuns: row.nextAt === null ? [] : [row.nextAt, ...row.laterAt].map((at) => at.toISOString()),
  lastRun: lastRun && {
    id: lastRun.id,
    state: lastRun.state,
    reason: lastRun.reason,
    createdAt: lastRun.createdAt.toISOString(),
    completedAt: lastRun.endedAt?.toISOString() ?? null,
  },
  lastSkipped:
    row.skippedAt === null || row.skippedBecause === null
      ? null
      : { at: row.skippedAt.toISOString(), because: row.skippedBecause },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
