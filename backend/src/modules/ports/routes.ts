/** `/ports` of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentPorts, OpenPort, PORTS_MAX, PortTicket } from '@slipway/protocol'
import Type from 'typebox'
import { requireArrival } from '../access/plugin.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import type { PortService } from './service.ts'

interface Parts {
  readonly agents: AgentService
  readonly ports: PortService
}

const tags = ['ports']
const list = {
  tags,
  summary: 'On which ports its programs listen',
  description: `What listens for TCP connections now, with the process if it is one of the agent's user. At most ${PORTS_MAX} ports. The agent may write anything as a command.`,
  response: { 200: AgentPorts },
}
const open = {
  tags,
  summary: 'Open a port in a browser',
  description:
    'Returns an address that works once, within a minute. It leads the browser that opens it to the app behind the port, and lets this browser use the port for twelve hours, or until the user loses the right to the agent.',
  body: OpenPort,
  response: { 201: PortTicket },
}
const PORT = { port: Type.Integer({ minimum: 1, maximum: 65_535 }) }

export const portRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, ports }) => {
  onAgent(agents, ({ base, route, find }) => {
    app.get(`${base}/ports`, route('agent.processes', list), async (request) => ports.list(await find(request)))
    app.post(`${base}/ports/:port/tickets`, route('terminal.open', open, PORT), async (request, reply) => {
      const arrival = requireArrival(request)
      const found = await find(request)
      return reply.code(201).send(await ports.open(found, request.params.port, request.body, arrival))
    })
  })
}
