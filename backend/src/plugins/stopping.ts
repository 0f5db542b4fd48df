/** A server that stops takes nothing new, and says so; what has begun is finished. */
import fp from 'fastify-plugin'
import { AppError } from '../lib/errors.ts'

/** When a client may try again, in seconds: about what a restart takes. */
const RETRY_AFTER_SECONDS = 5

/**
 * From the moment it is told to stop every new request is answered 503, `/health/ready` among them, and every connection
 * ends with its answer: kept alive, it would keep the server from ever closing. Register before what takes its time to stop.
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
