/** What a user needs to know at one look: what waits for them, what runs, what has ended, what it costs, what is next. */
import Type, { type Static } from 'typebox'
import { AgentState } from '../agents/agents.ts'
import { Nullable, Timestamp } from '../common.ts'
import { Dialog } from '../dialogs/dialogs.ts'
import { RunMode, RunReason, RunState } from './runs.ts'

/** Most items of each list. `total` says how many there are. */
export const DASHBOARD_LISTED = 8
/** How far back ended tasks go for a user who has marked none as seen, in hours. */
export const DASHBOARD_FIRST_HOURS = 24
/** Longest error of a task here, in UTF-16 code units. The task has all of it. */
export const DASHBOARD_ERROR_MAX = 300

export const DashboardQuery = Type.Object(
  {
    /** When the caller's day began. Without it, the day is that of UTC. */
    dayFrom: Type.Optional(Timestamp),
  },
  { additionalProperties: false },
)
export type DashboardQuery = Static<typeof DashboardQuery>

/** The first items of a list, and the number of all of them. */
const Listed = <T extends Type.TSchema>(item: T) => Type.Object({ items: Type.Array(item), total: Type.Integer() })

export const DashboardTask = Type.Object({
  id: Type.String(),
  /** Null after the agent was deleted. */
  agent: Nullable(Type.String()),
  provider: Type.String(),
  displayName: Type.String(),
  state: RunState,
  mode: RunMode,
  waitsFor: Nullable(Type.Enum(['usage_limit', 'person'] as const)),
  /** Its beginning. */
  prompt: Type.String(),
  userId: Type.String(),
  createdAt: Timestamp,
  /** When its program started first; null while it waits in line. */
  startedAt: Nullable(Timestamp),
  /** Null while it is active, as the fields below. */
  completedAt: Nullable(Timestamp),
  reason: Nullable(RunReason),
  /** A sentence for users if it did not complete, at most {@link DASHBOARD_ERROR_MAX} long. */
  error: Nullable(Type.String()),
  costUsd: Nullable(Type.Number()),
  /** Whether a part of the cost comes from the list of prices. */
  costEstimated: Type.Boolean(),
})
export type DashboardTask = Static<typeof DashboardTask>

export const DashboardSchedule = Type.Object({
  id: Type.String(),
  name: Type.String(),
  agent: Type.String(),
  nextRun: Timestamp,
  /** Its cron expression counts in this one. */
  timezone: Type.String(),
})
export type DashboardSchedule = Static<typeof DashboardSchedule>

export const Dashboard = Type.Object({
  /** When the server looked. */
  at: Timestamp,
  /** Open questions that the caller should answer, oldest first. */
  needsYou: Listed(Dialog),
  /** Active tasks, newest first. */
  active: Listed(DashboardTask),
  /** Tasks that ended after `since`, the last ones first. */
  ended: Type.Object({ items: Type.Array(DashboardTask), total: Type.Integer(), since: Timestamp }),
  /** Agents of the caller and those shared with them. Null for an API token without the scope `agents:read`. */
  agents: Nullable(Type.Object({ total: Type.Integer(), byState: Type.Record(AgentState, Type.Integer()) })),
  /** What the tasks cost that ended since the beginning of the day. */
  today: Type.Object({
    from: Timestamp,
    tasks: Type.Integer(),
    /** Tasks of which the cost of a model is not known. */
    tasksWithoutCost: Type.Integer(),
    /** In US dollars, without what is not known. Null: of no task it is known. */
    costUsd: Nullable(Type.Number()),
    /** The part of the cost that comes from the list of prices. */
    estimatedUsd: Type.Number(),
  }),
  /** The caller's schedules that start a task next, the first one first. */
  schedules: Listed(DashboardSchedule),
})
export type Dashboard = Static<typeof Dashboard>

/** Marks the tasks as seen that ended until this moment. */
export const MarkSeen = Type.Object({ until: Timestamp }, { additionalProperties: false })
export type MarkSeen = Static<typeof MarkSeen>
