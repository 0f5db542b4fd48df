/** Pages of other sites can make a browser open sockets and send cookies here; their requests carry the page's origin. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

/** A hook for the routes that a foreign page must not reach: throws `FOREIGN_ORIGIN`. */
export type RequireOwnOrigin = (request: FastifyRequest) => Promise<void>

/**
 * Compares with the exact list: another port or scheme is another origin, and so is `null`, which sandboxed pages send.
 * Without the header it is no browser, and passes: it has no cookie or token but its own. `origins` is asked each time,
 * because the port is known only once the server listens.
 */
export function createOriginCheck(origins: () => readonly string[]): RequireOwnOrigin {
  return async (request) => {
    const { origin } = request.headers
    if (origin === undefined || origins().includes(origin)) return
    throw new AppError(
      'FOREIGN_ORIGIN',
      "This page is not one of the server's own. Set SLIPWAY_PUBLIC_URL to its address.",
    )
  }
}

/** The host as it stands in a URL: an IPv6 address in brackets; "any address" is not one that can be opened. */
export const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
