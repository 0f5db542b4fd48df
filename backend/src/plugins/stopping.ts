/** While the server stops, it refuses new requests and finishes running ones. */
import fp from 'fastify-plugin'
import { AppError } from '../lib/errors.ts'

/** When a client may retry, in seconds. A restart takes about that long. */
const RETRY_AFTER_SECONDS = 5

/**
 * Answers every new request with 503, also `/health/ready`. It closes each connection after its answer, because a
 * connection with keep-alive would keep the server from closing. Register it before plugins that take time to stop.
 */
export const stoppingPlugin = fp(
  async (app) => {
    let isStopping = false
    app.addHook('preClose', async () => {
      isStopping = true
    })
    app.addHook('onRequest', async () => {
      if (!isStopping) return
      const message = 'The server is stopping. Try again in a moment.'
      throw new AppError('SERVER_STOPPING', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    })
    app.addHook('onSend', async (_request, reply) => {
      if (isStopping) void reply.header('connection', 'close')
    })
  },
  { name: 'stopping', fastify: '5.x' },
)
