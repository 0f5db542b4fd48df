/** Signing in, staying signed in and signing out. */
import { PAGE_LIMIT_DEFAULT, type PageQuery, type SignedIn, type SignIn } from '@slipway/protocol'
import { DAY_MS, SECOND_MS, type Clock } from '../../../lib/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { pageOf, pageStart, type PageOf } from '../../../lib/page.ts'
import { newSecret, sameHash, sha256 } from '../../../lib/secrets.ts'
import { type Actor, type Source, stranger } from '../../audit/actor.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '../access-token.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { CheckPassword } from '../credentials.ts'
import type { FailedLogins } from '../failed-logins.ts'
import type { KnownNetworks } from '../networks.ts'
import type { Revocations } from '../revocations.ts'
import { invalidLink } from '../setup/service.ts'
import { normaliseEmail, presentUser } from '../users/present.ts'
import type { UserRepository } from '../users/repository.ts'
import type { StoredUser } from '../users/user.ts'
import { presentSignIn } from './present.ts'
import type { Closing, Holder, LiveSignIn, Opening, SignInRepository } from './repository.ts'

/** A sign-in ends when it was not used for so long, in milliseconds. */
export const SIGN_IN_IDLE_MS = 30 * DAY_MS
/**
 * For how long the token that was just replaced is taken once more, in milliseconds, because the answer with its successor
 * may have been lost on the way (docs/adr/0008-people.md).
 */
export const REFRESH_GRACE_MS = 30 * SECOND_MS
/** How much of the browser's name is kept, in characters. */
const MAX_USER_AGENT = 256

/** Where a sign-in comes from. */
export interface Device extends Source {
  readonly address: string
  /** What the browser calls itself. */
  readonly userAgent: string | null
}

/** What renews a sign-in: the cookie's half, which each use replaces, and the key, which only pages of the origin can read. */
export interface RefreshSecret {
  readonly token: string
  readonly key: string
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
  readonly knownNetworks: Pick<KnownNetworks, 'used'>
  readonly failedLogins: Pick<FailedLogins, 'tell'>
  readonly revocations: Revocations
  readonly clock: Clock
  readonly newId: NewId
}

/** Sign-ins. */
export interface SignInService {
  /** Throws `INVALID_CREDENTIALS` for whatever is wrong, `TOO_MANY_REQUESTS` after too much of it. */
  login(email: string, password: string, device: Device): Promise<Opened>
  /** Signs in a user who has proven themselves otherwise. Throws `INVALID_LINK` where they are disabled since then. */
  open(user: StoredUser, device: Device): Promise<Opened>
  /**
   * Exchanges the newest refresh token for the next; the one before it, too, for a moment after it was replaced; an older
   * one ends the sign-in. Without the right key nothing changes. Throws `INVALID_REFRESH`, and `REFRESH_CONFLICT` where it is used twice at once.
   */
  refresh(secret: RefreshSecret, source: Source): Promise<Opened>
  /** Ends a sign-in; nothing happens where it has ended already. */
  end(signInId: string, actor: Actor): Promise<void>
  /** Ends the sign-in that a refresh token is of, be it the newest or not, if the key is right. */
  endByRefreshSecret(secret: RefreshSecret, source: Source): Promise<void>
  /** Where the caller is signed in, newest first. */
  list(caller: Caller, query: PageQuery): Promise<PageOf<SignIn>>
  /** Ends one of the caller's. Throws `NOT_FOUND`. */
  endOwn(caller: Caller, id: string): Promise<void>
  /** Ends all of the caller's, but the one that asks where `keepThis`. */
  endAll(caller: Caller, keepThis: boolean): Promise<void>
}

interface Halves {
  /** Of the refresh token. */
  readonly secret: string
  readonly refreshKey: string
}

/** A refresh token is `<sign-in id>.<secret>`. */
function parseRefreshToken(token: string): { id: string; secret: string } | null {
  const [id, secret, ...rest] = token.split('.', 3)
  return id && secret && rest.length === 0 && isUuid(id) ? { id, secret } : null
}

