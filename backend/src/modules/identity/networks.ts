/** The networks of clients, and those from which an account is used. */
import { isIPv6 } from 'node:net'
import { DAY_MS, type Clock } from '../../lib/time/clock.ts'

/** A network stays known for so long after its last use, in milliseconds: as long as a sign-in lasts. */
const KNOWN_MS = 30 * DAY_MS
/** Pairs of account and network that are kept, each about 150 bytes. The least recently used is evicted first. */
const MAX_KNOWN = 10_000

/**
 * What counts as one client. Of an IPv6 address these are the first 64 bits, because one subscriber has 2^64 addresses
 * below them. An IPv4 address in IPv6 notation counts as the IPv4 address.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const left = head.split(':').filter((group) => group !== '')
  const right = (tail ?? '').split(':').filter((group) => group !== '')
  // An IPv4 address at the end stands for two groups, neither of which is among the first four.
  const missing = tail === undefined ? 0 : 8 - left.length - right.length - (address.includes('.') ? 1 : 0)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * The networks from which users of an account signed in, or refreshed a sign-in, lately. Kept in memory only: after a
 * restart every open page refreshes within a quarter of an hour.
 */
export class KnownNetworks {
  readonly #clock: Clock
  /** When each pair was last used, in milliseconds since 1970, the oldest first. */
  readonly #usedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records a use of the account from this address. */
  used(email: string, address: string | null): void {
    if (address === null) return
    const key = keyOf(email, networkOf(address))
    this.#usedAt.delete(key)
    this.#usedAt.set(key, this.#clock.now())
    for (const oldest of this.#usedAt.keys()) {
      if (this.#usedAt.size <= MAX_KNOWN) return
      this.#usedAt.delete(oldest)
    }
  }

  has(email: string, network: string): boolean {
    const usedAt = this.#usedAt.get(keyOf(email, network))
    return usedAt !== undefined && this.#clock.now() - usedAt < KNOWN_MS
  }
}

const keyOf = (email: string, network: string): string => `${network} ${email}`
