/** An answer that comes before the request has: it must reach a client, or a proxy, that is still sending. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { SECOND_MS } from '../lib/clock.ts'

/** Up to which announced length a body that nobody wants is left to Node, which forgets it and keeps the connection, in bytes. */
const FORGOTTEN_BYTES = 64 * 1024
/** How much is still taken of a longer one, in bytes: what a client sends before it has read its answer. */
const LINGER_BYTES = 8 * 2 ** 20
/** And for how long, in milliseconds: nginx's `lingering_timeout`. */
const LINGER_MS = 5 * SECOND_MS

/** Options of {@link lingeringClosePlugin}. */
export interface LingeringCloseOptions {
  readonly bytes?: number
  readonly ms?: number
}

/**
 * A connection that is closed while bytes of its request are unread is reset, and the reset may overtake the answer: nginx
 * says 502 then, and a browser that the network failed. So our side is closed, and the client's is read for a while and
 * thrown away (RFC 9112, 9.6).
 */
export const lingeringClosePlugin = fp<LingeringCloseOptions>(
  async (app, { bytes = LINGER_BYTES, ms = LINGER_MS }) => {
    app.addHook('onSend', async ({ raw }, reply) => {
      if (raw.complete || raw.destroyed || announced(raw.headers) <= FORGOTTEN_BYTES) return
      void reply.header('connection', 'close')
      throwAway(raw, bytes)
      closeGently(raw.socket, ms)
    })
  },
  { name: 'lingering-close', fastify: '5.x' },
)

/** The length of the body, in bytes; without end where nobody said it. */
const announced = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY

const throwAway = (request: IncomingMessage, bytes: number): void => {
  let left = bytes
  // Whoever read by iteration until now would keep it from flowing.
  request.removeAllListeners('readable').on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}

/** Node ends a connection that it announced as closing with this method, as soon as the answer is written. */
const closeGently = (socket: Socket, ms: number): void => {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.once('close', () => clearTimeout(timer))
  }
}
