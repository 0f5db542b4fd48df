/** Limits how often one address may use the costly public routes. */
import rateLimit from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { MINUTE_MS, SECOND_MS } from '../lib/time/clock.ts'
import { AppError } from '../lib/errors.ts'

/** Most addresses that are counted. The least recently used is evicted first. */
const MAX_ADDRESSES = 10_000
/** Most requests to one such route from one address in a minute. An office behind one address needs far fewer. */
const MAX_PER_MINUTE = 600

/** Off, because these counts would make answers differ that must be identical. A refusal says when to retry. */
const NO_COUNTS = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }

/** For the `config` of a public route that is costly to answer. */
export const COSTLY_PUBLIC_ROUTE = { rateLimit: { max: MAX_PER_MINUTE, timeWindow: MINUTE_MS } } as const

/** Limits only routes with {@link COSTLY_PUBLIC_ROUTE}. Wrong passwords have their own, much lower limits. */
export const rateLimitPlugin = fp(
  async (app) => {
    await app.register(rateLimit, {
      global: false,
      cache: MAX_ADDRESSES,
      addHeaders: NO_COUNTS,
      addHeadersOnExceeding: NO_COUNTS,
      errorResponseBuilder: (_request, { ttl }) =>
        new AppError('TOO_MANY_REQUESTS', 'Too many requests from your address. Wait a minute, then try again.', {
          retryAfterSeconds: Math.ceil(ttl / SECOND_MS),
        }),
    })
  },
  { name: 'rate-limit', fastify: '5.x' },
)
