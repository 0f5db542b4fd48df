/**
 * Nothing is answered unless its route says what is done there: `config: { action }`, one of the policy's or `public`.
 * A route that says nothing keeps the server from starting.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../../lib/errors.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Caller } from '../identity/caller.ts'
import { allows, type Action } from './policy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is done here; `public` may be done by nobody in particular. */
    action?: Action | 'public'
    /**
     * A WebSocket whose caller is known only from its first message: the route itself asks for it and decides. Only with
     * `websocket: true`, where a plain request finds nothing.
     */
    firstMessage?: boolean
  }
  interface FastifyRequest {
    /** Who is asking; null on public routes and before a socket's first message. */
    caller: Caller | null
  }
}

/** Options of {@link accessPlugin}. */
export interface AccessOptions {
  readonly authenticator: Authenticator
}

/** Authenticates every request that is not public, and refuses what its caller's role or scope does not allow. */
export const accessPlugin = fp<AccessOptions>(
  async (app, { authenticator }) => {
    app.decorateRequest('caller', null)
    refuseUndeclaredRoutes(app)
    app.addHook('onRequest', async (request, reply) => {
      if (request.is404) return
      const { action, firstMessage } = request.routeOptions.config
      if (action === 'public' || firstMessage) return
      const token = bearerToken(request)
      const caller = token === null ? null : await authenticator.authenticate(token)
      if (!caller) {
        // RFC 6750, 3: says how to authenticate.
        void reply.header('www-authenticate', 'Bearer')
        throw new AppError('UNAUTHENTICATED', 'Sign in first, or send a valid API token.')
      }
      if (!action || !allows(caller, action)) throw new AppError('FORBIDDEN', 'You may not do this.')
      request.caller = caller
    })
  },
  { name: 'access', fastify: '5.x' },
)

/** The caller of a request on a route that is not public. */
export function requireCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('UNAUTHENTICATED', 'Sign in first, or send a valid API token.')
  return request.caller
}

/** The token of the header `Authorization: Bearer <token>` (RFC 6750, 2.1), or null. */
export function bearerToken(request: FastifyRequest): string | null {
  return /^Bearer +([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** Looks once all routes are there, since a plugin may complete what its own routes declare. */
function refuseUndeclaredRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    const bad = routes.filter(({ config, ...route }) => {
      const isSocket = 'websocket' in route && route.websocket === true
      return config?.action === undefined || (config.firstMessage === true && !isSocket)
    })
    if (bad.length === 0) return
    const names = bad.map((route) => `${String(route.method)} ${route.url}`)
    throw new Error(`routes that do not declare who may use them (config.action): ${names.join(', ')}`)
  })
}
