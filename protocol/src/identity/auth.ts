/** Signing in: set-up, invitation, login, refresh. */
import Type, { type Static } from 'typebox'
import { Email, NewPassword } from '../common.ts'
import { User } from './users.ts'

/** Name of the HttpOnly cookie that holds the refresh token. */
export const REFRESH_COOKIE = 'slipway_refresh'
/**
 * Name of the header with the other half of the refresh secret, {@link SignedIn} `refreshKey`. Cookies ignore ports: a
 * server on another port of the same host gets the cookie and can replace it. It cannot read the page's storage.
 */
export const REFRESH_KEY_HEADER = 'slipway-refresh-key'

/** `origin`: the origin of the page that asks. Only the page knows it. */
export const AuthStatusQuery = Type.Object(
  { origin: Type.Optional(Type.String({ maxLength: 300 })) },
  { additionalProperties: false },
)
export type AuthStatusQuery = Static<typeof AuthStatusQuery>

/** Whether the first admin exists, and whether pages of that origin may sign in. Strangers learn nothing else. */
export const AuthStatus = Type.Object({ setUp: Type.Boolean(), originAllowed: Type.Optional(Type.Boolean()) })
export type AuthStatus = Static<typeof AuthStatus>

const LinkToken = Type.String({ minLength: 1, maxLength: 200 })

export const SetupBody = Type.Object(
  { token: LinkToken, email: Email, password: NewPassword },
  { additionalProperties: false },
)
export type SetupBody = Static<typeof SetupBody>

/** Asks for the e-mail address of an invitation. The token is in the body, because addresses end up in logs. */
export const InvitationLookup = Type.Object({ token: LinkToken }, { additionalProperties: false })
export type InvitationLookup = Static<typeof InvitationLookup>

/** The e-mail address of an invitation. Only a client with its token gets it, and that client may sign in anyway. */
export const InvitedAs = Type.Object({ email: Email })
export type InvitedAs = Static<typeof InvitedAs>

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

/** Request headers of refresh and sign-out. */
export const RefreshHeaders = Type.Object({
  [REFRESH_KEY_HEADER]: Type.Optional(
    Type.String({ maxLength: 200, description: 'The `refreshKey` of the sign-in. The cookie alone is not enough.' }),
  ),
})
export type RefreshHeaders = Static<typeof RefreshHeaders>

/**
 * The answer of set-up, invitation, login and refresh. `expiresIn` is in seconds. `refreshKey` stays the same until the
 * sign-in ends.
 */
export const SignedIn = Type.Object({
  accessToken: Type.String(),
  expiresIn: Type.Integer(),
  refreshKey: Type.String(),
  user: User,
})
export type SignedIn = Static<typeof SignedIn>
