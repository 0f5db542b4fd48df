/** Requests for other host names than the server's own, which leave Fastify before a route is looked up. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'

/** Where such requests go. */
export interface HostDoor {
  /** The form of the host names that it serves, as the rights table writes it. */
  readonly hosts: string
  /** Paths at these host names that it answers itself. */
  readonly ownPaths: readonly string[]
  /** Whether it serves that host, the value of the header `host`. */
  takes(host: string | undefined): boolean
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** The two parts of it that Fastify needs, and where doors are added. */
export interface OtherHosts {
  /** Adds the door that serves them. Call it once, before the server listens. Until then every request is the router's. */
  serveWith(door: HostDoor): void
  /** The kinds of addresses that it serves, like the routes of the router: each needs a row in the rights table. */
  addresses(): readonly string[]
  /** An option of Fastify. It hides an address that is not for its router, which refuses some that are valid for an app. */
  rewriteUrl(request: { readonly url?: string | undefined }): string
  /** Register it before every other plugin with a hook. */
  readonly plugin: FastifyPluginAsync
}

export const createOtherHosts = (): OtherHosts => {
  let door: HostDoor | null = null
  const urls = new WeakMap<object, string>()
  const upgrades = new WeakMap<IncomingMessage, { readonly socket: Duplex; readonly head: Buffer }>()
  return {
    serveWith(served) {
      door = served
    },
    addresses() {
      if (!door) return []
      const { hosts, ownPaths } = door
      return [`HTTP ${hosts}/*`, `WS ${hosts}/*`, ...ownPaths.map((path) => `GET ${hosts}${path}`)]
    },
    rewriteUrl(request) {
      const { url = '/' } = request
      const { headers } = request as IncomingMessage
      if (door?.takes(headers.host) !== true) return url
      urls.set(request, url)
      return '/'
    },
    plugin: fp(
      async (app) => {
        app.server.on('upgrade', (request, socket, head) => upgrades.set(request, { socket, head }))
        app.addHook('onRequest', async ({ raw }, reply) => {
          const url = urls.get(raw)
          if (url === undefined || !door) return
          reply.hijack()
          raw.url = url
          const upgrade = upgrades.get(raw)
          if (upgrade) door.upgrade(raw, upgrade.socket, upgrade.head)
          else door.request(raw, reply.raw)
        })
      },
      { name: 'other-hosts', fastify: '5.x' },
    ),
  }
}
