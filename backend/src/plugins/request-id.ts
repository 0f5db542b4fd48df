/** Every request has an id: in its answer's header, and on every line that is logged because of it. */
import type { IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import fp from 'fastify-plugin'
import { inRequest } from '../lib/request-scope.ts'

/** The header that answers, and, from a trusted proxy, names it. */
export const REQUEST_ID_HEADER = 'x-request-id'
/** What proxies make: hexadecimal digits, UUIDs and their like. Nothing that could pass for anything else in a log. */
const WELL_FORMED = /^[A-Za-z0-9_-]{8,64}$/

/** Whether the address at a distance of `hop` proxies is one whose headers are believed. */
export type TrustsProxy = (address: string, hop: number) => boolean

/**
 * A new id; or the one that a proxy gave, so that its log and ours can be read together. Of anybody else it is not taken:
 * two requests must not have the same id because a client says so.
 */
export const requestIds =
  (trusts: TrustsProxy) =>
  ({ headers, socket }: IncomingMessage): string => {
    const given = headers[REQUEST_ID_HEADER]
    const isTaken = typeof given === 'string' && WELL_FORMED.test(given) && trusts(socket.remoteAddress ?? '', 0)
    return isTaken ? given : randomUUID()
  }

/** Register first: what comes before it would log without the id. */
export const requestIdPlugin = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      void reply.header(REQUEST_ID_HEADER, request.id)
      inRequest(request.id, done)
    })
    // The body's end is an event of the connection, which knows nothing of the request.
    app.addHook('preValidation', (request, _reply, done) => inRequest(request.id, done))
  },
  { name: 'request-id', fastify: '5.x' },
)
