/** `WS /api/events`: changes, sent only to users who may see them. */
import Type, { type Static } from 'typebox'
import { Agent } from './agents/agents.ts'
import { Nullable } from './common.ts'
import { Conversation } from './tasks/conversations.ts'
import { Dialog } from './dialogs/dialogs.ts'
import { Preparation } from './agents/preparation.ts'
import { RecordedParts } from './terminal/recordings.ts'
import { RunEvent } from './tasks/run-events.ts'
import { CodingSession, RunReason, RunState } from './tasks/runs.ts'
import { AgentNotice, Shown } from './dialogs/shown.ts'

/** The first message; anything else closes with 4001. */
export const EventsAuthFrame = Type.Object({ type: Type.Literal('auth'), token: Type.String({ minLength: 1 }) })
export type EventsAuthFrame = Static<typeof EventsAuthFrame>

/** A message of a client after the first one. */
export const RunSubscription = Type.Object(
  {
    type: Type.Literal('coding-agent:subscribe'),
    sessionId: Type.String({ maxLength: 36 }),
    /** With it, the events with a higher number come, too. */
    after: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type RunSubscription = Static<typeof RunSubscription>

/** Why the program of a terminal waits for its user: for a permission, or for another answer. */
export const TERMINAL_NEEDS = ['permission', 'answer'] as const
export type TerminalNeed = (typeof TERMINAL_NEEDS)[number]

/** A terminal session in progress, as other users of the agent see it. */
export const LiveSession = Type.Object({
  sessionId: Type.String(),
  userId: Type.String(),
  email: Type.String(),
  mode: Type.String(),
  /** Which of its user's terminals in the agent it is. Absent: the one without a name. */
  tab: Type.Optional(Type.String()),
  /** Its user is disconnected: the session continues and waits for them. */
  waits: Type.Boolean(),
  /** What its program waits with, as its CLI says it. Null: nothing is known. */
  needs: Nullable(Type.Enum(TERMINAL_NEEDS)),
  /** Whether its program works: it has been printing for seconds, and not only what its user types. */
  works: Type.Boolean(),
  /** Whether its coding CLI had a credential or a sign-in when it was last looked at. Null: unknown, or it needs none. */
  signedIn: Nullable(Type.Boolean()),
  /** The session of a coding CLI that it continues, as its task has it. Null: it began one of its own. */
  continues: Nullable(Type.String()),
  /** Which parts of it are being recorded. */
  recorded: RecordedParts,
})
export type LiveSession = Static<typeof LiveSession>

export const PlatformEvent = Type.Union([
  Type.Object({ type: Type.Literal('auth_success') }),
  /** A heartbeat, every 15 s after `auth_success`. A client that gets none for longer has lost the server. */
  Type.Object({ type: Type.Literal('alive') }),
  /** An agent was created, changed its state or its settings, or became visible to this user. */
  Type.Object({ type: Type.Literal('agent'), agent: Agent }),
  /** An agent was deleted, or is no longer visible to this user. */
  Type.Object({ type: Type.Literal('agent_removed'), agentId: Type.String(), name: Type.String() }),
  /** The sessions in the agent's terminals. */
  Type.Object({ type: Type.Literal('coding-agent:session:created'), session: CodingSession }),
  /** More output of a run, to those who subscribed to it. */
  Type.Object({ type: Type.Literal('coding-agent:session:output'), sessionId: Type.String(), data: Type.String() }),
  /** The next event of a run, to those who subscribed with `after`. */
  Type.Object({ type: Type.Literal('coding-agent:session:event'), sessionId: Type.String(), event: RunEvent }),
  Type.Object({ type: Type.Literal('coding-agent:session:state'), sessionId: Type.String(), state: RunState }),
  Type.Object({
    type: Type.Literal('coding-agent:session:exit'),
    sessionId: Type.String(),
    exitCode: Nullable(Type.Integer()),
    reason: RunReason,
  }),
  Type.Object({ type: Type.Literal('coding-agent:session:error'), sessionId: Type.String(), error: Type.String() }),
  /** A question to people was asked, or was answered, or does not need an answer any more. */
  Type.Object({ type: Type.Literal('dialog:opened'), dialog: Dialog }),
  Type.Object({ type: Type.Literal('dialog:answered'), dialog: Dialog }),
  Type.Object({ type: Type.Literal('dialog:closed'), dialog: Dialog }),
  /**
   * A conversation began or changed: also its queue, or the state of its turn. The events of the turn are those of its
   * task.
   */
  Type.Object({ type: Type.Literal('conversation:changed'), conversation: Conversation }),
  Type.Object({ type: Type.Literal('conversation:removed'), conversationId: Type.String() }),
  /** A program in an agent tells people something, or changes one thing that the agent shows. */
  Type.Object({ type: Type.Literal('agent:notice'), agentId: Type.String(), notice: AgentNotice }),
  Type.Object({ type: Type.Literal('agent:shown'), agentId: Type.String(), shown: Shown }),
  /** The repository, the set-up or the first task with which an agent begins got further. */
  Type.Object({ type: Type.Literal('agent:preparation'), agentId: Type.String(), preparation: Preparation }),
  Type.Object({ type: Type.Literal('sessions'), agentId: Type.String(), sessions: Type.Array(LiveSession) }),
  Type.Object({
    type: Type.Literal('error'),
    message: Type.String(),
    /** `FORBIDDEN`: the API token lacks the scope. */
    code: Type.Optional(Type.Literal('FORBIDDEN')),
    close: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Nullable(Type.String())),
  }),
])
export type PlatformEvent = Static<typeof PlatformEvent>
