/** The terminals' WebSockets, and the processes that outlive them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentProcess, CloseCode, Page, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { WebSocket } from 'ws'
import { AppError } from '../../lib/errors.ts'
import { sourceOf } from '../audit/actor.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { Found } from '../agents/service.ts'
import { Connection } from './connection.ts'
import { Gate, type Locate, type TerminalDeps } from './gate.ts'
import type { Liveness } from './liveness.ts'
import type { ProcessService } from './processes.ts'
import { RefusedError } from './refused.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const ByNameAndPid = Type.Object({ name: Type.String({ maxLength: 100 }), pid: Type.Integer({ minimum: 2 }) })
const ByPid = Type.Object({ pid: Type.Integer({ minimum: 2 }) })

interface Parts {
  readonly terminals: TerminalDeps
  readonly processes: ProcessService
  readonly liveness: Liveness
}

/** Missing and forbidden are one answer, except to an admin, who may know. */
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

export const terminalRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { terminals, processes, liveness }) => {
  const open = (socket: WebSocket, request: FastifyRequest, locate: Locate): void => {
    // What a terminal logs hours later still names the request that opened it.
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

  const tags = ['processes']
  const list = async (found: Found) => ({ items: await processes.list(found), nextCursor: null })

  app.get(
    '/agents/:name/processes',
    {
      config: { action: 'agent.processes' },
      schema: {
        tags,
        summary: 'What lives on in the container, and where it came from',
        description: 'Processes of terminals that are open now are not in the list.',
        params: ByName,
        response: { 200: Page(AgentProcess) },
      },
    },
    async (request) =>
      list(await terminals.agents.require(requireCaller(request), request.params.name, 'agent.processes')),
  )
  app.delete(
    '/agents/:name/processes/:pid',
    {
      config: { action: 'agent.use' },
      schema: {
        tags,
        summary: 'End one of them',
        description: 'Asks it to end, and kills it after 5 s.',
        params: ByNameAndPid,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const found = await terminals.agents.require(requireCaller(request), request.params.name, 'agent.use')
      await processes.end(found, request.params.pid)
      return reply.code(204).send(null)
    },
  )
  app.get(
    '/system-agent/processes',
    {
      config: { action: 'system.view' },
      schema: {
        tags,
        summary: "What lives on in the system agent's container",
        response: { 200: Page(AgentProcess) },
      },
    },
    async (request) => list(await terminals.agents.requireSystem(requireCaller(request), 'system.view')),
  )
  app.delete(
    '/system-agent/processes/:pid',
    {
      config: { action: 'system.manage' },
      schema: { tags, summary: 'End one of them', params: ByPid, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const found = await terminals.agents.requireSystem(requireCaller(request), 'system.manage')
      await processes.end(found, request.params.pid)
      return reply.code(204).send(null)
    },
  )
}
