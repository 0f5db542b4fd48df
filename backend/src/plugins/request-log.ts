/** Writes one log line for each answered request, with ids and the route's pattern, and no text from the client. */
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Programs poll this route every few seconds, so its successes are logged at debug level only. */
    quiet?: boolean
  }
}

/** The name for the route of requests that matched no route. */
export const NO_ROUTE = 'none'

/** A request's route as a pattern, which never contains a name or a token from the address. */
export const routeOf = (request: FastifyRequest): string =>
  request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE)

const lineOf = (request: FastifyRequest, reply: FastifyReply) => ({
  method: request.method,
  route: routeOf(request),
  statusCode: reply.statusCode,
  ms: Math.round(reply.elapsedTime),
  ...(request.caller ? { userId: request.caller.userId } : {}),
})

/** Fastify's own log lines, reworded. Errors are logged where they are answered. */
export class RequestLog extends LogController {
  override incomingRequest(request: FastifyRequest): void {
    request.log.debug({ method: request.method, route: routeOf(request) }, 'request began')
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const line = lineOf(request, reply)
    if (error) reply.log.warn({ ...line, err: error }, 'answer could not be sent')
    else if (request.routeOptions.config.quiet && reply.statusCode < 400) reply.log.debug(line, 'request answered')
    else reply.log.info(line, 'request answered')
  }

  override streamError(error: Error & { code?: string }, _request: FastifyRequest, reply: FastifyReply): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') reply.log.info('client left before the end of the answer')
    else reply.log.warn({ err: error }, 'answer ended in the middle')
  }

  override writeHeadError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ err: error }, 'answer could not be begun')
  }

  /** Its own message repeats the address. */
  override routeNotFound(): void {}
}
