/** Conversations: tasks that continue one session of a coding CLI, one after the other, in one folder. */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { Nullable, Page, PageQuery, Timestamp } from '../common.ts'
import { GateOptions } from './gate.ts'
import { RunPolicy } from './policies.ts'
import { CodingSession, CreateCodingSession, RUN_FIELDS, Whose } from './runs.ts'
import { WorktreeMode } from '../git/worktrees.ts'

/** Longest title, and of a title that is made from the first message, in UTF-16 code units. */
export const CONVERSATION_TITLE_MAX = 200
/** Longest message, in UTF-16 code units. */
export const MESSAGE_TEXT_MAX = 262_144
/** Messages of one conversation that wait. */
export const MESSAGES_QUEUED_MAX = 50
/** Conversations of one user that are not archived. */
export const CONVERSATIONS_PER_USER = 500
/** Most turns of one answer, and turns of an answer by default. */
export const TURNS_LIMIT_MAX = 50
export const TURNS_LIMIT_DEFAULT = 20

/** `errored`: the last turn failed. The next message makes it active again. */
export const CONVERSATION_STATES = ['active', 'errored', 'archived'] as const
export type ConversationState = (typeof CONVERSATION_STATES)[number]

/**
 * `starting`: a turn is starting, or waits in line; `waiting`: it waits for people or for a usage limit; `terminal`: a
 * terminal continues the session of the CLI, and messages wait until it ends.
 */
export const CONVERSATION_ACTIVITIES = ['idle', 'starting', 'running', 'waiting', 'terminal'] as const
export type ConversationActivity = (typeof CONVERSATION_ACTIVITIES)[number]

/**
 * `queued`: it waits for its turn; `sent`: it is the prompt of a task; `steered`: it was given to a turn that ran;
 * `released`: it waited when a turn failed, so it was never sent; `refused`: its task could not be started; `terminal`: it
 * was written in a terminal that continued the session, as the CLI's own file says.
 */
