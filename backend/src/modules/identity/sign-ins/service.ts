/** Signing in, staying signed in and signing out. */
import { PAGE_LIMIT_DEFAULT, type PageQuery, type SignedIn, type SignIn } from '@slipway/protocol'
import { DAY_MS, SECOND_MS, type Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { pageOf, pageStart, type PageOf } from '../../../lib/page.ts'
import { newSecret, sameHash, sha256 } from '../../../lib/secrets/secrets.ts'
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
import type { Closing, SignInUser, LiveSignIn, Opening, SignInRepository } from './repository.ts'

/** A sign-in that is not used for this long ends, in milliseconds. */
export const SIGN_IN_IDLE_MS = 30 * DAY_MS
/**
 * How long the previous refresh token is accepted once more, in milliseconds. The answer with its successor may have
 * been lost (docs/adr/access/0008-people.md).
 */
export const REFRESH_GRACE_MS = 30 * SECOND_MS
/** Longest part of the browser's name that is stored, in characters. */
const MAX_USER_AGENT = 256

/** The device of a sign-in. */
export interface Device extends Source {
  readonly address: string
  /** The browser's own name. */
  readonly userAgent: string | null
}

/**
 * The two halves that renew a sign-in: the cookie's token, which each use replaces, and the key, which only pages of
 * the origin can read.
 */
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
  /** Throws `INVALID_CREDENTIALS` for every kind of failure, and `TOO_MANY_REQUESTS` after too many. */
  login(email: string, password: string, device: Device): Promise<Opened>
  /** Signs in a user who authenticated by a link. Throws `INVALID_LINK` if they were disabled meanwhile. */
  open(user: StoredUser, device: Device): Promise<Opened>
  /**
   * Exchanges the newest refresh token for the next one. The previous token is accepted for a short time after its
   * exchange. An older token ends the sign-in. Without the right key nothing changes. Throws `INVALID_REFRESH`, and
   * `REFRESH_CONFLICT` if two requests use the token at the same time.
   */
  refresh(secret: RefreshSecret, source: Source): Promise<Opened>
  /** Ends a sign-in; does nothing if it has ended. */
  end(signInId: string, actor: Actor): Promise<void>
  /** Ends the sign-in of a refresh token, newest or not, if the key is right. */
  endByRefreshSecret(secret: RefreshSecret, source: Source): Promise<void>
  /** The caller's sign-ins, newest first. */
  list(caller: Caller, query: PageQuery): Promise<PageOf<SignIn>>
  /** Ends one of the caller's sign-ins. Throws `NOT_FOUND`. */
  endOwn(caller: Caller, id: string): Promise<void>
  /** Ends all sign-ins of the caller. With `keepThis`, the one of the request stays. */
  endAll(caller: Caller, keepThis: boolean): Promise<void>
}

interface Halves {
  /** The secret half of the refresh token. */
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

  /** Null if the user has changed since they authenticated. */
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

  /** False if there was nothing to end. */
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
      // The password was right when compared. If it was changed or the user was disabled meanwhile, the attempt counts
      // as a wrong password.
      await failedLogins.tell(() => Promise.resolve(false), attempt, 'changed_meanwhile')
      throw noMatch()
    },
    async refresh({ token: refreshToken, key }, source) {
      const token = parseRefreshToken(refreshToken)
      const now = new Date(clock.now())
      const signIn = token && (await signIns.findLive(token.id, now))
      // A cookie without its key was copied, or set by another server. It neither renews nor ends a sign-in.
      if (!token || !signIn?.keyHash || !sameHash(sha256(key), signIn.keyHash)) throw invalidRefresh()
      const oldHash = sha256(token.secret)
      const isNewest = sameHash(oldHash, signIn.refreshHash)
      if (!isNewest && !isInGrace(signIn, oldHash, now)) {
        // Two clients have had the same token: its owner, and a thief who copied it. The server cannot tell which one
        // this is.
        await end(signIn.id, { because: 'token_reused', actorFor: () => stranger(source) })
        throw invalidRefresh()
      }
      const secret = newSecret()
      const expiresAt = new Date(now.getTime() + SIGN_IN_IDLE_MS)
      // When a user leaves a page, it and the next page may refresh in the same instant, and one of them wins. A second
      // successful answer would make the first one's cookie look stolen. The loser retries with the cookie that is then
      // stored.
      if (!(await signIns.rotate(signIn.id, { oldHash, newHash: sha256(secret), now, expiresAt, again: !isNewest })))
        throw new AppError('REFRESH_CONFLICT', 'Another request renewed your sign-in at the same time. Try again.')
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

/** The actor is the holder of the sign-in. */
function holderActor(signInId: string, source: Source): (user: SignInUser) => Actor {
  const { address, requestId } = source
  return ({ id, email }) => ({
    userId: id,
    email,
    via: { kind: 'sign_in', id: signInId },
    source: { address, requestId },
  })
}

/** Only for the log: the answer is the same for all reasons. */
function whyNot(user: StoredUser | null): string {
  if (!user) return 'no_account'
  if (user.disabledAt !== null) return 'disabled'
  return user.passwordHash === null ? 'invited' : 'wrong_password'
}

/** Whether `hash` is that of the previous token, replaced a short time ago. */
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
