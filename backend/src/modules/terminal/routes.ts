/** The WebSockets of terminals. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { AppError } from '../../lib/errors.ts'
import { sourceOf } from '../audit/actor.ts'
import type { Locate } from '../agents/service.ts'
import { Connection } from './connection.ts'
import { Gate, type TerminalDeps } from './gate.ts'
import type { Liveness } from '../../plugins/liveness.ts'
import { RefusedError } from './refused.ts'

interface Parts {
  readonly terminals: TerminalDeps
  readonly liveness: Liveness
}

/** A missing agent and a forbidden one get the same answer, except for admins. */
const agentLocator =
  ({ agents }: TerminalDeps, name: string): Locate =>
  async (caller) => {
    try {
      return await agents.require(caller, name, 'terminal.open')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (caller.role === 'admin')
        throw new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(name))
      throw new RefusedError(CloseCode.FORBIDDEN, TERMINAL_MESSAGE.accessDenied)
    }
  }

const systemLocator =
  ({ agents }: TerminalDeps): Locate =>
  async (caller) => {
    if (caller.role !== 'admin') throw new RefusedError(CloseCode.FORBIDDEN, TERMINAL_MESSAGE.adminRequired)
    return agents.requireSystem(caller, 'system.terminal')
  }

export const terminalRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { terminals, liveness }) => {
  const open = (socket: WebSocket, request: FastifyRequest, locate: Locate): void => {
    // The request's log, so that later log lines of the terminal still name the request that opened it.
    const { log } = request
    const gate = new Gate({ ...terminals, log }, locate, sourceOf(request))
    const connection = new Connection({ socket, entrance: gate, query: request.query, log })
    liveness.watch(socket, () => connection.alive())
  }

  app.get(
    '/agents/:name/terminal',
    { websocket: true, config: { action: 'terminal.open', firstMessage: true }, schema: { hide: true } },
    (socket, request) => open(socket, request, agentLocator(terminals, (request.params as { name: string }).name)),
  )
  app.get(
    '/system-agent/terminal',
    { websocket: true, config: { action: 'system.terminal', firstMessage: true }, schema: { hide: true } },
    (socket, request) => open(socket, request, systemLocator(terminals)),
  )
}
