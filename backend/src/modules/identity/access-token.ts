/** The short-lived token of a sign-in: a signed statement of its user, checked against the database at each use. */
import jwt from 'jsonwebtoken'
import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/time/clock.ts'
import { isUuid } from '../../lib/ids.ts'
import { deriveKey } from '../../lib/secrets/secrets.ts'

/** How long an access token is valid, in seconds. */
export const ACCESS_TOKEN_SECONDS = (15 * MINUTE_MS) / SECOND_MS
/** Ours have about 330 characters; nothing longer is even decoded. */
const MAX_LENGTH = 1024
/** The only algorithm for signing and for checking. A token that names another is refused, "none" included. */
const ALGORITHM = 'HS256'
const ISSUER = 'slipway'
const AUDIENCE = 'slipway-api'
/** Tells access tokens from other tokens that this installation may sign in the future. */
const TOKEN_TYPE = 'access'
const KEY_LABEL = 'slipway access token v1'

/** What a token says. */
export interface AccessClaims {
  readonly userId: string
  readonly signInId: string
}

/** Signs and checks access tokens. */
export interface AccessTokens {
  sign(claims: AccessClaims): string
  /** Null for anything but a valid token of ours; never throws. */
  verify(token: string): AccessClaims | null
}

/** The key is derived from the secret key, so a new secret key ends every access token. */
export function createAccessTokens(secretKey: Uint8Array, clock: Clock): AccessTokens {
  const key = deriveKey(secretKey, KEY_LABEL)
  const seconds = () => Math.floor(clock.now() / SECOND_MS)
  return {
    sign: ({ userId, signInId }) =>
      jwt.sign({ typ: TOKEN_TYPE, sid: signInId, iat: seconds(), exp: seconds() + ACCESS_TOKEN_SECONDS }, key, {
        algorithm: ALGORITHM,
        issuer: ISSUER,
        audience: AUDIENCE,
        subject: userId,
      }),
    verify(token) {
      if (token.length > MAX_LENGTH) return null
      try {
        const expected = { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE } satisfies jwt.VerifyOptions
        return readClaims(jwt.verify(token, key, { ...expected, clockTimestamp: seconds() }))
      } catch {
        return null
      }
    },
  }
}

/**
 * Requires every claim. A good signature is not enough: the library treats a token without `exp` as one that never
 * expires.
 */
function readClaims(payload: string | jwt.JwtPayload): AccessClaims | null {
  if (typeof payload === 'string') return null
  const { typ, sub, exp } = payload
  const sid: unknown = payload['sid']
  if (typ !== TOKEN_TYPE || typeof exp !== 'number') return null
  if (typeof sub !== 'string' || !isUuid(sub) || typeof sid !== 'string' || !isUuid(sid)) return null
  return { userId: sub, signInId: sid }
}
