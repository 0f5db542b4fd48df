/**
 * What programs in agents reach through their relays: a small HTTP server without an address. It has only the routes that
 * it is given. Who asks is decided by the connection: the backend knows whose container its relay is in.
 */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyBaseLogger, type FastifyPluginAsync, LogController } from 'fastify'
import { SECOND_MS } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import { errorsPlugin } from '../../plugins/errors.ts'
import { validationPlugin } from '../../plugins/validation.ts'
import { assertAllowed } from '../access/plugin.ts'
import { allows } from '../access/policy.ts'
import type { Caller } from '../identity/caller.ts'
import '../asks/visitor.ts'
import { nameInHeaders } from './named.ts'

/** Largest body, in bytes: a long prompt. A container may send 32 of them at the same time. */
const BODY_BYTES = 1_048_576
/** How long a program may take to send its request, in milliseconds. */
const REQUEST_MS = 15 * SECOND_MS

export interface DoorDeps {
  readonly routes: FastifyPluginAsync
  /** The caller as whom an agent's programs act; null if they may not act. */
  readonly callerIn: (agentId: string, requestId: string) => Promise<Caller | null>
  readonly log: FastifyBaseLogger
}

export interface Door {
  /** A program in this agent has connected. */
  connected(agentId: string, stream: Duplex): void
  close(): Promise<void>
}

/** The header with the session to which a program says that it belongs. */
const SESSION_HEADER = 'x-slipway-session'

/** A connection that has not sent its whole request. */
interface Connection {
  readonly agentId: string
  readonly timer: NodeJS.Timeout
}

/** Mounts the routes below `/api`. */
export const openDoor = async ({ routes, callerIn, log }: DoorDeps): Promise<Door> => {
  const connections = new WeakMap<Duplex, Connection>()
  const app = Fastify({
    loggerInstance: log,
    // A container could fill the log.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_BYTES,
  })
  app.addHook('onRoute', (route) => {
    route.bodyLimit = Math.min(route.bodyLimit ?? BODY_BYTES, BODY_BYTES)
  })
  await app.register(errorsPlugin)
  await app.register(validationPlugin)
  app.decorateRequest('caller', null)
  app.decorateRequest('visitor', null)
  app.addHook('onRequest', async (request) => {
    const connection = connections.get(request.raw.socket)
    const { action, visitors } = request.routeOptions.config
    if (request.is404) return
    if (!connection) throw notFound()
    const { agentId } = connection
    const session = request.headers[SESSION_HEADER]
    request.visitor = { agentId, sessionId: typeof session === 'string' && isUuid(session) ? session : null }
    if (action === undefined && visitors) return
    // What is open to all on the network is not meant for programs in agents.
    if (action === undefined || action === 'public') throw notFound()
    const caller = await callerIn(agentId, request.id)
    if (visitors && !(caller && allows(caller, action))) return
    if (!caller) throw new AppError('FORBIDDEN', 'The programs of this agent may not use the tools of Slipway.')
    assertAllowed(caller, action)
    request.caller = caller
  })
  app.addHook('preHandler', async ({ raw, body, headers }) => {
    clearTimeout(connections.get(raw.socket)?.timer)
    nameInHeaders(headers, body)
  })
  // Each request asks again who may do what, so a connection is worth nothing after it.
  app.addHook('onSend', async (_request, reply) => void reply.header('connection', 'close'))
  await app.register(routes, { prefix: '/api' })
  await app.ready()
  return {
    connected: (agentId, stream) => {
      const timer = setTimeout(() => stream.destroy(), REQUEST_MS)
      stream.once('close', () => clearTimeout(timer))
      connections.set(stream, { agentId, timer })
      app.server.emit('connection', stream)
    },
    close: () => app.close(),
  }
}
