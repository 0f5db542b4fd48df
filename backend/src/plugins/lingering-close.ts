/** Delivers an answer that is sent before the end of its request, while the client or a proxy still sends the body. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { SECOND_MS } from '../lib/time/clock.ts'

/**
 * Up to this announced length, in bytes, Node.js discards an unread body and keeps the connection.
 */
const FORGOTTEN_BYTES = 64 * 1024
/** Most bytes of a longer body that the server still reads. A client may send so much before it reads its answer. */
const LINGER_BYTES = 8 * 2 ** 20
/** How long the server reads them, in milliseconds. The value is that of nginx's `lingering_timeout`. */
const LINGER_MS = 5 * SECOND_MS

/** Options of {@link lingeringClosePlugin}. */
export interface LingeringCloseOptions {
  readonly bytes?: number
  readonly ms?: number
}

/**
 * If the server closes a connection with unread bytes, the system resets it, and the reset may overtake the answer.
 * Then nginx answers 502, and a browser reports a network failure. So the server closes its own side, and reads and
 * discards the rest of the request for a while (RFC 9112, 9.6).
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

/** The length of the body in bytes; infinite if it was not announced. */
const announced = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY

const throwAway = (request: IncomingMessage, bytes: number): void => {
  let left = bytes
  // If the route has read the request by iteration, its listener would keep the stream from flowing.
  request.removeAllListeners('readable').on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}

/** Node.js calls `destroySoon` once the answer is written, on a connection that it has announced as closing. */
const closeGently = (socket: Socket, ms: number): void => {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.once('close', () => clearTimeout(timer))
  }
}
