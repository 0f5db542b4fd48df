/** Runs of coding CLIs in agents, which the API calls coding agent sessions. */
import Type, { type Static } from 'typebox'
import { AgentName, Model } from '../agents/names.ts'
import { ChangeCounts } from '../git/diffs.ts'
import { Nullable, Timestamp } from '../common.ts'
import { GateOptions, RunGate } from './gate.ts'
import { RunPolicy } from './policies.ts'
import { TEXT_EVENTS } from './run-events.ts'
import { WorktreeMode } from '../git/worktrees.ts'
import { ValidateOptions, ValidationState } from './validation.ts'

/** Active runs that one user may have at the same time, over all agents. */
export const RUNS_PER_USER = 3
/** The highest limit of active tasks that a server may set for one agent. */
export const TASKS_PER_AGENT_MAX = 1_000
/** How long a run stays in the list of active ones after its end, in seconds. It does not count among them. */
export const RUN_LISTED_SECONDS = 300
/** Runs of one user that may wait in line, over all agents. */
export const QUEUED_PER_USER = 100
/** The default and the longest time limit of a run, in seconds. */
export const RUN_TIMEOUT_SECONDS_DEFAULT = 300
export const RUN_TIMEOUT_SECONDS_MAX = 1800
/** Longest prompt, in UTF-16 code units. It reaches the CLI on its standard input, so Linux does not bound it. */
export const RUN_PROMPT_MAX = 1_048_576
/** The end of a run's output that is kept for a client that comes back, in bytes. */
export const RUN_OUTPUT_BYTES = 102_400

/** `queued` waits in line; `waiting` waits for a usage limit to end, or for people. */
export const RUN_STATES = ['queued', 'starting', 'running', 'waiting', 'completed', 'failed', 'terminated'] as const
export const RunState = Type.Enum(RUN_STATES)
export type RunState = (typeof RUN_STATES)[number]

/** Why a run has ended. The first one that holds, in this order. */
export const RUN_REASONS = [
  'completed',
  'finished_without_exit',
  'finished_without_work',
  'validation_failed',
  'not_verified',
  'not_signed_in',
  'usage_limit',
  'session_lost',
  'max_turns',
  'max_budget',
  'budget_exhausted',
  'cli_error',
  'exit_code',
  'stalled',
  'no_first_event',
  'timed_out',
  'out_of_memory',
  'container_stopped',
  'agent_deleted',
  'access_revoked',
  'terminated',
  'failed_to_start',
  'lost',
] as const
export const RunReason = Type.Enum(RUN_REASONS)
export type RunReason = (typeof RUN_REASONS)[number]

/** A CLI's session id: a UUID, or the form of OpenCode. It never begins with a dash. */
export const CLI_SESSION_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$'

/** The fields that say what a run does. A page's bundle has no schemas, and takes none apart. */
export const RUN_FIELDS = {
  /** Without it, the agent's own provider. */
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  prompt: Type.String({ minLength: 1, maxLength: RUN_PROMPT_MAX, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' }),
  /** The working folder, inside `/home/developer` with links resolved. A relative path starts at the home. */
  cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4095, pattern: '^[^\\u0000]*$' })),
  model: Type.Optional(Model),
  timeout_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: RUN_TIMEOUT_SECONDS_MAX,
      description: `${RUN_TIMEOUT_SECONDS_DEFAULT} by default.`,
    }),
  ),
  max_turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  max_budget_usd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
}

/**
 * How a run goes: without a terminal and with structured events; with the CLI's own interface on a terminal of its user; or
 * without its structured events, on a terminal that only gives plain text.
 */
export const RUN_MODES = ['auto', 'interactive', 'pty'] as const
export const RunMode = Type.Enum(RUN_MODES)
export type RunMode = (typeof RUN_MODES)[number]