export const MESSAGE_STATES = ['queued', 'sent', 'steered', 'released', 'refused', 'terminal'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** From where a message came: a signed-in user, an API token, or Discord. */
export const MESSAGE_VIA = ['web', 'api', 'discord'] as const
export type MessageVia = (typeof MESSAGE_VIA)[number]

/** How a message is given to a conversation whose turn runs. Without a turn that runs, both are the next turn. */
export const MESSAGE_HOW = ['queue', 'steer'] as const
export type MessageHow = (typeof MESSAGE_HOW)[number]

const closed = { additionalProperties: false } as const
/** Not empty, and without NUL. */
const WITH_WORDS = '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$'
const Title = Type.String({ minLength: 1, maxLength: CONVERSATION_TITLE_MAX, pattern: WITH_WORDS })
const Text = Type.String({ minLength: 1, maxLength: MESSAGE_TEXT_MAX, pattern: WITH_WORDS })

/** What every turn of a conversation passes on to its task. */
export const TurnOptions = Type.Object(
  {
    model: RUN_FIELDS.model,
    timeout_seconds: RUN_FIELDS.timeout_seconds,
    max_turns: RUN_FIELDS.max_turns,
    max_budget_usd: RUN_FIELDS.max_budget_usd,
    policy: Type.Optional(RunPolicy),
    wait_for_limit: CreateCodingSession.properties.wait_for_limit,
    /** Says whether the first turn gets a worktree. The others work where the first one worked. */
    worktree: CreateCodingSession.properties.worktree,
    /** Validates each turn, unless its message says otherwise. */
    validate: CreateCodingSession.properties.validate,
    /** Each turn counts as completed only if its validation passes. A message without validation has no gate. */
    gate: Type.Optional(GateOptions),
  },
  closed,
)
export type TurnOptions = Static<typeof TurnOptions>

export const CreateConversation = Type.Object(
  {
    /** The agent's name. A user with one agent need not give it. */
    agent: Type.Optional(AgentName),
    /** Without it, the agent's own provider. */
    provider: RUN_FIELDS.provider,
    /** The first message. */
    prompt: Text,
    /** Without it, the beginning of the first message. */
    title: Type.Optional(Title),
    cwd: RUN_FIELDS.cwd,
    ...TurnOptions.properties,
  },
  closed,
)
export type CreateConversation = Static<typeof CreateConversation>

export const UpdateConversation = Type.Object(
  {
    title: Type.Optional(Title),
    /** It can be archived while it is idle and no message waits. */
    archived: Type.Optional(Type.Boolean()),
  },
  closed,
)
export type UpdateConversation = Static<typeof UpdateConversation>

export const Conversation = Type.Object({
  id: Type.String(),
  title: Type.String(),
  /** Null after the agent was deleted. */
  agent: Nullable(Type.String()),
  provider: Type.String(),
  displayName: Type.String(),
  cwd: Type.String(),
  model: Nullable(Type.String()),
  policy: Nullable(RunPolicy),
  /** When its first turn gets a worktree; null: the setting of the agent counts. */
  worktree: Nullable(WorktreeMode),
  /** Whether each turn is validated, unless its message says otherwise. */
  validate: Type.Boolean(),
  /** What each validated turn has to pass before it counts as completed; null: nothing. */
  gate: Nullable(GateOptions),
  state: Type.Enum(CONVERSATION_STATES),
  activity: Type.Enum(CONVERSATION_ACTIVITIES),
  /** What its turn waits for in the activity `waiting`; otherwise null. */
  waitsFor: Nullable(Type.Enum(['usage_limit', 'person'] as const)),
  /** The task of the turn that has not ended; otherwise null. */
  currentRunId: Nullable(Type.String()),
  /** The user of that task; otherwise null. */
  currentRunUserId: Nullable(Type.String()),
  /** The task of the last turn; null before the first. */
  lastRunId: Nullable(Type.String()),
  /** The task whose session of the CLI the next turn or a terminal continues; null if a new session begins. */
  resumeRunId: Nullable(Type.String()),
  /** Messages that wait. */
  queued: Type.Integer(),
  /** Turns that have begun. */
  turns: Type.Integer(),
  /** The cost of all turns, in US dollars; null if no cost is known. */
  costUsd: Nullable(Type.Number()),
  /** Whether a part of the cost comes from the list of prices. */
  costEstimated: Type.Boolean(),
  userId: Type.String(),
  /** The CLI's own session; null until the CLI has named it. */
  cliSessionId: Nullable(Type.String()),
  /** In the state `errored`: why, and how many messages were released. Otherwise null. */
  error: Nullable(Type.String()),
  /** The conversation that it was forked from; null if none, or if that was deleted. */
  forkedFrom: Nullable(Type.String()),
  createdAt: Timestamp,
  /** When a message came or a turn ended last. */
  lastActivityAt: Timestamp,
  archivedAt: Nullable(Timestamp),
  /** Whether it can be forked now. */
  canFork: Type.Boolean(),
  canSteer: Type.Boolean({
    description: 'Whether you can give a message to the turn that runs now. Only the user of a turn can.',
  }),
})
export type Conversation = Static<typeof Conversation>

export const ConversationMessage = Type.Object({
  id: Type.String(),
  /** Rises along the conversation, with gaps. That of a queued message changes when the queue is put into another order. */
  seq: Type.Integer(),
  text: Type.String(),
  state: Type.Enum(MESSAGE_STATES),
  /** The task of its turn, or the one that it was given to; otherwise null. */
  runId: Nullable(Type.String()),
  /** In the state `refused`: why, as a sentence. Otherwise null. */
  error: Nullable(Type.String()),
  /** In the state `terminal`: the last answer of the CLI, if there is one. Otherwise null. */
  answer: Nullable(Type.String()),
  userId: Type.String(),
  via: Type.Enum(MESSAGE_VIA),
  createdAt: Timestamp,
})
export type ConversationMessage = Static<typeof ConversationMessage>

/** A message with the task that it began. */
export const ConversationTurn = Type.Object({
  message: ConversationMessage,
  /** Its prompt is cut. Null for a message that began none, and if the caller may not see it. */
  run: Nullable(CodingSession),
})
export type ConversationTurn = Static<typeof ConversationTurn>

export const ConversationTurns = Type.Object({
  /** In the order of the conversation, without messages that wait. */
  items: Type.Array(ConversationTurn),
  /** The `before` of the request for earlier ones; null if there are none. */
  before: Nullable(Type.Integer()),
})
export type ConversationTurns = Static<typeof ConversationTurns>

/** The last turns, or the last ones before a number. */
export const TurnsQuery = Type.Object(
  {
    before: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TURNS_LIMIT_MAX, default: TURNS_LIMIT_DEFAULT })),
  },
  closed,
)
export type TurnsQuery = Static<typeof TurnsQuery>

export const SendMessage = Type.Object(
  {
    text: Text,
    how: Type.Optional(Type.Enum(MESSAGE_HOW, { default: 'queue' })),
    /** Whether, and how, its turn is validated. Without it, what the conversation says counts. */
    validate: CreateCodingSession.properties.validate,
  },
  closed,
)
export type SendMessage = Static<typeof SendMessage>

export const UpdateQueuedMessage = Type.Object(
  {
    text: Type.Optional(Text),
    /** Its new place in the queue: 0 is the next one. A place behind the last one is the last place. */
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: MESSAGES_QUEUED_MAX })),
  },
  closed,
)
export type UpdateQueuedMessage = Static<typeof UpdateQueuedMessage>

export const ForkConversation = Type.Object(
  {
    /** Without it, that of the conversation. */
    title: Type.Optional(Title),
  },
  closed,
)
export type ForkConversation = Static<typeof ForkConversation>

export const InterruptTurn = Type.Object(
  {
    /** The task of the turn that is meant. Without it, the turn that runs. */
    runId: Type.Optional(Type.String({ format: 'uuid' })),
  },
  closed,
)
export type InterruptTurn = Static<typeof InterruptTurn>

export const ConversationsQuery = Type.Object(
  {
    ...PageQuery.properties,
    agent: Type.Optional(AgentName),
    /** Without it, those that are not archived. */
    state: Type.Optional(Type.Enum(CONVERSATION_STATES)),
    by: Type.Optional(Whose),
  },
  closed,
)
export type ConversationsQuery = Static<typeof ConversationsQuery>

/** By their last activity, newest first. */
export const Conversations = Page(Conversation)
export type Conversations = Static<typeof Conversations>
