/** Users, their roles and their API tokens. */
import Type, { type Static } from 'typebox'
import { Email, NewPassword, Nullable, Timestamp } from '../common.ts'

export const Role = Type.Union([Type.Literal('admin'), Type.Literal('user')])
export type Role = Static<typeof Role>

export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Role,
  /** Set while the account is disabled. */
  disabledAt: Nullable(Timestamp),
  /** True until the user accepts the invitation: the account has no password yet. */
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

/** `invitation` is present if no password was given; its link is shown only once. */
export const CreatedUser = Type.Object({ ...User.properties, invitation: Type.Optional(Invitation) })
export type CreatedUser = Static<typeof CreatedUser>

/** The changes that an admin may make to a user. */
export const UpdateUser = Type.Object(
  { role: Type.Optional(Role), disabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, minProperties: 1 },
)
export type UpdateUser = Static<typeof UpdateUser>

/** What happens to the agents of a user who is being deleted. `to` is the id of the user who gets them. */
export const DeleteUserQuery = Type.Object(
  {
    agents: Type.Optional(Type.Union([Type.Literal('delete'), Type.Literal('handover')])),
    to: Type.Optional(Type.String({ format: 'uuid' })),
  },
  { additionalProperties: false },
)
export type DeleteUserQuery = Static<typeof DeleteUserQuery>

/** The changes that a user may make to their own account. They require the current password. */
export const UpdateMe = Type.Object(
  { currentPassword: Type.String({ maxLength: 1024 }), newPassword: NewPassword },
  { additionalProperties: false },
)
export type UpdateMe = Static<typeof UpdateMe>

/** A sign-in of a user: one browser, or one program with a password. */
export const SignIn = Type.Object({
  id: Type.String(),
  /** For example "Firefox 143 on Linux". The device names itself, so do not trust it. */
  device: Type.String(),
  /** Whether the request came from this sign-in. */
  current: Type.Boolean(),
  createdAt: Timestamp,
  /** When it last renewed its access token. A sign-in in use does so every quarter of an hour. */
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
})
export type SignIn = Static<typeof SignIn>

/** `all`: also ends the sign-in of the request. */
export const EndSignInsQuery = Type.Object({ all: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
export type EndSignInsQuery = Static<typeof EndSignInsQuery>

/** What an API token may do. A sign-in in the browser has all rights of its user. */
export const SCOPES = [
  'agents:read',
  'agents:write',
  'terminal',
  'tasks:read',
  'tasks:write',
  'users:admin',
  'metrics:read',
] as const
export const Scope = Type.Enum(SCOPES)
export type Scope = (typeof SCOPES)[number]

/** The prefix of all API tokens. Secret scanners recognize a leaked token by it. */
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

/** The only answer that contains the token itself. */
export const CreatedApiToken = Type.Object({ ...ApiToken.properties, token: Type.String() })
export type CreatedApiToken = Static<typeof CreatedApiToken>

/**
 * What a program of another device asks for. It has no token yet: its user allows the request on a page, as in the device
 * authorization grant of RFC 8628.
 */
export const CreateDeviceLogin = Type.Object(
  {
    /** How the program names itself and its device, such as `slipway on laptop`. Shown to the user, who may change it. */
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
  },
  { additionalProperties: false },
)
export type CreateDeviceLogin = Static<typeof CreateDeviceLogin>

export const CreatedDeviceLogin = Type.Object({
  /** The program's secret: with it, it collects the token. */
  deviceCode: Type.String(),
  /** What the program shows to its user, who enters it on the page. */
  userCode: Type.String(),
  /** The page for the code, below the address of the server. */
  path: Type.String(),
  expiresAt: Timestamp,
  /** How long the program waits between two requests for the token, in seconds. */
  intervalSeconds: Type.Integer({ minimum: 1 }),
})
export type CreatedDeviceLogin = Static<typeof CreatedDeviceLogin>

export const CollectDeviceLogin = Type.Object(
  { deviceCode: Type.String({ maxLength: 200 }) },
  { additionalProperties: false },
)
export type CollectDeviceLogin = Static<typeof CollectDeviceLogin>

/** The token, once the user has allowed it. Only one answer contains it. */
export const CollectedDeviceLogin = Type.Union([
  Type.Object({ state: Type.Literal('pending') }),
  Type.Object({ state: Type.Literal('denied') }),
  Type.Object({ state: Type.Literal('allowed'), token: CreatedApiToken }),
])
export type CollectedDeviceLogin = Static<typeof CollectedDeviceLogin>

/** A code as users type it: in small letters, and with spaces or hyphens anywhere. */
const UserCode = Type.String({ maxLength: 100 })

export const FindDeviceLogin = Type.Object({ userCode: UserCode }, { additionalProperties: false })
export type FindDeviceLogin = Static<typeof FindDeviceLogin>

/** A request that waits for its user. The program wrote the name, so do not trust it. */
export const DeviceLogin = Type.Object({
  name: Type.String(),
  scopes: Type.Array(Scope),
  /** The network address from which the program asked. */
  address: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type DeviceLogin = Static<typeof DeviceLogin>

/** The user's answer: `token` describes the token to create, or is null to deny. */
export const DecideDeviceLogin = Type.Object(
  { userCode: UserCode, token: Nullable(CreateApiToken) },
  { additionalProperties: false },
)
export type DecideDeviceLogin = Static<typeof DecideDeviceLogin>
