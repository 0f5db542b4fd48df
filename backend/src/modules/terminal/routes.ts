/** The WebSockets of terminals. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { AppError } from '../../lib/errors.ts'
import { sourceOf } from '../audit/actor.ts'
import { onAgent } from '../agents/on-agent.ts'
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
const asTerminal =
  (name: string, locate: Locate): Locate =>
  async (caller) => {
    try {
      return await locate(caller)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (caller.role === 'admin')
        throw new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(name))
      throw new RefusedError(CloseCode.FORBIDDEN, TERMINAL_MESSAGE.accessDenied)
    }
  }

const asSystemTerminal =
  (locate: Locate): Locate =>
  async (caller) => {
    if (caller.role !== 'admin') throw new RefusedError(CloseCode.FORBIDDEN, TERMINAL_MESSAGE.adminRequired)
    return locate(caller)
  }

export const terminalRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { terminals, liveness }) => {
  const open = (socket: WebSocket, request: FastifyRequest, locate: Locate): void => {
    // The request's log, so that later log lines of the terminal still name the request that opened it.
    const { log } = request
    const gate = new Gate({ ...terminals, log }, locate, sourceOf(request))
    const connection = new Connection({ socket, entrance: gate, query: request.query, log })
    liveness.watch(socket, () => connection.alive())
  }

  onAgent(terminals.agents, ({ base, isSystem, route, locate }) => {
    const { config } = route('terminal.open', {})
    app.get(
      `${base}/terminal`,
      { websocket: true, config: { ...config, firstMessage: true }, schema: { hide: true } },
      (socket, request) => {
        const located = locate(request)
        const { name } = request.params as { name: string }
        open(socket, request, isSystem ? asSystemTerminal(located) : asTerminal(name, located))
      },
    )
  })
}
