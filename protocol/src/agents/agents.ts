/** Agents: containers with a home, their settings, shares and processes. */
import Type, { type Static } from 'typebox'
import {
  KEEP_SECONDS_DEFAULT,
  KEEP_SECONDS_MAX,
  TERMINALS_PER_USER_DEFAULT,
  TERMINALS_PER_USER_MAX,
} from '../terminal/terminal.ts'
import { Email, Nullable, Timestamp } from '../common.ts'
import { AgentPolicy } from '../tasks/policies.ts'

/** 1 to 40 characters. It is part of a container's name, so both Docker and DNS must accept it. */
export const AGENT_NAME_PATTERN = '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$'
export const AgentName = Type.String({ pattern: AGENT_NAME_PATTERN })

/** An agent's home in its container, on a volume that survives the container. */
export const AGENT_HOME = '/home/developer'

/** The id of a provider, or the name of a program in the image's PATH (never an option, never a path). */
export const Runtime = Type.String({ pattern: '^[a-z][a-z0-9._-]{0,39}$' })
export type Runtime = Static<typeof Runtime>

/** A model's name as CLIs accept it. It never starts with `-`, so that it cannot become an option. */
export const MODEL_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}$'
export const Model = Type.String({ pattern: MODEL_PATTERN })

/** Smallest memory in MiB with which the engine starts a container and a shell is usable. */
export const MEMORY_MB_MIN = 64

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

/** Settings that an agent's owner chooses. Each setting is declared only here and in the database's schema. */
const settings = {
  runtime: Runtime,
  model: Nullable(Model),
  /** Whether the CLI runs with its permission prompts off. */
  skipPermissions: Type.Boolean(),
  /** What the CLIs of its tasks may do without asking. A task may be stricter, but not laxer. Null: `skipPermissions` decides. */
  policy: Nullable(AgentPolicy),
  /** Whether its programs get the keys that are set. If not, users log in inside the terminal. */
  useCredentials: Type.Boolean(),
  /** Whether its programs get the GitHub and git tokens that are set. */
  useGitToken: Type.Boolean(),
  /** Whether what a task has changed is committed when it has completed. Nothing is pushed. */
  autoCommit: Type.Boolean(),
  /** An image of the platform's list; null for the platform's default. */
  image: Nullable(Type.String({ minLength: 1, maxLength: 255 })),
  cpus: Type.Number({ minimum: 0.1, maximum: 1024 }),
  memoryMb: Type.Integer({ minimum: MEMORY_MB_MIN, maximum: 4_194_304 }),
  /** How long a terminal waits for a user who lost the connection before it ends, in seconds. */
  keepSeconds: Type.Integer({ minimum: 0, maximum: KEEP_SECONDS_MAX }),
  /** How many terminals each user may have in it at the same time. A lower number ends none that is open. */
  terminalsPerUser: Type.Integer({ minimum: 1, maximum: TERMINALS_PER_USER_MAX }),
  /** Whether the output of its terminals is recorded. */
  record: Type.Boolean(),
  /** Whether their input is recorded, too. */
  recordInput: Type.Boolean(),
}
export const AgentSettings = Type.Object(settings)
export type AgentSettings = Static<typeof AgentSettings>

/** The default settings of an agent. CPUs and memory depend on the installation. */
export const AGENT_DEFAULTS: Omit<AgentSettings, 'runtime' | 'cpus' | 'memoryMb'> = {
  model: null,
  skipPermissions: true,
  policy: null,
  useCredentials: true,
  useGitToken: false,
  autoCommit: false,
  image: null,
  keepSeconds: KEEP_SECONDS_DEFAULT,
  terminalsPerUser: TERMINALS_PER_USER_DEFAULT,
  record: false,
  recordInput: false,
}

