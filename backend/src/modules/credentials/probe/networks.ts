/** The addresses that the server may contact for a user: public ones, and those that the installation allows. */
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Networks outside the public internet (IANA's special-purpose registries), as address and prefix. */
const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const
/** Everything except global unicast, and the parts of it that lead back to IPv4 or nowhere. */
const PRIVATE_V6 = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const
/** Clouds serve their machines' secrets here: never contacted, even if allowed. */
const METADATA = [
  ['169.254.0.0', 16, 'ipv4'],
  // Azure. It is a public address.
  ['168.63.129.16', 32, 'ipv4'],
  // Alibaba Cloud and Oracle Cloud, each in a network that may be allowed for other reasons.
  ['100.100.100.200', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  // Link-local IPv4, translated (RFC 6052).
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
] as const

/** A list for each family. A single list would also match an IPv4 address, as `::ffff:…`, against the IPv6 networks. */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [address, prefix] of PRIVATE_V4) blocked.ipv4.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of PRIVATE_V6) blocked.ipv6.addSubnet(address, prefix, 'ipv6')
const metadata = new BlockList()
for (const [address, prefix, family] of METADATA) metadata.addSubnet(address, prefix, family)

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * The address is forbidden, or the name does not resolve. The two look the same, so that users cannot learn the names
 * of a private network.
 */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError'
}

export class Networks {
  readonly #names: ReadonlySet<string>
  readonly #allowed = new BlockList()
  readonly #resolve: typeof systemLookup

  /**
   * @param allowed host names, addresses, or networks such as `10.0.5.0/24` that may be contacted although they are not
   *   public
   * @param resolve the operating system's resolver
   */
  constructor(allowed: readonly string[], resolve = systemLookup) {
    this.#resolve = resolve
    const names = new Set<string>()
    for (const entry of allowed) {
      const [address, prefix] = entry.split('/') as [string, string?]
      if (isIP(address) === 0) names.add(entry.toLowerCase())
      else if (prefix === undefined) this.#allowed.addAddress(address, familyOf(address))
      else this.#allowed.addSubnet(address, Number(prefix), familyOf(address))
    }
    this.#names = names
  }

  /** Whether the server may contact the host, which resolved to this address. */
  allows(host: string, address: string): boolean {
    const family = familyOf(address)
    if (metadata.check(address, family)) return false
    if (!blocked[family].check(address, family)) return true
    return this.#names.has(host.toLowerCase()) || this.#allowed.check(address, family)
  }

  /**
   * Whether a host is an address, which needs no lookup. Throws {@link ForbiddenAddressError} for a forbidden address.
   */
  checkLiteral(host: string): boolean {
    const address = host.replace(/^\[|\]$/g, '')
    if (isIP(address) === 0) return false
    if (!this.allows(address, address)) throw new ForbiddenAddressError(address)
    return true
  }

  /**
   * A lookup for `http.request`. The connection itself uses it, so a name that resolves differently the second time
   * gains nothing.
   */
  readonly lookup: LookupFunction = (host, options, done) => {
    this.#resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(new ForbiddenAddressError(host, { cause: error }), '')
      const forbidden = addresses.find(({ address }) => !this.allows(host, address))
      if (forbidden) return done(new ForbiddenAddressError(host), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first?.address ?? '', first?.family)
    })
  }
}
