/** A server that stops accepts no new request and says so; running requests finish. */
import fp from 'fastify-plugin'
import { AppError } from '../lib/errors.ts'

/** When a client may retry, in seconds: about what a restart takes. */
const RETRY_AFTER_SECONDS = 5

/**
 * While the server stops, every new request is answered with 503, `/health/ready` among them, and every connection
 * closes with its answer: with keep-alive it would keep the server from closing. Register it before plugins that take
 * time to stop.
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