/** Access tokens are checked against the sign-in at each use, so ending one takes effect at once. */
export function createSignInService(deps: SignInDeps): SignInService {
  const { users, signIns, accessTokens, checkPassword, knownNetworks, failedLogins, revocations, clock, newId } = deps

  function opened(user: StoredUser, signInId: string, { secret, refreshKey }: Halves, { address }: Source): Opened {
    knownNetworks.used(user.email, address)
    const accessToken = accessTokens.sign({ userId: user.id, signInId })
    const body = { accessToken, expiresIn: ACCESS_TOKEN_SECONDS, refreshKey, user: presentUser(user) }
    return { body, refreshToken: `${signInId}.${secret}` }
  }

  /** Null where the user is not any more as they were when they proved themselves. */
  async function open(user: StoredUser, device: Device, by: Opening['by']): Promise<Opened | null> {
    const [id, secret, refreshKey, now] = [newId(), newSecret(), newSecret(), new Date(clock.now())]
    const signIn = {
      id,
      userId: user.id,
      refreshHash: sha256(secret),
      keyHash: sha256(refreshKey),
      userAgent: device.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SIGN_IN_IDLE_MS),
    }
    const isOpen = await signIns.create(signIn, { user, by, actor: holderActor(id, device)(user) })
    return isOpen ? opened(user, id, { secret, refreshKey }, device) : null
  }

  /** False where there was nothing to end. */
  async function end(signInId: string, closing: Closing): Promise<boolean> {
    if (!(await signIns.revoke(signInId, new Date(clock.now()), closing))) return false
    revocations.emit({ kind: 'sign_in', signInId, because: closing.because })
    return true
  }

  return {
    async open(user, device) {
      const result = await open(user, device, 'link')
      if (!result) throw invalidLink()
      return result
    },
    async login(email, password, device) {
      const address = normaliseEmail(email)
      const user = address.includes('\0') ? null : await users.findByEmail(address)
      const stored = user && user.disabledAt === null ? user.passwordHash : null
      const target = { id: user?.id ?? null, name: address }
      const attempt = { action: 'login.failed', actor: stranger(device), target } as const
      const right = await failedLogins.tell(
        () => checkPassword({ stored, password, email: address, address: device.address }),
        attempt,
        whyNot(user),
      )
      if (!user || !right) throw noMatch()
      const result = await open(user, device, 'password')
      if (result) return result
      // Right when it was compared, but changed since then, or its user disabled: counted and answered as a wrong one.
      await failedLogins.tell(() => Promise.resolve(false), attempt, 'changed_meanwhile')
      throw noMatch()
    },
    async refresh({ token: refreshToken, key }, source) {
      const token = parseRefreshToken(refreshToken)
      const now = new Date(clock.now())
      const signIn = token && (await signIns.findLive(token.id, now))
      // A cookie without its key was copied, or put there by another server: it neither renews nor ends anything.
      if (!token || !signIn?.keyHash || !sameHash(sha256(key), signIn.keyHash)) throw invalidRefresh()
      const oldHash = sha256(token.secret)
      const isNewest = sameHash(oldHash, signIn.refreshHash)
      if (!isNewest && !isInGrace(signIn, oldHash, now)) {
        // Two have had the same token: its owner, and somebody who copied it. Nobody can tell which one this is.
        await end(signIn.id, { because: 'token_reused', actorFor: () => stranger(source) })
        throw invalidRefresh()
      }
      const secret = newSecret()
      const expiresAt = new Date(now.getTime() + SIGN_IN_IDLE_MS)
      // A page that is left while it asks, and the next one, ask in the same instant: one wins. A second answer now would make
      // a thief of the first one's cookie; asked again, this is decided by what has come to be the cookie.
      if (!(await signIns.rotate(signIn.id, { oldHash, newHash: sha256(secret), now, expiresAt, again: !isNewest })))
        throw new AppError('REFRESH_CONFLICT', 'Your sign-in was renewed in the same instant. Try again.')
      return opened(signIn.user, signIn.id, { secret, refreshKey: key }, source)
    },
    async end(signInId, actor) {
      await end(signInId, { because: 'signed_out', actorFor: () => actor })
    },
    async endByRefreshSecret({ token: refreshToken, key }, source) {
      const token = parseRefreshToken(refreshToken)
      if (!token) return
      await end(token.id, { because: 'signed_out', keyHash: sha256(key), actorFor: holderActor(token.id, source) })
    },
    async list({ userId, via }, query) {
      const page = pageStart(query, PAGE_LIMIT_DEFAULT, isUuid)
      const rows = await signIns.list(userId, page, new Date(clock.now()))
      const currentId = via.kind === 'sign_in' ? via.signInId : null
      return pageOf(
        rows,
        page.limit,
        (row) => row.id,
        (row) => presentSignIn(row, currentId),
      )
    },
    async endOwn(caller, id) {
      const closing = { because: 'signed_out', holderId: caller.userId, actorFor: () => actorOf(caller) } as const
      if (!isUuid(id) || !(await end(id, closing))) throw notFound()
    },
    async endAll(caller, keepThis) {
      const { userId, email, via } = caller
      const keepId = keepThis && via.kind === 'sign_in' ? via.signInId : null
      const now = new Date(clock.now())
      const ended = await signIns.revokeOthers({ id: userId, email }, keepId, now, actorOf(caller))
      for (const signInId of ended) revocations.emit({ kind: 'sign_in', signInId, because: 'signed_out' })
    },
  }
}

/** The holder of a sign-in, acting by it. */
function holderActor(signInId: string, source: Source): (holder: Holder) => Actor {
  const { address, requestId } = source
  return ({ id, email }) => ({
    userId: id,
    email,
    via: { kind: 'sign_in', id: signInId },
    source: { address, requestId },
  })
}

/** For the log alone: the answer is the same for all of them. */
function whyNot(user: StoredUser | null): string {
  if (!user) return 'no_account'
  if (user.disabledAt !== null) return 'disabled'
  return user.passwordHash === null ? 'invited' : 'wrong_password'
}

/** Whether this is the token that the newest one replaced, a moment ago. */
function isInGrace({ previousHash, rotatedAt }: LiveSignIn, hash: string, now: Date): boolean {
  if (previousHash === null || rotatedAt === null || !sameHash(hash, previousHash)) return false
  const sinceMs = now.getTime() - rotatedAt.getTime()
  return sinceMs >= 0 && sinceMs < REFRESH_GRACE_MS
}

function noMatch(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'E-mail address and password do not match.')
}

function invalidRefresh(): AppError {
  return new AppError('INVALID_REFRESH', 'You are signed out. Sign in again.')
}
