/** Closes what is open by an expired sign-in or API token. An expiry is no revocation, so no other part reports it. */
import { SECOND_MS, type Clock } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ApiTokenRepository } from './api-tokens/repository.ts'
import { type Caller, proofOf, type Via } from './caller.ts'
import type { Revocation, Revocations } from './revocations.ts'
import type { SignInRepository } from './sign-ins/repository.ts'

/**
 * Time between two looks, in milliseconds. What is open must close within two seconds, of which a busy machine takes a
 * part. A look asks the database only about sign-ins and tokens that are new or due.
 */
export const LOOK_EVERY_MS = SECOND_MS / 4

/** The callers for whom something is open now. */
export type Held = () => Iterable<Caller>

/** What {@link ExpiryWatch} needs. */
export interface ExpiryDeps {
  readonly signIns: Pick<SignInRepository, 'expiries'>
  readonly apiTokens: Pick<ApiTokenRepository, 'expiries'>
  readonly revocations: Revocations
  readonly clock: Clock
  readonly log: Log
}

/** What expires. Work that a user handed in depends on no sign-in, and a link to an account and a key hold until they are removed. */
type Expiring = Exclude<Via, { kind: 'user' | 'discord' | 'ssh_key' }>
const expires = (via: Via): via is Expiring => via.kind !== 'user' && via.kind !== 'discord' && via.kind !== 'ssh_key'

const idOf = (via: Expiring): string => proofOf(via).id

const expired = (via: Expiring): Revocation =>
  via.kind === 'sign_in'
    ? { kind: 'sign_in', signInId: via.signInId, because: 'expired' }
    : { kind: 'api_token', tokenId: via.tokenId, because: 'expired' }

/**
 * One timer for all. It keeps the time at which each sign-in and token expires. It asks the database about new ones and
 * about those whose time has come, because each use extends a sign-in. The wall clock counts, so a clock that is
 * corrected or a laptop that slept is noticed, too.
 */
export class ExpiryWatch {
  readonly #deps: ExpiryDeps
  /** Expiry by sign-in or token, in milliseconds since 1970. Only those in use are kept, which bounds the map. */
  readonly #ends = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(deps: ExpiryDeps) {
    this.#deps = deps
  }

  /** Starts looking. */
  start(held: Held, everyMs = LOOK_EVERY_MS): void {
    this.#timer = setInterval(() => {
      // A slow database is not asked again before it has answered.
      if (this.#isLooking) return
      this.#isLooking = true
      this.look(held)
        .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'expiries could not be looked up'))
        .finally(() => (this.#isLooking = false))
    }, everyMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** One look: emits a revocation for each that has expired. Rejects if the database does not answer. */
  async look(held: Held): Promise<void> {
    const byId = new Map(
      [...held()]
        .map(({ via }) => via)
        .filter(expires)
        .map((via) => [idOf(via), via] as const),
    )
    for (const id of this.#ends.keys()) if (!byId.has(id)) this.#ends.delete(id)
    const now = this.#deps.clock.now()
    const due = [...byId.values()].filter((via) => (this.#ends.get(idOf(via)) ?? 0) <= now)
    if (due.length === 0) return
    const { signIns, apiTokens, revocations } = this.#deps
    const idsOf = (kind: Expiring['kind']) => due.filter((via) => via.kind === kind).map(idOf)
    const [signInEnds, tokenEnds] = await Promise.all([
      signIns.expiries(idsOf('sign_in')),
      apiTokens.expiries(idsOf('api_token')),
    ])
    for (const via of due) {
      const end = (via.kind === 'sign_in' ? signInEnds : tokenEnds).get(idOf(via))
      // Without a row it was revoked just now, and that revocation gives the reason.
      if (end === undefined) continue
      const endsAt = end?.getTime() ?? Number.POSITIVE_INFINITY
      if (endsAt > now) this.#ends.set(idOf(via), endsAt)
      else revocations.emit(expired(via))
    }
  }
}
