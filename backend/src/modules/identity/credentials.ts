/** Checks passwords, and slows down guessing. */
import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { FailureThrottle } from '../../lib/failure-throttle.ts'
import { type KnownNetworks, networkOf } from './networks.ts'
import type { Passwords } from './passwords.ts'

/** Failures are counted for this long, in milliseconds. */
const WINDOW_MS = 15 * MINUTE_MS
/** For one account from one place: enough for a user who tries the passwords they remember. */
const MAX_FAILURES_PER_PLACE = 10
/** For one account from all places together from which it is not known to be used: ten times as many as from one. */
const MAX_FAILURES_PER_ACCOUNT = 100
/** From one address (of IPv6, one network), for all accounts together: a whole office may share it. */
const MAX_FAILURES_PER_ADDRESS = 100
/** Places and addresses that are kept, each about 150 bytes. */
const MAX_KEYS = 10_000
/**
 * Accounts that are kept, each about 150 bytes: as many as passwords can be compared within the window, two at once and
 * some 20 ms each. With fewer, guesses for invented accounts would evict the count of a real one.
 */
const MAX_ACCOUNTS = 100_000

/** A password to check. */
export interface Attempt {
  /** The hash to compare with; null if there is no such account or it has no password. */
  readonly stored: string | null
  readonly password: string
  /** The e-mail address of the request, in lower case. */
  readonly email: string
  /** The network address of the client. */
  readonly address: string
  /** The sign-in of the request, if any: its user is known, from whichever network. */
  readonly signInId?: string
}

/** Whether a password is right. Throws `TOO_MANY_REQUESTS` after too many wrong ones. */
export type CheckPassword = (attempt: Attempt) => Promise<boolean>

/**
 * Neither the answer nor the work depends on whether an account exists. Failures from all networks together block
 * strangers only: a network or sign-in from which the account is used has its own count (docs/adr/access/0033-guessing.md).
 */
export function createCredentials(
  passwords: Passwords,
  known: Pick<KnownNetworks, 'has'>,
  clock: Clock,
): CheckPassword {
  const throttle = (maxFailures: number, maxKeys = MAX_KEYS) =>
    new FailureThrottle({ windowMs: WINDOW_MS, maxFailures, maxKeys }, clock)
  const byPlace = throttle(MAX_FAILURES_PER_PLACE)
  const byAccount = throttle(MAX_FAILURES_PER_ACCOUNT, MAX_ACCOUNTS)
  const byAddress = throttle(MAX_FAILURES_PER_ADDRESS)

  return async ({ stored, password, email, address, signInId }) => {
    const network = networkOf(address)
    const place = `${signInId ?? network} ${email}`
    const isKnown = signInId !== undefined || known.has(email, network)
    const assertHeard = (): void => {
      const everywhereMs = isKnown ? 0 : byAccount.blockedFor(email)
      const blockedMs = Math.max(byPlace.blockedFor(place), byAddress.blockedFor(network), everywhereMs)
      if (blockedMs > 0) throw tooManyFailures(blockedMs)
    }
    assertHeard()
    return passwords.compare(stored, password, async (matches) => {
      // Checked again when its turn comes: a thousand concurrent requests all pass the first check.
      assertHeard()
      const right = await matches()
      if (right) {
        byPlace.clear(place)
      } else {
        byPlace.fail(place)
        byAccount.fail(email)
        byAddress.fail(network)
      }
      return right
    })
  }
}

function tooManyFailures(blockedMs: number): AppError {
  const retryAfterSeconds = Math.ceil(blockedMs / SECOND_MS)
  const message = 'Too many failed sign-ins. Wait a few minutes, then try again.'
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds })
}
