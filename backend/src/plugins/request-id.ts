/** Gives every request an id, for the header of its answer and for every log line that it causes. */
import type { IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import fp from 'fastify-plugin'
import { inRequest } from '../lib/request-scope.ts'

/** The header of the answer. A trusted proxy may set it in the request. */
export const REQUEST_ID_HEADER = 'x-request-id'
/**
 * The ids that proxies generate, such as hexadecimal digits and UUIDs. Other characters could be mistaken for other
 * text in a log.
 */
const WELL_FORMED = /^[A-Za-z0-9_-]{8,64}$/

/** Whether the server believes the headers of the address that is `hop` proxies away. */
export type TrustsProxy = (address: string, hop: number) => boolean

/**
 * Returns the id from a trusted proxy, so that its log and the server's can be read together. Any other request gets a
 * new id, so that no client can give two requests the same id.
 */
export const requestIds =
  (trusts: TrustsProxy) =>
  ({ headers, socket }: IncomingMessage): string => {
    const given = headers[REQUEST_ID_HEADER]
    const isTaken = typeof given === 'string' && WELL_FORMED.test(given) && trusts(socket.remoteAddress ?? '', 0)
    return isTaken ? given : randomUUID()
  }

/** Register it first. Plugins before it would log without the id. */
export const requestIdPlugin = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      void reply.header(REQUEST_ID_HEADER, request.id)
      inRequest(request.id, done)
    })
    // Handlers after the body run in an event of the connection, outside the request's asynchronous context.
    app.addHook('preValidation', (request, _reply, done) => inRequest(request.id, done))
  },
  { name: 'request-id', fastify: '5.x' },
)
