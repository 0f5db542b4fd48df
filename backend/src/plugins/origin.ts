/**
 * Refuses requests of foreign pages. A page of another site can make a browser open sockets and send cookies to this
 * server. The browser then sends the page's origin.
 */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

/** A hook for routes that foreign pages must not reach. Throws `FOREIGN_ORIGIN`. */
export type RequireOwnOrigin = (request: FastifyRequest) => Promise<void>

/**
 * Compares the header with the exact list. Another port or scheme is another origin, and so is `null`, which sandboxed
 * pages send. A request without the header is not from a browser, so it has no user's cookie, and passes. `origins` is
 * called for each request, because the port is known only once the server listens.
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
