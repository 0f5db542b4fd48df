/** Every route that the server registers, heard from the server itself while it is put together. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Where Fastify announces each server before anything is registered on it. */
const CHANNEL = 'fastify.initialization'

/** Collects what servers register from now on, such as `GET /api/agents/:name`; a WebSocket is `WS /api/events`. */
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
    // HEAD is what Fastify itself adds to each GET; the walk asks it wherever it asks GET.
    const methods = [route.method].flat().filter((method) => method !== 'HEAD')
    const isSocket = 'websocket' in route && route.websocket
    for (const method of methods) this.#found.add(`${isSocket ? 'WS' : method} ${route.url}`)
  }
}
