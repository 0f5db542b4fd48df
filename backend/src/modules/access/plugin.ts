/**
 * Every route declares what it does: `config: { action }`, an action of the policy or `public`. If a route declares
 * nothing, the server does not start.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import { sourceOf } from '../audit/actor.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { bearerToken } from '../identity/bearer.ts'
import type { Caller } from '../identity/caller.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { allows, type Action, refusalText } from './policy.ts'
import type { Arrival, Loss } from './loss.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The action of the route. `public` needs no caller. */
    action?: Action | 'public'
    /**
     * A WebSocket whose caller is known only from its first message. The route itself authenticates and decides. Only
     * with `websocket: true`; a plain request to it is answered as not found.
     */
    firstMessage?: boolean
    /** The body is a file, which may take as long as it makes progress. The route itself checks that. */
    longBody?: boolean
  }

  interface FastifyRequest {
    /** The losses since before the caller was authenticated; null on public routes. */
    arrival: Arrival | null
  }
}

export { requireCaller }

/** Options of {@link accessPlugin}. */
export interface AccessOptions {
  readonly authenticator: Authenticator
  readonly losses: Pick<Signal<Loss>, 'since'>
}

/** For routes that open something which outlives the request. Not for public routes. */
export function requireArrival({ arrival }: FastifyRequest): Arrival {
  if (!arrival) throw new Error('a public route opens nothing for a caller')
  return arrival
}

/** Throws `FORBIDDEN` if the role or the scope does not allow the action for any agent. */
export function assertAllowed(caller: Caller, action: Action): void {
  if (!allows(caller, action)) throw new AppError('FORBIDDEN', refusalText(caller, action))
}

/**
 * Authenticates every request to a route that is not public. Refuses a caller whose role or scope does not allow it.
 */
export const accessPlugin = fp<AccessOptions>(
  async (app, { authenticator, losses }) => {
    app.decorateRequest('caller', null)
    app.decorateRequest('arrival', null)
    refuseUndeclaredRoutes(app)
    app.addHook('onRequest', async (request, reply) => {
      if (request.is404) return
      const { action, firstMessage } = request.routeOptions.config
      if (action === 'public' || firstMessage) return
      request.arrival = losses.since()
      const token = bearerToken(request)
      const caller = token === null ? null : await authenticator.authenticate(token, sourceOf(request))
      if (!caller) {
        // RFC 6750, 3: tells the client how to authenticate.
        void reply.header('www-authenticate', 'Bearer')
        throw new AppError('UNAUTHENTICATED', 'Sign in first, or send a valid API token.')
      }
      if (!action) throw new Error('a route without an action keeps the server from starting')
      assertAllowed(caller, action)
      request.caller = caller
    })
  },
  { name: 'access', fastify: '5.x' },
)

/** Checks once all routes are registered, because a plugin may complete what its own routes declare. */
function refuseUndeclaredRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    const bad = routes.filter(({ config, ...route }) => {
      const isSocket = 'websocket' in route && route.websocket
      return config?.action === undefined || (config.firstMessage && !isSocket)
    })
    if (bad.length === 0) return
    const names = bad.map((route) => `${String(route.method)} ${route.url}`)
    throw new Error(`routes that do not declare who may use them (config.action): ${names.join(', ')}`)
  })
}
