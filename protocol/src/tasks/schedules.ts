/** Schedules: tasks that start at times of their own. */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { Nullable, Timestamp } from '../common.ts'
import { RUN_FIELDS, RunReason, RunState } from './runs.ts'
import { GateRepairs } from './gate.ts'
import { WorktreeMode } from '../git/worktrees.ts'

/** Most schedules of one user. */
export const SCHEDULES_MAX = 20
/** The shortest time between two runs of a schedule, in minutes. A run costs money, also if it finds nothing to do. */
export const SCHEDULE_EVERY_MINUTES = 5
/** How many of the next times an answer has. */
export const SCHEDULE_TIMES = 5

/** What happens to times at which the server did not run: nothing, or one run for all of them together. */
export const MISSED_POLICIES = ['skip', 'run_once'] as const
export type MissedPolicy = (typeof MISSED_POLICIES)[number]

const cron = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: 'Minute, hour, day of the month, month, day of the week.',
})
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  description: 'A name of the IANA time zone database, such as `Europe/Berlin`.',
})

/** The fields of a task. `null` is the same as a missing field, so that a change can take a value back. */
const { provider, prompt, cwd, model, timeout_seconds, max_turns, max_budget_usd } = RUN_FIELDS
const task = {
  provider: Type.Optional(Nullable(provider)),
  cwd: Type.Optional(Nullable(cwd)),
  model: Type.Optional(Nullable(model)),
  timeout_seconds: Type.Optional(Nullable(timeout_seconds)),
  max_turns: Type.Optional(Nullable(max_turns)),
  max_budget_usd: Type.Optional(Nullable(max_budget_usd)),
  /** Without it, the setting of the agent counts. */
  worktree: Type.Optional(Nullable(WorktreeMode)),
  /** Validates what each task did. */
  validate: Type.Optional(Nullable(Type.Boolean())),
  gate_repairs: GateRepairs,
}
const name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' })

export const CreateSchedule = Type.Object(
  {
    name,
    cron,
    prompt,
    timezone: Type.Optional(timezone),
    missed: Type.Optional(Type.Enum(MISSED_POLICIES)),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    /** The agent's name. A user with one agent need not give it. */
    agent: Type.Optional(AgentName),
    ...task,
  },
  { additionalProperties: false },
)
export type CreateSchedule = Static<typeof CreateSchedule>

export const UpdateSchedule = Type.Partial(CreateSchedule, { additionalProperties: false })
export type UpdateSchedule = Static<typeof UpdateSchedule>

/** Each field of a new schedule that may be missing, with its value then. */
export const SCHEDULE_DEFAULTS = {
  timezone: 'UTC',
  missed: 'skip',
  enabled: true,
  provider: null,
  cwd: null,
  model: null,
  timeoutSeconds: null,
  maxTurns: null,
  maxBudgetUsd: null,
  worktree: null,
  validate: null,
  gateRepairs: null,
} as const

export const Schedule = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  name: Type.String(),
  agent: Type.String(),
  cron: Type.String(),
  timezone: Type.String(),
  missed: Type.Enum(MISSED_POLICIES),
  enabled: Type.Boolean(),
  /** Why the server switched it off; null if it did not. */
  disabledBecause: Nullable(Type.String()),
  /** Null: that of the agent at each start. */
  provider: Nullable(Type.String()),
  prompt: Type.String(),
  cwd: Nullable(Type.String()),
  model: Nullable(Type.String()),
  timeoutSeconds: Nullable(Type.Integer()),
  maxTurns: Nullable(Type.Integer()),
  maxBudgetUsd: Nullable(Type.Number()),
  worktree: Nullable(WorktreeMode),
  validate: Nullable(Type.Boolean()),
  /** How often each task may repair its work until its validation passes; null: it has no gate. */
  gateRepairs: Nullable(Type.Integer()),
  /** Its next {@link SCHEDULE_TIMES} times; empty if it is switched off. */
  nextRuns: Type.Array(Timestamp),
  /** Its newest run; null if there is none, or if the caller may not see it. */
  lastRun: Nullable(
    Type.Object({
      id: Type.String(),
      state: RunState,
      reason: Nullable(RunReason),
      createdAt: Timestamp,
      completedAt: Nullable(Timestamp),
    }),
  ),
  /** The last time and why it made no run; null if it made one. */
  lastSkipped: Nullable(Type.Object({ at: Timestamp, because: Type.String() })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Schedule = Static<typeof Schedule>

export const PreviewSchedule = Type.Object({ cron, timezone: Type.Optional(timezone) }, { additionalProperties: false })
export type PreviewSchedule = Static<typeof PreviewSchedule>

export const SchedulePreview = Type.Object({ nextRuns: Type.Array(Timestamp) })
export type SchedulePreview = Static<typeof SchedulePreview>
