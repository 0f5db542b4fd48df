/** Signing in: set-up, invitation, login, refresh. */
import Type, { type Static } from 'typebox'
import { Email, NewPassword } from './common.ts'
import { User } from './users.ts'

/** Name of the HttpOnly cookie that holds the refresh token. */
export const REFRESH_COOKIE = 'slipway_refresh'

/** Whether the first admin exists; the only thing a stranger may learn. */
export const AuthStatus = Type.Object({ setUp: Type.Boolean() })
export type AuthStatus = Static<typeof AuthStatus>

const LinkToken = Type.String({ minLength: 1, maxLength: 200 })

export const SetupBody = Type.Object(
  { token: LinkToken, email: Email, password: NewPassword },
  { additionalProperties: false },
)
export type SetupBody = Static<typeof SetupBody>

export const AcceptInvitationBody = Type.Object(
  { token: LinkToken, password: NewPassword },
  { additionalProperties: false },
)
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>

export const LoginBody = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }), password: Type.String({ minLength: 1, maxLength: 1024 }) },
  { additionalProperties: false },
)
export type LoginBody = Static<typeof LoginBody>

/** Answer of set-up, invitation, login and refresh. `expiresIn` is in seconds. */
export const SignedIn = Type.Object({
  accessToken: Type.String(),
  expiresIn: Type.Integer(),
  user: User,
})
export type SignedIn = Static<typeof SignedIn>
