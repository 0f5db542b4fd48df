/** Where people come from: the network of an address, and those that an account is used from. */
import { isIPv6 } from 'node:net'
import { DAY_MS, type Clock } from '../../lib/clock.ts'

/** A network is known for so long after its last use, in milliseconds: as long as a sign-in lasts. */
const KNOWN_MS = 30 * DAY_MS
/** Pairs of account and network that are remembered, each about 150 bytes; the least recently used is forgotten first. */
const MAX_KNOWN = 10_000

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

/**
 * The networks from which an account was signed in to, or a sign-in renewed, lately. In memory alone: after a restart every page
 * that is open renews within a quarter of an hour.
 */
export class KnownNetworks {
  readonly #clock: Clock
  /** When each pair was last used, in milliseconds since 1970; in the order of that. */
  readonly #usedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes that the account's user is there. */
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
