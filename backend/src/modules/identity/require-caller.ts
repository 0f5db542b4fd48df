/** The caller of a request, as the access plugin sets it. */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../lib/errors.ts'
import type { Caller } from './caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes, and before a socket's first message. */
    caller: Caller | null
  }
}

/** The caller of a request on a route that is not public. */
export function requireCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('UNAUTHENTICATED', 'Sign in first, or send a valid API token.')
  return request.caller
}
