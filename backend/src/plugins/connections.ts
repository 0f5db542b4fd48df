/** Ends connections that Node.js would keep: upgrades that were refused, and requests that never end. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { SECOND_MS } from '../lib/time/clock.ts'
import { notFound } from '../lib/errors.ts'

/** How long an upgrade may take, in milliseconds. This does not limit open WebSockets. */
const UPGRADE_MS = 10 * SECOND_MS
/** How long a client may take to send a request's headers, in milliseconds. */
const HEADERS_MS = 30 * SECOND_MS
/** How long a client may take to send a body, in milliseconds. Routes for files have their own limit. */
const BODY_MS = 30 * SECOND_MS
/**
 * How long running requests may still take when the server stops, in milliseconds: a slow upload, a container that
 * starts.
 */
const STOP_GRACE_MS = 15 * SECOND_MS

/** Options of {@link connectionsPlugin}. */
export interface ConnectionOptions {
  readonly upgradeMs?: number
  readonly bodyMs?: number
  readonly stopGraceMs?: number
}

/**
 * Node.js stops watching a connection that asks for an upgrade: nothing reads it and nothing times out. A connection
 * whose upgrade was refused would stay open for ever, even after the client has left. Node.js also stops its timeouts
 * for requests once the server closes. Either of these would keep the server from stopping.
 */
export const connectionsPlugin = fp<ConnectionOptions>(
  async (app, { upgradeMs = UPGRADE_MS, bodyMs = BODY_MS, stopGraceMs = STOP_GRACE_MS }) => {
    app.server.headersTimeout = HEADERS_MS
    const open = new Set<Socket>()
    app.server.on('connection', (socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
    // The WebSocket library clears the timeout when it takes over the connection.
    app.server.on('upgrade', (_request, socket: Socket) => {
      socket.setTimeout(upgradeMs, () => socket.destroy())
    })
    refuseOddUpgrades(app)
    app.addHook('onRequest', async ({ raw, headers, routeOptions }) => {
      const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
      if (!hasBody || routeOptions.config.longBody) return
      const timer = setTimeout(() => raw.destroy(), bodyMs)
      raw.once('close', () => clearTimeout(timer))
    })
    let grace: NodeJS.Timeout | undefined
    app.addHook('preClose', async () => {
      grace = setTimeout(() => {
        for (const socket of open) socket.destroy()
      }, stopGraceMs)
    })
    app.addHook('onClose', async () => clearTimeout(grace))
  },
  { name: 'connections', fastify: '5.x' },
)

/**
 * The WebSocket library opens a socket for every upgrade, on every route. If the route has no WebSocket, the socket
 * stays open until its client closes it. So the server answers such an upgrade with 404 before the library sees it, and
 * then closes the connection.
 */
function refuseOddUpgrades(app: FastifyInstance): void {
  const sockets = new Set<string | undefined>()
  const upgrades = new WeakSet<IncomingMessage>()
  const isOdd = ({ raw, routeOptions }: FastifyRequest): boolean => upgrades.has(raw) && !sockets.has(routeOptions.url)
  app.addHook('onRoute', (route) => {
    if ('websocket' in route && route.websocket) sockets.add(route.url)
  })
  // Before the library's own listener, which routes the request.
  app.server.on('upgrade', (request) => upgrades.add(request))
  app.addHook('onRequest', async (request) => {
    if (isOdd(request)) throw notFound('There is no WebSocket at this address.')
  })
  app.addHook('onSend', async (request, reply) => {
    if (isOdd(request)) void reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request) => {
    if (isOdd(request)) request.raw.socket.destroySoon()
  })
}
