/** Signing in, staying signed in and signing out. */
import type { SignedIn } from '@slipway/protocol'
import { DAY_MS, type Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { newSecret, sameHash, sha256 } from '../../../lib/secrets.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '../access-token.ts'
import type { CheckPassword } from '../credentials.ts'
import type { Revocation, Revocations } from '../revocations.ts'
import { normaliseEmail, presentUser } from '../users/present.ts'
import type { StoredUser, UserRepository } from '../users/repository.ts'
import type { SignInRepository } from './repository.ts'

/** A sign-in ends when it was not used for so long, in milliseconds. */
export const SIGN_IN_IDLE_MS = 30 * DAY_MS
/** How much of the browser's name is kept, in characters. */
const MAX_USER_AGENT = 256

/** Where a request comes from. */
export interface Device {
  /** The network address. */
  readonly address: string
  /** What the browser calls itself. */
  readonly userAgent: string | null
}

/** A sign-in's answer, and the refresh token that goes into the cookie. */
export interface Opened {
  readonly body: SignedIn
  readonly refreshToken: string
}

/** What {@link createSignInService} needs. */
export interface SignInDeps {
  readonly users: Pick<UserRepository, 'findByEmail'>
  readonly signIns: SignInRepository
  readonly accessTokens: AccessTokens
  readonly checkPassword: CheckPassword
  readonly revocations: Revocations
  readonly clock: Clock
  readonly newId: NewId
}

/** Sign-ins. */
export interface SignInService {
  /** Throws `INVALID_CREDENTIALS` for whatever is wrong, `TOO_MANY_REQUESTS` after too much of it. */
  login(email: string, password: string, device: Device): Promise<Opened>
  /** Signs in a user who has proven themselves otherwise. */
  open(user: StoredUser, device: Device): Promise<Opened>
  /** Exchanges the newest refresh token for the next; an older one ends the sign-in. Throws `INVALID_REFRESH`. */
  refresh(refreshToken: string): Promise<Opened>
  /** Ends a sign-in; nothing happens where it has ended already. */
  end(signInId: string): Promise<void>
  /** Ends the sign-in that a refresh token is of, be it the newest or not. */
  endByRefreshToken(refreshToken: string): Promise<void>
}

/** A refresh token is `<sign-in id>.<secret>`. */
function parseRefreshToken(token: string): { id: string; secret: string } | null {
  const [id, secret, ...rest] = token.split('.', 3)
  return id && secret && rest.length === 0 && isUuid(id) ? { id, secret } : null
}

/** Access tokens are checked against the sign-in at each use, so ending one takes effect at once. */
export function createSignInService(deps: SignInDeps): SignInService {
  const { users, signIns, accessTokens, checkPassword, revocations, clock, newId } = deps

  function opened(user: StoredUser, signInId: string, secret: string): Opened {
    const accessToken = accessTokens.sign({ userId: user.id, signInId })
    const body = { accessToken, expiresIn: ACCESS_TOKEN_SECONDS, user: presentUser(user) }
    return { body, refreshToken: `${signInId}.${secret}` }
  }

  async function open(user: StoredUser, device: Device): Promise<Opened> {
    const [id, secret, now] = [newId(), newSecret(), new Date(clock.now())]
    await signIns.prune(user.id, now)
    await signIns.create({
      id,
      userId: user.id,
      refreshHash: sha256(secret),
      userAgent: device.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SIGN_IN_IDLE_MS),
    })
    return opened(user, id, secret)
  }

  async function end(signInId: string, because: SignInEnd): Promise<void> {
    if (!(await signIns.revoke(signInId, new Date(clock.now())))) return
    revocations.emit({ kind: 'sign_in', signInId, because })
  }

  return {
    open,
    async login(email, password, device) {
      const address = normaliseEmail(email)
      const user = address.includes('\0') ? null : await users.findByEmail(address)
      const stored = user && user.disabledAt === null ? user.passwordHash : null
      const right = await checkPassword({ stored, password, email: address, address: device.address })
      if (!user || !right) throw new AppError('INVALID_CREDENTIALS', 'E-mail address and password do not match.')
      return open(user, device)
    },
    async refresh(refreshToken) {
      const token = parseRefreshToken(refreshToken)
      const now = new Date(clock.now())
      const signIn = token && (await signIns.findLive(token.id, now))
      if (!token || !signIn) throw invalidRefresh()
      const oldHash = sha256(token.secret)
      if (!sameHash(oldHash, signIn.refreshHash)) {
        // Two have had the same token: its owner, and somebody who copied it. Nobody can tell which one this is.
        await end(signIn.id, 'token_reused')
        throw invalidRefresh()
      }
      const secret = newSecret()
      const expiresAt = new Date(now.getTime() + SIGN_IN_IDLE_MS)
      // Two tabs that ask in the same instant: one wins, and the other is only told to ask again with the new cookie.
      if (!(await signIns.rotate(signIn.id, { oldHash, newHash: sha256(secret), now, expiresAt })))
        throw invalidRefresh()
      return opened(signIn.user, signIn.id, secret)
    },
    end: (signInId) => end(signInId, 'signed_out'),
    async endByRefreshToken(refreshToken) {
      const token = parseRefreshToken(refreshToken)
      if (!token) return
      await end(token.id, 'signed_out')
    },
  }
}

type SignInEnd = Extract<Revocation, { kind: 'sign_in' }>['because']

function invalidRefresh(): AppError {
  return new AppError('INVALID_REFRESH', 'You are signed out. Sign in again.')
}
