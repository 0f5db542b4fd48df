/** Reads the token of a request. */
import type { FastifyRequest } from 'fastify'

/** The token of the header `Authorization: Bearer <token>` (RFC 6750, 2.1), or null. */
export function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}
