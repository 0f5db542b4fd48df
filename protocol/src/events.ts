/** `WS /api/events`: what changed, told only to those who may see it. */
import Type, { type Static } from 'typebox'
import { Agent } from './agents.ts'
import { Nullable } from './common.ts'
import { RecordedParts } from './recordings.ts'

/** The first message; anything else closes with 4001. */
export const EventsAuthFrame = Type.Object({ type: Type.Literal('auth'), token: Type.String({ minLength: 1 }) })
export type EventsAuthFrame = Static<typeof EventsAuthFrame>

/** A terminal session in progress, as others who may use the agent see it. */
export const LiveSession = Type.Object({
  sessionId: Type.String(),
  userId: Type.String(),
  email: Type.String(),
  mode: Type.String(),
  /** Its user is not there: it goes on and waits for them. */
  waits: Type.Boolean(),
  /** What of it is being recorded. */
  recorded: RecordedParts,
})
export type LiveSession = Static<typeof LiveSession>

export const PlatformEvent = Type.Union([
  Type.Object({ type: Type.Literal('auth_success') }),
  /** The server is there, as it says every 15 s after `auth_success`: what hears none for longer has lost it. */
  Type.Object({ type: Type.Literal('alive') }),
  /** An agent was made, changed its state or its settings, or became visible to this user. */
  Type.Object({ type: Type.Literal('agent'), agent: Agent }),
  /** An agent is gone, or is no longer this user's to see. */
  Type.Object({ type: Type.Literal('agent_removed'), agentId: Type.String(), name: Type.String() }),
  /** Who is in the agent's terminals now. */
  Type.Object({ type: Type.Literal('sessions'), agentId: Type.String(), sessions: Type.Array(LiveSession) }),
  Type.Object({
    type: Type.Literal('error'),
    message: Type.String(),
    close: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Nullable(Type.String())),
  }),
])
export type PlatformEvent = Static<typeof PlatformEvent>
