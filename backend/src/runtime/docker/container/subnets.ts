/** IPv4 subnets: those that the agents' network may have, and those in use on this machine. */
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** The first address as a number, and the length of the prefix in bits. */
export interface Subnet {
  readonly first: number
  readonly prefix: number
}

/**
 * Default range for the subnet of the agents' network. Docker's own pools are used up at about 30 networks, and overlap
 * with many offices and VPNs.
 */
export const DEFAULT_POOL = '10.208.0.0/13'
/** Prefix of the network's subnet, with room for 4,093 agents. */
const SLICE_PREFIX = 20
/** Widest pool: 4,096 slices, each of which may be tried. */
const POOL_PREFIX_MIN = 8

/** Null if the text is not exactly "a.b.c.d/n". */
export const parseSubnet = (text: string): Subnet | null => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text)?.slice(1).map(Number)
  if (!parts || parts.slice(0, 4).some((octet) => octet > 255)) return null
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = parts
  const first = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
  return prefix <= 32 && first % sizeOf(prefix) === 0 ? { first, prefix } : null
}

const sizeOf = (prefix: number): number => 2 ** (32 - prefix)

export const printSubnet = ({ first, prefix }: Subnet): string =>
  `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`

export const overlap = (a: Subnet, b: Subnet): boolean =>
  a.first < b.first + sizeOf(b.prefix) && b.first < a.first + sizeOf(a.prefix)

/** Whether it is a valid pool for subnets. */
export const isPool = ({ prefix }: Subnet): boolean => prefix >= POOL_PREFIX_MIN && prefix <= SLICE_PREFIX

/**
 * All /20 slices of the pool, from `start` on and around, in the order in which to try them. Slices that overlap with a
 * network in use come last. They are not left out, because a route to 10.0.0.0/8 does not mean that all of it is used.
 */
export const slicesOf = (pool: Subnet, start: number, inUse: readonly Subnet[]): Subnet[] => {
  const count = 2 ** (SLICE_PREFIX - pool.prefix)
  const all = Array.from({ length: count }, (_, index) => ({
    first: pool.first + ((start + index) % count) * sizeOf(SLICE_PREFIX),
    prefix: SLICE_PREFIX,
  }))
  const isFree = (slice: Subnet): boolean => !inUse.some((other) => overlap(slice, other))
  return [...all.filter(isFree), ...all.filter((slice) => !isFree(slice))]
}

/** The networks of this machine's interfaces and routes, without the default route. */
export const subnetsInUse = (): Subnet[] => {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const own = interfaces.map(({ cidr }) => cidr && networkOf(cidr))
  return [...own, ...routes()].filter((subnet) => subnet !== null && subnet !== '')
}

/** The network of an address with a prefix. */
const networkOf = (cidr: string): Subnet | null => {
  const [address = '', prefix = ''] = cidr.split('/')
  const exact = parseSubnet(`${address}/32`)
  if (!exact) return null
  return { first: exact.first - (exact.first % sizeOf(Number(prefix))), prefix: Number(prefix) }
}

/** The kernel's routing table. Systems other than Linux have none, so only interfaces count there. */
const routes = (): Subnet[] => {
  try {
    return parseRoutes(readFileSync('/proc/net/route', 'latin1'))
  } catch {
    return []
  }
}

/** Addresses are hexadecimal, with the last byte first. */
export const parseRoutes = (table: string): Subnet[] =>
  table.split('\n').flatMap((line) => {
    const [, destination = '', , , , , , mask = ''] = line.split('\t')
    if (!/^[0-9A-F]{8}$/.test(destination) || !/^[0-9A-F]{8}$/.test(mask) || mask === '00000000') return []
    const prefix = toNumber(mask).toString(2).split('1').length - 1
    return [{ first: toNumber(destination), prefix }]
  })

const toNumber = (hex: string): number => Buffer.from(hex, 'hex').readUInt32LE(0)
