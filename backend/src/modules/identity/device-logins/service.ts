/**
 * A program of another device gets a token without a password or a pasted secret, as in the device authorization grant of
 * RFC 8628: it shows a code, a signed-in user enters the code on a page and allows it, and the program collects its token.
 */
import {
  API_TOKEN_PREFIX,
  type CollectedDeviceLogin,
  type CreateApiToken,
  type CreateDeviceLogin,
  type CreatedDeviceLogin,
  type DeviceLogin,
} from '@slipway/protocol'
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { newSecret, sha256 } from '../../../lib/secrets/secrets.ts'
import type { Source } from '../../audit/actor.ts'
import type { ApiTokenRepository } from '../api-tokens/repository.ts'
import { MAX_TOKENS_PER_USER, presentToken, storableName, tooManyTokens } from '../api-tokens/service.ts'
import { actorOf, type Caller } from '../caller.ts'
import { CODE_VALID_MS, Guesses, newCode, plainCode } from '../codes.ts'
import { networkOf } from '../networks.ts'
import type { DeviceLoginRepository } from './repository.ts'

/** Most requests that wait at the same time, from one network and from all. */
export const WAITING_PER_NETWORK_MAX = 20
export const WAITING_MAX = 1_000
/** How long a program may take to collect what its user has decided, in milliseconds. */
export const COLLECT_WITHIN_MS = MINUTE_MS
/** How long a program waits between two requests, in seconds: less than the 5 of RFC 8628, because users watch it. */
const INTERVAL_SECONDS = 2
/** The page for the code. */
const PAGE = '/device'

interface Deps {
  readonly logins: DeviceLoginRepository
  readonly apiTokens: Pick<ApiTokenRepository, 'list'>
  readonly newId: NewId
  readonly clock: Clock
}

export class DeviceLoginService {
  readonly #deps: Deps
  readonly #guesses: Guesses

  constructor(deps: Deps) {
    this.#deps = deps
    this.#guesses = new Guesses(deps.clock)
  }

  /** A program asks. Throws `VALIDATION`, and `TOO_MANY_REQUESTS` if too many wait. */
  async begin({ name, scopes }: CreateDeviceLogin, { address }: Source): Promise<CreatedDeviceLogin> {
    const { logins, newId, clock } = this.#deps
    const [deviceCode, userCode, now] = [newSecret(), newCode(), clock.now()]
    const expiresAt = new Date(now + CODE_VALID_MS)
    const hashes = { deviceHash: sha256(deviceCode), userCodeHash: sha256(userCode.plain) }
    const asked = { name: storableName(name, 'body.name'), scopes, address, network: networkOf(address ?? '') }
    const login = { id: newId(), ...hashes, ...asked, createdAt: new Date(now), expiresAt }
    if (!(await logins.create(login, { perNetwork: WAITING_PER_NETWORK_MAX, ofAll: WAITING_MAX }))) {
      const message = 'Too many devices wait to be allowed. Try again in some minutes.'
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: CODE_VALID_MS / SECOND_MS })
    }
    const shown = { userCode: userCode.shown, path: PAGE, intervalSeconds: INTERVAL_SECONDS }
    return { deviceCode, ...shown, expiresAt: expiresAt.toISOString() }
  }

  /** What a program asks for, for the user who decides. Throws `INVALID_CODE`, `TOO_MANY_REQUESTS`. */
  async find(caller: Caller, userCode: string): Promise<DeviceLogin> {
    const found = await this.#guessed(caller, () => this.#deps.logins.find(hashOf(userCode), this.#now()))
    const { createdAt, expiresAt, ...asked } = found
    return { ...asked, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
  }

  /**
   * Allows a program a token, or denies it one. Throws `INVALID_CODE`, `TOO_MANY_REQUESTS`, `TOO_MANY_TOKENS`,
   * `VALIDATION`.
   */
  async decide(caller: Caller, userCode: string, token: CreateApiToken | null): Promise<void> {
    const { logins, apiTokens } = this.#deps
    const wanted = token && {
      name: storableName(token.name, 'body.token.name'),
      scopes: token.scopes,
      expiresInDays: token.expiresInDays ?? null,
    }
    const { userId, email } = caller
    const all = wanted ? await apiTokens.list(userId, { limit: MAX_TOKENS_PER_USER, after: null }) : []
    if (all.length >= MAX_TOKENS_PER_USER) throw tooManyTokens()
    await this.#guessed(caller, async () => {
      const now = this.#now()
      const decision = { userId, email, token: wanted, collectUntil: new Date(now.getTime() + COLLECT_WITHIN_MS) }
      return (await logins.decide(hashOf(userCode), now, decision, actorOf(caller))) || null
    })
  }

  /** The program asks whether its user has decided. Throws `INVALID_CODE`, `TOO_MANY_TOKENS`. */
  async collect(deviceCode: string, source: Source): Promise<CollectedDeviceLogin> {
    const { logins, newId, clock } = this.#deps
    const token = API_TOKEN_PREFIX + newSecret()
    const createdAt = new Date(clock.now())
    const collected = await logins.collect(
      sha256(deviceCode),
      createdAt,
      ({ userId, email, name, scopes, expiresInDays }) => ({
        token: {
          ...{ id: newId(), userId, name, scopes, createdAt, tokenHash: sha256(token) },
          expiresAt: expiresInDays === null ? null : new Date(createdAt.getTime() + expiresInDays * DAY_MS),
        },
        max: MAX_TOKENS_PER_USER,
        // The user has allowed it with a code.
        actor: { userId, email, via: { kind: 'link', id: null }, source },
      }),
    )
    switch (collected) {
      case null:
        throw invalidCode()
      case 'full':
        throw tooManyTokens()
      case 'pending':
      case 'denied':
        return { state: collected }
      default:
        return { state: 'allowed', token: { ...presentToken(collected), token } }
    }
  }

  /** Counts codes that are wrong. */
  async #guessed<T>({ userId }: Caller, find: () => Promise<T | null>): Promise<T> {
    if (this.#guesses.isLimited(userId)) {
      const message = 'You have entered too many wrong codes. Try again in ten minutes.'
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: CODE_VALID_MS / SECOND_MS })
    }
    const found = await find()
    if (found === null) {
      this.#guesses.wrong(userId)
      throw invalidCode()
    }
    this.#guesses.right(userId)
    return found
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}

const hashOf = (userCode: string): string => sha256(plainCode(userCode))

/** The same answer for a code that is wrong, that was used, and that has expired. */
const invalidCode = (): AppError =>
  new AppError(
    'INVALID_CODE',
    'This code is wrong, was used before, or has expired. Check it, or begin again on the other device.',
  )
