/** The addresses at which browsers and programs reach a server without a public URL. */
import { isIPv6 } from 'node:net'

/**
 * Browsers resolve it to loopback (RFC 6761), and the server prints it as its address. Cookies ignore ports, so this
 * name separates them from those of other servers on this machine.
 */
const OWN_NAME = 'slipway.localhost'
/** A server listens on these for every address; a browser cannot open them. */
const ANY = ['0.0.0.0', '::']

const isAny = (host: string): boolean => ANY.includes(host)
const isLoopback = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '::1'

/** An origin as browsers write it: an IPv6 address in brackets and shortened, and no default port. */
const originOf = (host: string, port: number): string =>
  new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`).origin

/** The origins of a server that listens on `host`; the first one is printed for users. */
export const localOrigins = (host: string, port: number): string[] => {
  const names = [OWN_NAME, '127.0.0.1', 'localhost']
  if (host === '::' || host === '::1' || host === 'localhost') names.push('::1')
  if (!isAny(host) && !isLoopback(host)) names.unshift(host)
  return names.map((name) => originOf(name, port))
}

/** The address for programs on this machine, which may not know {@link OWN_NAME}. */
export const programUrl = (host: string, port: number): string => originOf(isAny(host) ? '127.0.0.1' : host, port)

/** A hint for the operator if browsers on other machines reach the server but may not sign in; or null. */
export const missingPublicUrl = ({ host, publicUrl }: { host: string; publicUrl: string | null }): string | null =>
  publicUrl === null && isAny(host)
    ? 'The server listens on every address, but people can sign in on this machine only. To let them in from others, set ' +
      'SLIPWAY_PUBLIC_URL to the address that their browsers open.'
    : null
