/**
 * Answers every failure in one shape: `{statusCode, code, error, message}`. The cause of an unexpected failure goes to
 * the log only.
 */
import { STATUS_CODES } from 'node:http'
import type { ErrorBody } from '@slipway/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, notFound } from '../lib/errors.ts'
import { isDatabaseGone } from '../database/errors.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** Answers failures and unknown routes. */
export const errorsPlugin = fp(
  async (app) => {
    app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
    app.setNotFoundHandler((request, reply) =>
      answerError(notFound('There is nothing at this address.'), request, reply),
    )
  },
  { name: 'errors', fastify: '5.x' },
)

/** Answers one failure. Fastify's option `frameworkErrors` uses it, too, for requests that reach no route. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toAppError(error)
  // The log line has a fixed sentence, the cause for the operator, and the request's id.
  if (known.code === 'INTERNAL') request.log.error({ err: error }, 'a request failed unexpectedly')
  else if (known.statusCode >= 500) request.log.warn({ code: known.code }, 'a request failed for want of something')
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  void reply.header('cache-control', 'no-store')
  // Already set, except for requests without a route.
  void reply.header(REQUEST_ID_HEADER, request.id)
  return reply
    .code(known.statusCode)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(bodyOf(known))
}

/** The body for a thrown value, for code that does not answer through Fastify. */
export function errorBodyOf(error: unknown): ErrorBody {
  return bodyOf(toAppError(error))
}

/** The body for an error. */
export function bodyOf({ statusCode, code, message }: AppError): ErrorBody {
  return { statusCode, code, error: STATUS_CODES[statusCode] ?? 'Error', message }
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isDatabaseGone(error))
    return new AppError('DATABASE_UNAVAILABLE', 'The database does not answer. Try again soon.')
  return fromFramework(error) ?? new AppError('INTERNAL', 'Something went wrong on the server. Its log says what.')
}

/** Fastify's own refusals: of a body's size, type or JSON, or of the address. */
function fromFramework(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null
  const { code, statusCode } = error as Partial<FastifyError>
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null
  if (statusCode === 413) return new AppError('TOO_LARGE', 'The body is too large for this server.')
  if (statusCode === 404) return notFound()
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('VALIDATION', 'The body must be application/json.')
  // These messages of Fastify repeat no content of the request. Others might.
  const message = code?.startsWith('FST_ERR_CTP_') ? error.message : 'The request is malformed.'
  return new AppError('VALIDATION', message)
}