/** The settings among the fields of an object; absent ones stay absent. */
export const settingsOf = <T extends Partial<AgentSettings>>(from: T): Pick<T, keyof T & keyof AgentSettings> =>
  Object.fromEntries(
    Object.keys(settings).flatMap((name) => {
      const value = from[name as keyof AgentSettings]
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Pick<T, keyof T & keyof AgentSettings>

export const Agent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  ...settings,
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
  /** Absent before the first measurement, and if there is no limit. */
  disk: Type.Optional(AgentDisk),
  createdAt: Timestamp,
})
export type Agent = Static<typeof Agent>

/** A change contains only the fields that change. */
const CHANGE = { additionalProperties: false, minProperties: 1 }
export const UpdateAgent = Type.Partial(AgentSettings, CHANGE)
export type UpdateAgent = Static<typeof UpdateAgent>

/** The system agent never skips permissions, has no tasks, and always uses the platform's credentials. */
export const UpdateSystemAgent = Type.Partial(
  Type.Omit(AgentSettings, ['skipPermissions', 'policy', 'useCredentials', 'useGitToken', 'autoCommit']),
  CHANGE,
)
export type UpdateSystemAgent = Static<typeof UpdateSystemAgent>

/** The possible settings of an agent on this installation. The create form reads its choices and defaults from it. */
export const AgentOptions = Type.Object({
  runtimes: Type.Array(Type.Object({ id: Runtime, label: Type.String() })),
  images: Type.Array(Type.String()),
  cpus: Type.Object({ default: Type.Number(), max: Type.Number() }),
  memoryMb: Type.Object({ default: Type.Integer(), max: Type.Integer() }),
})
export type AgentOptions = Static<typeof AgentOptions>

export const Share = Type.Object({ userId: Type.String(), email: Type.String(), createdAt: Timestamp })
export type Share = Static<typeof Share>
export const CreateShare = Type.Object({ email: Email }, { additionalProperties: false })
export type CreateShare = Static<typeof CreateShare>

/** A process in the container outside every open terminal session. */
export const AgentProcess = Type.Object({
  pid: Type.Integer(),
  ppid: Type.Integer(),
  /** The command line, cut to 1,024 characters. The text comes from the container, so do not trust it. */
  command: Type.String(),
  startedAt: Nullable(Timestamp),
  /** Resident memory in bytes. */
  memoryBytes: Type.Integer(),
  /** Whether it ignores the hang-up signal, for example because of `nohup`. */
  ignoresHangup: Type.Boolean(),
  /** The terminal session that started it, if its environment names a session of this agent. */
  origin: Nullable(
    Type.Object({
      sessionId: Type.String(),
      mode: Type.String(),
      email: Type.String(),
      startedAt: Timestamp,
      endedAt: Nullable(Timestamp),
    }),
  ),
})
export type AgentProcess = Static<typeof AgentProcess>

export const AgentStats = Type.Object({
  /** Share of one CPU, in percent: 200 is two full CPUs. */
  cpuPercent: Type.Number(),
  memoryBytes: Type.Integer(),
  memoryLimitBytes: Type.Integer(),
  /** Received and sent since the container started, in bytes. */
  networkRxBytes: Type.Integer(),
  networkTxBytes: Type.Integer(),
  /** Read from and written to disks since the container started, in bytes. */
  diskReadBytes: Type.Integer(),
  diskWriteBytes: Type.Integer(),
  processes: Type.Integer(),
})
export type AgentStats = Static<typeof AgentStats>

/** Largest file for an upload, in bytes: 1 GiB. For larger files use a repository or an object store. */
export const MAX_UPLOAD_BYTES = 1_073_741_824

/** Most paths in one search: more than a line of a terminal holds. */
export const FIND_PATHS_MAX = 16
/** Paths as a program printed them, absolute or relative, without control characters. */
export const FindFiles = Type.Object(
  {
    paths: Type.Array(Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }), {
      minItems: 1,
      maxItems: FIND_PATHS_MAX,
    }),
  },
  { additionalProperties: false },
)
export type FindFiles = Static<typeof FindFiles>

/** The answer for one path. Answers have the order of the request. */
export const FoundFile = Type.Object({
  kind: Nullable(Type.Union([Type.Literal('file'), Type.Literal('folder')])),
  /** In bytes; 0 for a folder. */
  size: Type.Integer(),
  /** The absolute path with links resolved; null if there is no such file in the home. */
  path: Nullable(Type.String()),
  /**
   * Only if the path is not UTF-8, so that `path` contains U+FFFD: its bytes percent-encoded, to append to `?path=`
   * unchanged.
   */
  encodedPath: Type.Optional(Type.String()),
})
export type FoundFile = Static<typeof FoundFile>

/** Span of an {@link AgentStatsHistory}, in minutes. The first one is finer than the others. */
export const StatsSpan = Type.Union([Type.Literal(15), Type.Literal(60), Type.Literal(360), Type.Literal(1440)])
export type StatsSpan = Static<typeof StatsSpan>

/** The values of one figure; null where a value is missing, for example while the agent was stopped. */
const Column = Type.Array(Nullable(Type.Number()))

/** An agent's use over time, oldest first. Each figure has a column of the same length as `at`. */
export const AgentStatsHistory = Type.Object({
  /** Seconds since 1970. */
  at: Type.Array(Type.Number()),
  /** Share of one CPU since the previous point, in percent. */
  cpuPercent: Column,
  memoryBytes: Column,
  /** Since the previous point, in bytes per second. */
  networkRxRate: Column,
  networkTxRate: Column,
  diskReadRate: Column,
  diskWriteRate: Column,
  processes: Column,
  /** The container's memory limit at the last measurement; null before the first one. */
  memoryLimitBytes: Nullable(Type.Integer()),
})
export type AgentStatsHistory = Static<typeof AgentStatsHistory>

/** A problem of this installation's engine, network or agents that an admin should fix. */
export const SystemWarning = Type.Object({
  /** A CVE's number, `link_local_open` or `shared_uid`. */
  code: Type.String(),
  /** A part of the engine with its version, `network` or `agents`. */
  subject: Type.String(),
  /** `critical`: an agent can use it now; `high`: the version has it; `medium`: the version may have it, or an agent can only hinder others. */
  severity: Type.Union([Type.Literal('critical'), Type.Literal('high'), Type.Literal('medium')]),
  message: Type.String(),
  /** The address of more information. */
  url: Type.String(),
})
export type SystemWarning = Static<typeof SystemWarning>