/** What a run in any mode takes. */
const REQUEST_FIELDS = {
  ...RUN_FIELDS,
  /** The agent's name. A user with one agent need not give it. */
  agent: Type.Optional(AgentName),
  /** The id of an earlier session, whose conversation continues in the same folder. */
  resume: Type.Optional(Type.String({ format: 'uuid' })),
  /** Waits in line where it cannot start now: at a limit, or while its conversation is in use. */
  queue: Type.Optional(Type.Boolean({ default: false })),
  policy: Type.Optional(RunPolicy),
  /** Without it, the setting of the agent counts. */
  worktree: Type.Optional(WorktreeMode),
  /** At a usage limit of the account, waits for its end and continues once. */
  wait_for_limit: Type.Optional(Type.Boolean({ default: true })),
  /** Validates what the task did once it has completed: with these options, or with `true`. */
  validate: Type.Optional(Type.Union([Type.Boolean(), ValidateOptions])),
}

export const CreateCodingSession = Type.Object(
  {
    ...REQUEST_FIELDS,
    /** Needed in the mode `auto`. Without one, the CLI's interface starts empty. */
    prompt: Type.Optional(RUN_FIELDS.prompt),
    mode: Type.Optional(Type.Enum(['auto', 'interactive'] as const)),
    /** It counts as completed only if its validation passes. */
    gate: Type.Optional(GateOptions),
  },
  { additionalProperties: false },
)
export type CreateCodingSession = Static<typeof CreateCodingSession>

/** The body of a request that waits for the end. */
export const RunAndWait = Type.Object(
  { ...REQUEST_FIELDS, mode: Type.Optional(Type.Enum(['auto', 'pty'] as const)) },
  { additionalProperties: false },
)
export type RunAndWait = Static<typeof RunAndWait>

/** Either of them. */
export type RunRequest = CreateCodingSession | RunAndWait

export const CodingSession = Type.Object({
  id: Type.String(),
  /** Null after the agent was deleted. */
  agent: Nullable(Type.String()),
  provider: Type.String(),
  displayName: Type.String(),
  state: RunState,
  mode: RunMode,
  /** Empty if an interactive session began without one. */
  prompt: Type.String(),
  cwd: Type.String(),
  model: Nullable(Type.String()),
  policy: Nullable(RunPolicy),
  /** What it waits for in the state `waiting`; otherwise null. */
  waitsFor: Nullable(Type.Enum(['usage_limit', 'person'] as const)),
  userId: Type.String(),
  createdAt: Timestamp,
  /** When its program started first; null while it waits in line. */
  startedAt: Nullable(Timestamp),
  /** When it continues at the earliest: after a usage limit, or after a start from the line that failed. Otherwise null. */
  continuesAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  /** Null while it is active. */
  reason: Nullable(RunReason),
  /** A sentence for users if it did not complete. */
  error: Nullable(Type.String()),
  exitCode: Nullable(Type.Integer()),
  /** The CLI's last answer. */
  result: Nullable(Type.String()),
  costUsd: Nullable(Type.Number()),
  /** Whether a part of the cost comes from the list of prices. */
  costEstimated: Type.Boolean(),
  /** The schedule that started it, or null. */
  scheduleId: Nullable(Type.String()),
  /** The conversation that it is a turn of, or null. */
  conversationId: Nullable(Type.String()),
  /** When it was archived, or null. Archived tasks are not in the default lists. */
  archivedAt: Nullable(Timestamp),
  /** The CLI's own session, once it has named it. */
  cliSessionId: Nullable(Type.String()),
  /**
   * The events each of which may be a piece of a text, and continues one of its type right before it. A reader joins them. Any
   * other event has a whole text.
   */
  inPieces: Type.Array(Type.Enum(TEXT_EVENTS)),
  /** The number of its last event; 0 before the first. */
  lastSeq: Type.Integer(),
  /** The state of its validation; null if it has none. */
  validation: Nullable(ValidationState),
  /** Null: it may complete whatever its validation says. */
  gate: Nullable(RunGate),
  ...ChangeCounts.properties,
})
export type CodingSession = Static<typeof CodingSession>

