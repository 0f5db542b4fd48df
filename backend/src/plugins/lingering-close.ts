/** Delivers an answer that comes before the end of its request: the client, or a proxy, may still be sending. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { SECOND_MS } from '../lib/clock.ts'

/**
 * Node.js discards an unwanted body and keeps the connection if the body's announced length is at most this, in bytes.
 */
const FORGOTTEN_BYTES = 64 * 1024
/** How much of a longer body is still read, in bytes: what a client sends before it reads its answer. */
const LINGER_BYTES = 8 * 2 ** 20
/** And for how long, in milliseconds: nginx's `lingering_timeout`. */
const LINGER_MS = 5 * SECOND_MS

/** Options of {@link lingeringClosePlugin}. */
export interface LingeringCloseOptions {
  readonly bytes?: number
  readonly ms?: number
}

/**
 * If a connection closes while bytes of its request are unread, it is reset, and the reset may overtake the answer:
 * nginx then answers 502, and a browser reports a network failure. So the server closes its own side, and reads and
 * discards the client's for a while (RFC 9112, 9.6).
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
  // A route that read by iteration until now would keep it from flowing.
  request.removeAllListeners('readable').on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}

/** Node.js calls this method to end a connection that it announced as closing, as soon as the answer is written. */
const closeGently = (socket: Socket, ms: number): void => {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), ms)
    socket.once('close', () => clearTimeout(timer))
  }
}
