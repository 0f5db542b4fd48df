/** Asking for a password, slowly for those who guess. */
import { isIPv6 } from 'node:net'
import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { FailureThrottle } from '../../lib/failure-throttle.ts'
import type { Passwords } from './passwords.ts'

/** Failures are counted for this long, in milliseconds. */
const WINDOW_MS = 15 * MINUTE_MS
/** For one account from one address: enough for a person who has forgotten which password it was. */
const MAX_FAILURES_PER_ACCOUNT = 10
/** From one address (of IPv6, one network), whatever the accounts: a whole office may sit behind it. */
const MAX_FAILURES_PER_ADDRESS = 100
/** Remembered accounts and addresses, each about 150 bytes. */
const MAX_KEYS = 10_000

/** A password to check. */
export interface Attempt {
  /** The hash to compare with; null where no account or no password is there. */
  readonly stored: string | null
  readonly password: string
  /** The e-mail address that was given, in lower case. */
  readonly email: string
  /** The network address it comes from. */
  readonly address: string
}

/** Says whether a password is right; throws `TOO_MANY_REQUESTS` after too many that were not. */
export type CheckPassword = (attempt: Attempt) => Promise<boolean>

/**
 * What stands for the one who asks: of an IPv6 address the first 64 bits, since whoever has one of them has 2^64 to try
 * from, and an IPv4 address in IPv6 notation as the IPv4 address that it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const left = head.split(':').filter((group) => group !== '')
  const right = (tail ?? '').split(':').filter((group) => group !== '')
  // An IPv4 address at the end stands for two groups; none of them is among the first four.
  const missing = tail === undefined ? 0 : 8 - left.length - right.length - (address.includes('.') ? 1 : 0)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The answer does not depend on whether an account exists, and neither does the work done for it. */
export function createCredentials(passwords: Passwords, clock: Clock): CheckPassword {
  const limits = { windowMs: WINDOW_MS, maxKeys: MAX_KEYS }
  const byAccount = new FailureThrottle({ ...limits, maxFailures: MAX_FAILURES_PER_ACCOUNT }, clock)
  const byAddress = new FailureThrottle({ ...limits, maxFailures: MAX_FAILURES_PER_ADDRESS }, clock)

  return async ({ stored, password, email, address }) => {
    const network = networkOf(address)
    const account = `${network} ${email}`
    const assertHeard = (): void => {
      const blockedMs = Math.max(byAccount.blockedFor(account), byAddress.blockedFor(network))
      if (blockedMs > 0) throw tooManyFailures(blockedMs)
    }
    assertHeard()
    return passwords.compare(stored, password, async (matches) => {
      // Asked again when its turn has come: a thousand sent at once all pass the first question.
      assertHeard()
      const right = await matches()
      if (right) {
        byAccount.clear(account)
      } else {
        byAccount.fail(account)
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
