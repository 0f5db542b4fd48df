/** People, their roles and their API tokens. */
import Type, { type Static } from 'typebox'
import { Email, NewPassword, Nullable, Timestamp } from './common.ts'

export const Role = Type.Union([Type.Literal('admin'), Type.Literal('user')])
export type Role = Static<typeof Role>

export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Role,
  /** Set while the account is disabled. */
  disabledAt: Nullable(Timestamp),
  /** True until the invitation link was used: the account has no password yet. */
  invited: Type.Boolean(),
  createdAt: Timestamp,
})
export type User = Static<typeof User>

export const CreateUser = Type.Object(
  { email: Email, role: Role, password: Type.Optional(NewPassword) },
  { additionalProperties: false },
)
export type CreateUser = Static<typeof CreateUser>

/** A one-time link with which an invited user chooses a password. */
export const Invitation = Type.Object({ url: Type.String(), expiresAt: Timestamp })
export type Invitation = Static<typeof Invitation>

/** `invitation` is there when no password was given; its link is shown once. */
export const CreatedUser = Type.Object({ ...User.properties, invitation: Type.Optional(Invitation) })
export type CreatedUser = Static<typeof CreatedUser>

/** What an admin may change of somebody. */
export const UpdateUser = Type.Object(
  { role: Type.Optional(Role), disabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, minProperties: 1 },
)
export type UpdateUser = Static<typeof UpdateUser>

/** What becomes of the agents of a user who is deleted; `to` is the id of the one who gets them. */
export const DeleteUserQuery = Type.Object(
  {
    agents: Type.Optional(Type.Union([Type.Literal('delete'), Type.Literal('handover')])),
    to: Type.Optional(Type.String({ format: 'uuid' })),
  },
  { additionalProperties: false },
)
export type DeleteUserQuery = Static<typeof DeleteUserQuery>

/** What somebody may change of themselves. The current password is asked for again. */
export const UpdateMe = Type.Object(
  { currentPassword: Type.String({ maxLength: 1024 }), newPassword: NewPassword },
  { additionalProperties: false },
)
export type UpdateMe = Static<typeof UpdateMe>

/** A place where somebody is signed in: one browser, or one program with a password. */
export const SignIn = Type.Object({
  id: Type.String(),
  /** Such as "Firefox 143 on Linux": what the device says of itself, never to be trusted. */
  device: Type.String(),
  /** Whether it is the one that asks. */
  current: Type.Boolean(),
  createdAt: Timestamp,
  /** When it last renewed its access token, which it does every quarter of an hour while it is used. */
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
})
export type SignIn = Static<typeof SignIn>

/** `all`: the sign-in that asks, too. */
export const EndSignInsQuery = Type.Object({ all: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
export type EndSignInsQuery = Static<typeof EndSignInsQuery>

/** What an API token may be used for. A sign-in in the browser has all that its user may do. */
export const SCOPES = ['agents:read', 'agents:write', 'terminal', 'users:admin', 'metrics:read'] as const
export const Scope = Type.Enum(SCOPES)
export type Scope = (typeof SCOPES)[number]

/** All API tokens begin so, which lets secret scanners find a leaked one. */
export const API_TOKEN_PREFIX = 'slp_'

export const ApiToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
})
export type ApiToken = Static<typeof ApiToken>

export const CreateApiToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
  },
  { additionalProperties: false },
)
export type CreateApiToken = Static<typeof CreateApiToken>

/** The only answer that ever holds the token itself. */
export const CreatedApiToken = Type.Object({ ...ApiToken.properties, token: Type.String() })
export type CreatedApiToken = Static<typeof CreatedApiToken>
