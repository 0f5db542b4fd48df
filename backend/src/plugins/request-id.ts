/** Every request has an id, which is in its answer's header and on every log line that it causes. */
import type { IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import fp from 'fastify-plugin'
import { inRequest } from '../lib/request-scope.ts'

/** The header of the answer. A trusted proxy may set it in the request. */
export const REQUEST_ID_HEADER = 'x-request-id'
/**
 * What proxies generate: hexadecimal digits, UUIDs and the like. Nothing that could be mistaken for other text in a
 * log.
 */
const WELL_FORMED = /^[A-Za-z0-9_-]{8,64}$/

/** Whether the server believes the headers of the address that is `hop` proxies away. */
export type TrustsProxy = (address: string, hop: number) => boolean

/**
 * A new id, or the one of a trusted proxy, so that its log and ours can be read together. The id of any other client is
 * ignored: two requests must not share an id because a client says so.
 */
export const requestIds =
  (trusts: TrustsProxy) =>
  ({ headers, socket }: IncomingMessage): string => {
    const given = headers[REQUEST_ID_HEADER]
    const isTaken = typeof given === 'string' && WELL_FORMED.test(given) && trusts(socket.remoteAddress ?? '', 0)
    return isTaken ? given : randomUUID()
  }

/** Register it first: plugins before it would log without the id. */
export const requestIdPlugin = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      void reply.header(REQUEST_ID_HEADER, request.id)
      inRequest(request.id, done)
    })
    // The end of the body is an event of the connection, which does not know the request.
    app.addHook('preValidation', (request, _reply, done) => inRequest(request.id, done))
  },
  { name: 'request-id', fastify: '5.x' },
)
