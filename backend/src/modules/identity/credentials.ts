/** Asking for a password, slowly for those who guess. */
import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { FailureThrottle } from '../../lib/failure-throttle.ts'
import { type KnownNetworks, networkOf } from './networks.ts'
import type { Passwords } from './passwords.ts'

/** Failures are counted for this long, in milliseconds. */
const WINDOW_MS = 15 * MINUTE_MS
/** For one account from one place: enough for a person who has forgotten which password it was. */
const MAX_FAILURES_PER_PLACE = 10
/** For one account from all places together that it is not known to be used from: ten times as many as from one. */
const MAX_FAILURES_PER_ACCOUNT = 100
/** From one address (of IPv6, one network), whatever the accounts: a whole office may sit behind it. */
const MAX_FAILURES_PER_ADDRESS = 100
/** Remembered places and addresses, each about 150 bytes. */
const MAX_KEYS = 10_000
/**
 * Remembered accounts, each about 150 bytes: as many as passwords can be compared in that time, two at once and some 20 ms each. With
 * fewer, guesses for made-up accounts would make the count of a real one be forgotten.
 */
const MAX_ACCOUNTS = 100_000

/** A password to check. */
export interface Attempt {
  /** The hash to compare with; null where no account or no password is there. */
  readonly stored: string | null
  readonly password: string
  /** The e-mail address that was given, in lower case. */
  readonly email: string
  /** The network address it comes from. */
  readonly address: string
  /** The sign-in by which it is asked, if there is one: its holder is known, wherever they are. */
  readonly signInId?: string
}

/** Says whether a password is right; throws `TOO_MANY_REQUESTS` after too many that were not. */
export type CheckPassword = (attempt: Attempt) => Promise<boolean>

/**
 * The answer does not depend on whether an account exists, and neither does the work done for it. Failures from all over the network
 * shut out strangers alone: a network or sign-in from which the account is used has a count of its own (docs/adr/0033-guessing.md).
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
      // Asked again when its turn has come: a thousand sent at once all pass the first question.
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
