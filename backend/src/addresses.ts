/** Under which addresses browsers and programs reach a server that has no public URL. */
import { isIPv6 } from 'node:net'

/**
 * Resolved to loopback by browsers (RFC 6761), and printed as the address: cookies know no ports, so a name of its own
 * keeps those of other servers on this machine apart.
 */
const OWN_NAME = 'slipway.localhost'
/** A server listens on these for every address; a browser cannot open them. */
const ANY = ['0.0.0.0', '::']

const isAny = (host: string): boolean => ANY.includes(host)
const isLoopback = (host: string): boolean => host === 'localhost' || host === '127.0.0.1' || host === '::1'

/** As browsers write it: an IPv6 address in brackets and shortened, and without the port that http has anyway. */
const originOf = (host: string, port: number): string =>
  new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`).origin

/** The origins of a server that listens on `host`; the first one is for people. */
export const localOrigins = (host: string, port: number): string[] => {
  const names = [OWN_NAME, '127.0.0.1', 'localhost']
  if (host === '::' || host === '::1' || host === 'localhost') names.push('::1')
  if (!isAny(host) && !isLoopback(host)) names.unshift(host)
  return names.map((name) => originOf(name, port))
}

/** Where programs on this machine reach it, which may not know {@link OWN_NAME}. */
export const programUrl = (host: string, port: number): string => originOf(isAny(host) ? '127.0.0.1' : host, port)

/** What to tell the operator where browsers on other machines reach the server, and may do nothing there; or null. */
export const missingPublicUrl = ({ host, publicUrl }: { host: string; publicUrl: string | null }): string | null =>
  publicUrl === null && isAny(host)
    ? 'The server listens on every address, but people can sign in on this machine only. To let them in from others, set ' +
      'SLIPWAY_PUBLIC_URL to the address that their browsers open.'
    : null
