/** Finds the user of a token with one database query, which also sees what was revoked a moment ago. */
import { API_TOKEN_PREFIX } from '@slipway/protocol'
import { MINUTE_MS, type Clock } from '../../lib/time/clock.ts'
import { sha256 } from '../../lib/secrets/secrets.ts'
import { PLATFORM, type Source } from '../audit/actor.ts'
import type { AccessTokens } from './access-token.ts'
import type { ApiTokenRepository } from './api-tokens/repository.ts'
import type { Caller, Proof } from './caller.ts'
import type { ChatAccountRepository } from './chat-accounts/repository.ts'
import type { Revocations } from './revocations.ts'
import { SharedChecks } from './shared-checks.ts'
import type { SignInRepository } from './sign-ins/repository.ts'
import type { UserRepository } from './users/repository.ts'

/** The last use of an API token is stored at most this often, in milliseconds: people read it, not programs. */
export const LAST_USE_EVERY_MS = MINUTE_MS
/** The prefix, and 256 bits in base64url. */
const API_TOKEN = new RegExp(`^${API_TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`)

/** What {@link createAuthenticator} needs. */
export interface AuthenticatorDeps {
  readonly accessTokens: AccessTokens
  readonly users: Pick<UserRepository, 'find'>
  readonly signIns: Pick<SignInRepository, 'findUser'>
  readonly apiTokens: Pick<ApiTokenRepository, 'findUser' | 'findUserById' | 'touch'>
  readonly chatAccounts: Pick<ChatAccountRepository, 'findUser'>
  readonly revocations: Revocations
  readonly clock: Clock
}

/** Finds the user of a token. */
export interface Authenticator {
  /** Null for anything but a token that is valid now. Rejects only if the database does not answer. */
  authenticate(token: string, source: Source): Promise<Caller | null>
  /** The caller of an earlier proof; null if it is no longer valid. Rejects only if the database does not answer. */
  again(userId: string, proof: Proof): Promise<Caller | null>
}

/** Accepts access tokens of sign-ins, and API tokens. */
export function createAuthenticator({
  accessTokens,
  users,
  signIns,
  apiTokens,
  chatAccounts,
  revocations,
  clock,
}: AuthenticatorDeps): Authenticator {
  const checks = new SharedChecks<Omit<Caller, 'source'> | null>(revocations)

  async function bySignIn(token: string): Promise<Omit<Caller, 'source'> | null> {
    const claims = accessTokens.verify(token)
    if (!claims) return null
    const { signInId, userId } = claims
    return checks.run(`${signInId} ${userId}`, async () => {
      const user = await signIns.findUser(signInId, userId, new Date(clock.now()))
      return user && { ...user, via: { kind: 'sign_in', signInId } }
    })
  }

  async function byApiToken(token: string): Promise<Omit<Caller, 'source'> | null> {
    if (!API_TOKEN.test(token)) return null
    const hash = sha256(token)
    return checks.run(hash, async () => {
      const now = clock.now()
      const found = await apiTokens.findUser(hash, new Date(now))
      if (!found) return null
      const { tokenId, scopes, lastUsedAt, ...user } = found
      const since = new Date(now - LAST_USE_EVERY_MS)
      if (lastUsedAt === null || lastUsedAt < since) await apiTokens.touch(tokenId, new Date(now), since)
      return { ...user, via: { kind: 'api_token', tokenId, scopes } }
    })
  }

  async function again(userId: string, { kind, id }: Proof): Promise<Caller | null> {
    const now = new Date(clock.now())
    const { source } = PLATFORM
    if (kind === 'user') {
      const user = id === userId ? await users.find(userId) : null
      if (user?.disabledAt !== null) return null
      const { email, role } = user
      return { userId, email, role, via: { kind, userId }, source }
    }
    if (kind === 'sign_in') {
      const user = await signIns.findUser(id, userId, now)
      return user && { ...user, via: { kind, signInId: id }, source }
    }
    if (kind === 'discord') {
      const user = await chatAccounts.findUser(id, userId)
      return user && { userId, email: user.email, role: user.role, via: { kind, linkId: id }, source }
    }
    // Its connection does not outlive the server.
    if (kind === 'ssh_key') return null
    const found = await apiTokens.findUserById(id, userId, now)
    if (!found) return null
    const { email, role, tokenId, scopes } = found
    return { userId, email, role, via: { kind, tokenId, scopes }, source }
  }

  return {
    again,
    async authenticate(token, source) {
      const found = await (token.startsWith(API_TOKEN_PREFIX) ? byApiToken(token) : bySignIn(token))
      return found && { ...found, source }
    },
  }
}
