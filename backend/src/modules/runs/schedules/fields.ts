/** The fields of schedules: as requests name them, as tasks name them, and as the API answers them. */
import { type CreateSchedule, type Schedule, SCHEDULE_DEFAULTS, type UpdateSchedule } from '@slipway/protocol'
import { defined, namedTask, storedTask } from '../stored-task.ts'
import type { LastRun, ScheduleFields, ScheduleRow } from './repository.ts'

/** The fields that a request names. */
const given = (body: UpdateSchedule): Partial<ScheduleFields> =>
  defined<ScheduleFields>({
    name: body.name?.trim(),
    cron: body.cron?.trim(),
    timezone: body.timezone,
    missed: body.missed,
    enabled: body.enabled,
    ...namedTask(body),
  })

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
  ...storedTask(before),
  ...given(body),
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
  ...storedTask(row),
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
