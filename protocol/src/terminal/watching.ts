/** Links to a live terminal session, and its participants. */
import Type, { type Static } from 'typebox'
import { Timestamp } from '../common.ts'

/** The prefix of a link's secret. It distinguishes a link from a token, and lets scanners find a leaked one. */
export const LINK_PREFIX = 'slk_'
/** Shortest and longest lifetime of a link, in minutes. */
export const LINK_MINUTES_MIN = 5
export const LINK_MINUTES_MAX = 10_080
export const LINK_MINUTES_DEFAULT = 60
/** Most links of one session, and most people who watch it at the same time. */
export const LINKS_MAX = 20
export const WATCHERS_MAX = 50

/** The right that a link gives: to watch, or also to get control. */
export const LinkAccess = Type.Union([Type.Literal('view'), Type.Literal('control')])
export type LinkAccess = Static<typeof LinkAccess>
/**
 * The audience of a link: users with access to the agent, or anyone with the link. Control requires a sign-in in both
 * cases.
 */
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

/** Only this answer contains `secret`. The page is `/watch#<secret>`: browsers send nothing after the # to a server. */
export const CreatedTerminalLink = Type.Object({
  ...TerminalLink.properties,
  secret: Type.String(),
  url: Type.String(),
})
export type CreatedTerminalLink = Static<typeof CreatedTerminalLink>

/** A participant of a session. */
export const Participant = Type.Object({
  id: Type.String(),
  /** An e-mail address, or for example "Guest 2" for a guest who is not signed in. */
  name: Type.String(),
  /** Whether the session belongs to this participant. */
  isHolder: Type.Boolean(),
  hasControl: Type.Boolean(),
  mayControl: Type.Boolean(),
  /** Whether this participant asks for control. */
  asks: Type.Boolean(),
})
export type Participant = Static<typeof Participant>

/**
 * Server, version 2: the participants, sent after each change. `you` is the reader's own id. `refusal` is sent once:
 * why the reader could not get control or hand it over. While the session's user is disconnected, no participant has
 * control, unless the user handed it over.
 */
export const PeopleFrame = Type.Object({
  type: Type.Literal('people'),
  you: Type.String(),
  people: Type.Array(Participant),
  refusal: Type.Optional(Type.String()),
})
export type PeopleFrame = Static<typeof PeopleFrame>

/** Client: asks the participant with control for it, or withdraws the request. */
export const AskControlFrame = Type.Object({ type: Type.Literal('ask_control'), asks: Type.Boolean() })
/** Client: hands control over to the participant `to`. The session's user takes control back with their own id. */
export const GiveControlFrame = Type.Object({ type: Type.Literal('give_control'), to: Type.String({ maxLength: 64 }) })
/** Client with control: declines the request of the participant `to`. */
export const DeclineControlFrame = Type.Object({
  type: Type.Literal('decline_control'),
  to: Type.String({ maxLength: 64 }),
})

/**
 * The first message of a client that watches a terminal, over `WS /watch`. Always version 2. It has either `link`, or
 * `terminal` and a token.
 */
export const WatchFrame = Type.Object({
  type: Type.Literal('auth'),
  v: Type.Literal(2),
  /** The secret of a link. */
  link: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** The session of a terminal in an agent that the user has access to. */
  terminal: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** An access token, if the link requires a sign-in or the user wants control. */
  token: Type.Optional(Type.String({ minLength: 1 })),
  /** The client has all output of the session `session` before `offset`. */
  session: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type WatchFrame = Static<typeof WatchFrame>

/** The answer for an invalid link, and for a user whom the link does not admit. */
export const LINK_REFUSED = 'You cannot open this terminal. The link may have expired, or the terminal has ended.'
/** The answer for a guest who is not signed in, if the link requires it. */
export const LINK_NEEDS_SIGN_IN = 'Sign in to open this link.'
