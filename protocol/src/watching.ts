/** Links to a live terminal session, and the people who are in it. */
import Type, { type Static } from 'typebox'
import { Timestamp } from './common.ts'

/** Begins the secret of a link, so that one can be told from a token and found where it should not be. */
export const LINK_PREFIX = 'slk_'
/** Shortest and longest life of a link, in minutes. */
export const LINK_MINUTES_MIN = 5
export const LINK_MINUTES_MAX = 10_080
export const LINK_MINUTES_DEFAULT = 60
/** Links that one session may have at once, and people who may watch it. */
export const LINKS_MAX = 20
export const WATCHERS_MAX = 50

/** What a link gives: to look on, or to be given control as well. */
export const LinkAccess = Type.Union([Type.Literal('view'), Type.Literal('control')])
export type LinkAccess = Static<typeof LinkAccess>
/** For whom it is: people with access to the agent, or whoever has it. Control takes a sign-in in either case. */
export const LinkAudience = Type.Union([Type.Literal('agent'), Type.Literal('anyone')])
export type LinkAudience = Static<typeof LinkAudience>

export const CreateTerminalLink = Type.Object({
  access: LinkAccess,
  audience: Type.Optional(LinkAudience),
  expiresInMinutes: Type.Optional(Type.Integer({ minimum: LINK_MINUTES_MIN, maximum: LINK_MINUTES_MAX })),
})
export type CreateTerminalLink = Static<typeof CreateTerminalLink>

export const TerminalLink = Type.Object({
  id: Type.String(),
  sessionId: Type.String(),
  access: LinkAccess,
  audience: LinkAudience,
  createdBy: Type.Object({ id: Type.String(), email: Type.String() }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type TerminalLink = Static<typeof TerminalLink>

/** `secret` is told this once. The page is `/watch#<secret>`: what stands behind the # is sent to no server. */
export const CreatedTerminalLink = Type.Object({
  ...TerminalLink.properties,
  secret: Type.String(),
  url: Type.String(),
})
export type CreatedTerminalLink = Static<typeof CreatedTerminalLink>

/** Somebody in a session. */
export const Participant = Type.Object({
  id: Type.String(),
  /** An e-mail address, or "Guest 2" of somebody without a sign-in. */
  name: Type.String(),
  /** Whose session it is. */
  isHolder: Type.Boolean(),
  hasControl: Type.Boolean(),
  mayControl: Type.Boolean(),
  /** Asks for control. */
  asks: Type.Boolean(),
})
export type Participant = Static<typeof Participant>

/**
 * Server, version 2: who is in the session, whenever that changes. `you` is the reader's own id; `refusal` says once why control that
 * they handed over, or asked for, stays where it is. Nobody has it while whose session it is, is away, unless it was handed over.
 */
export const PeopleFrame = Type.Object({
  type: Type.Literal('people'),
  you: Type.String(),
  people: Type.Array(Participant),
  refusal: Type.Optional(Type.String()),
})
export type PeopleFrame = Static<typeof PeopleFrame>

/** Client: asks whoever has control for it, or no longer. */
export const AskControlFrame = Type.Object({ type: Type.Literal('ask_control'), asks: Type.Boolean() })
/** Client: hands control over (`to` a participant's id), or takes it back (to one's own: whose session it is). */
export const GiveControlFrame = Type.Object({ type: Type.Literal('give_control'), to: Type.String({ maxLength: 64 }) })
/** Client, whoever has control: not now, to the participant who asks for it. */
export const DeclineControlFrame = Type.Object({
  type: Type.Literal('decline_control'),
  to: Type.String({ maxLength: 64 }),
})

/** The first message of somebody who comes by a link, over `WS /watch`. Version 2 always. */
export const WatchFrame = Type.Object({
  type: Type.Literal('auth'),
  v: Type.Literal(2),
  link: Type.String({ minLength: 1, maxLength: 100 }),
  /** An access token, where the link asks for a sign-in, or for control. */
  token: Type.Optional(Type.String({ minLength: 1 })),
  /** Everything before it was received, of the session `session`. */
  session: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type WatchFrame = Static<typeof WatchFrame>

/** What everybody is told whose link leads nowhere, or not for them. */
export const LINK_REFUSED = 'You cannot open this terminal. The link may have expired, or the terminal has ended.'
/** What somebody without a sign-in is told whose link asks for one. */
export const LINK_NEEDS_SIGN_IN = 'Sign in to open this link.'
