/** Collects every route that the server registers, from Fastify itself while the server is built. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** The diagnostics channel on which Fastify announces each server, before any plugin is registered. */
const CHANNEL = 'fastify.initialization'

/**
 * Collects the routes that servers register from now on, such as `GET /api/agents/:name`. A WebSocket is `WS
 * /api/events`.
 */
export class RouteCollector {
  readonly #found = new Set<string>()
  readonly #listener = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route) => this.#add(route))
  }

  constructor() {
    subscribe(CHANNEL, this.#listener)
  }

  get routes(): readonly string[] {
    return [...this.#found].sort()
  }

  stop(): void {
    unsubscribe(CHANNEL, this.#listener)
  }

  #add(route: RouteOptions): void {
    // It is only behind the relays of agents: a server on the network does not start with a route without an action.
    if (route.config?.visitors && route.config.action === undefined) return
    // Fastify adds HEAD to each GET. The walk sends HEAD wherever it sends GET.
    const methods = [route.method].flat().filter((method) => method !== 'HEAD')
    const isSocket = 'websocket' in route && route.websocket
    for (const method of methods) this.#found.add(`${isSocket ? 'WS' : method} ${route.url}`)
  }
}