/** What came of a session that has ended. */
export const CodingResult = Type.Object({
  /** That of the session. */
  id: Type.String(),
  sessionId: Type.String(),
  userId: Type.String(),
  /** Null after the agent was deleted. */
  agent: Nullable(Type.String()),
  provider: Type.String(),
  prompt: Type.String(),
  cwd: Type.String(),
  model: Nullable(Type.String()),
  success: Type.Boolean(),
  /** The CLI's last answer; empty if there is none. */
  output: Type.String(),
  exitCode: Nullable(Type.Integer()),
  reason: RunReason,
  /** A sentence for users if it did not complete. */
  error: Nullable(Type.String()),
  durationMs: Type.Integer(),
  costUsd: Nullable(Type.Number()),
  /** Whether a part of the cost comes from the list of prices. */
  costEstimated: Type.Boolean(),
  /** The CLI's own session, which `resume` continues. */
  cliSessionId: Nullable(Type.String()),
  mode: RunMode,
  createdAt: Timestamp,
  /** When it was archived, or null. */
  archivedAt: Nullable(Timestamp),
  ...ChangeCounts.properties,
})
export type CodingResult = Static<typeof CodingResult>

/** Most results on one page, and results on a page by default. */
export const RESULTS_LIMIT_MAX = 100
export const RESULTS_LIMIT_DEFAULT = 20
/** The last page that can be asked for. */
const RESULTS_PAGE_MAX = 100_000

/** Longest text of a search in results, in UTF-16 code units. */
export const RESULTS_SEARCH_MAX = 200
/** The states of a run that has ended. */
const ENDED_STATES = ['completed', 'failed', 'terminated'] as const satisfies readonly RunState[]

/** Whose: `me` by default, `all` that the caller may see, or those of the user with this id. */
export const Whose = Type.String({
  pattern: '^(me|all|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
  default: 'me',
})

/** Pages are counted from 1. */
export const ResultsQuery = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: RESULTS_PAGE_MAX, default: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: RESULTS_LIMIT_MAX, default: RESULTS_LIMIT_DEFAULT })),
    /** The id of a schedule: only results of its runs. */
    schedule: Type.Optional(Type.String({ format: 'uuid' })),
    /** Words. A result matches if its prompt or its answer has a word beginning with each of them. */
    q: Type.Optional(Type.String({ minLength: 1, maxLength: RESULTS_SEARCH_MAX })),
    agent: Type.Optional(AgentName),
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    state: Type.Optional(Type.Enum(ENDED_STATES)),
    reason: Type.Optional(RunReason),
    by: Type.Optional(Whose),
    /** Only tasks that were created then or later. */
    from: Type.Optional(Timestamp),
    /** Only tasks that were created before. */
    to: Type.Optional(Timestamp),
    /** Only archived results, in place of only those that are not. */
    archived: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type ResultsQuery = Static<typeof ResultsQuery>

export const CodingResults = Type.Object({
  items: Type.Array(CodingResult),
  page: Type.Integer(),
  limit: Type.Integer(),
  /** How many results there are on all pages. */
  total: Type.Integer(),
})
export type CodingResults = Static<typeof CodingResults>

export const CodingSessionOutput = Type.Object({
  sessionId: Type.String(),
  state: RunState,
  /** The last {@link RUN_OUTPUT_BYTES} of both outputs together; bytes that are not UTF-8 are replaced. */
  output: Type.String(),
  hasOutput: Type.Boolean(),
})
export type CodingSessionOutput = Static<typeof CodingSessionOutput>

export const RunEventsQuery = Type.Object(
  {
    /** Only events with a higher number. */
    after: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  },
  { additionalProperties: false },
)
export type RunEventsQuery = Static<typeof RunEventsQuery>
