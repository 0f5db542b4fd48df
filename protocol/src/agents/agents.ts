/** Agents: containers with a home, their states and shares. */
import Type, { type Static } from 'typebox'
import { Email, Nullable, Timestamp } from '../common.ts'
import { AgentSettings } from './settings.ts'

export const AgentState = Type.Union([
  Type.Literal('creating'),
  Type.Literal('starting'),
  Type.Literal('running'),
  Type.Literal('stopping'),
  Type.Literal('stopped'),
  Type.Literal('failed'),
  Type.Literal('deleting'),
])
export type AgentState = Static<typeof AgentState>

/** Why an agent is stopped or failed. `code` is for programs; `message` says what to do. */
export const StateReason = Type.Object({
  code: Type.Union([
    Type.Literal('image_missing'),
    Type.Literal('no_memory'),
    Type.Literal('name_taken'),
    Type.Literal('engine_unavailable'),
    Type.Literal('out_of_memory'),
    Type.Literal('exited'),
    Type.Literal('removed'),
    Type.Literal('home_not_writable'),
    Type.Literal('disk_full'),
    Type.Literal('engine_error'),
  ]),
  message: Type.String(),
  /** The container's exit code, if it has one. */
  exitCode: Type.Optional(Type.Integer()),
})
export type StateReason = Static<typeof StateReason>

/**
 * The message of the reason while the engine does not answer. The state of the agent is not known then. An operation that
 * failed because the engine did not answer has the same code and another message.
 */
export const STATE_NOT_KNOWN = 'The container engine does not answer. The state is shown again as soon as it does.'

/** What the caller is to the agent. */
export const Relation = Type.Union([Type.Literal('owner'), Type.Literal('sharee'), Type.Literal('admin')])
export type Relation = Static<typeof Relation>

/** An agent's disk use at the last measurement: its home and all other files that it wrote. */
export const AgentDisk = Type.Object({
  usedBytes: Type.Integer(),
  /** The agent is stopped when it uses this many bytes. */
  limitBytes: Type.Integer(),
  /** True from 80 % of the limit. */
  isLow: Type.Boolean(),
  measuredAt: Timestamp,
})
export type AgentDisk = Static<typeof AgentDisk>

/** A branch as it was last seen in a repository of the agent. */
export const AgentBranch = Type.Object({
  name: Type.String(),
  /** The absolute path of the repository. */
  folder: Type.String(),
  /** When it was seen: it may be another one by now. */
  seenAt: Timestamp,
})
export type AgentBranch = Static<typeof AgentBranch>

export const Agent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  ...AgentSettings.properties,
  state: AgentState,
  reason: Nullable(StateReason),
  /** When the state last changed. */
  stateSince: Timestamp,
  /** True while the container runs with older settings. A restart applies the new ones. */
  restartNeeded: Type.Boolean(),
  /** Null for the system agent, which belongs to the installation. */
  owner: Nullable(Type.Object({ id: Type.String(), email: Type.String() })),
  relation: Relation,
  isSystem: Type.Boolean(),
  /** When a terminal or a program of a task or of a client last began, worked or ended in it; null: never. */
  lastActivityAt: Nullable(Timestamp),
  /**
   * Of the repository that it begins with; without one, of the repository that was looked at last. Null: unknown, also
   * for a commit without a branch.
   */
  branch: Nullable(AgentBranch),
  tasksAtWork: Type.Integer({
    minimum: 0,
    description:
      'How many tasks work in it now, of all its users. One that waits in line, for people or for a usage limit is not counted, nor one in a terminal, which the event `sessions` tells of.',
  }),
  /** Absent before the first measurement, and if there is no limit. */
  disk: Type.Optional(AgentDisk),
  createdAt: Timestamp,
})
export type Agent = Static<typeof Agent>

export const Share = Type.Object({ userId: Type.String(), email: Type.String(), createdAt: Timestamp })
export type Share = Static<typeof Share>
export const CreateShare = Type.Object({ email: Email }, { additionalProperties: false })
export type CreateShare = Static<typeof CreateShare>
