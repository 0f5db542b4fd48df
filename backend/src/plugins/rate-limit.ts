/** An upper bound on how often one address may use the costly public routes, whatever comes of it. */
import rateLimit from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'

/** Addresses that are remembered; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 10_000
/** Requests to one such route from one address in a minute: an office behind one address signs in with far fewer. */
const MAX_PER_MINUTE = 600

/** Answers that are to be alike would differ in how many were asked before. When to try again is said with the refusal. */
const NO_COUNTS = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }

/** For the `config` of a route that anybody may call and that makes the server work. */
export const COSTLY_PUBLIC_ROUTE = { rateLimit: { max: MAX_PER_MINUTE, timeWindow: MINUTE_MS } } as const

/** Off for all routes but those that ask for it. Guessed passwords are counted elsewhere, and much more strictly. */
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
