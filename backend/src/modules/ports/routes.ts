/** `/ports` of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AgentPorts,
  CreatedPortLink,
  CreatePortLink,
  OpenPort,
  OpenPortLink,
  PORTS_MAX,
  PortLinks as Links,
  PortTicket,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireArrival } from '../access/plugin.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import { sourceOf } from '../audit/actor.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { COSTLY_PUBLIC_ROUTE } from '../../plugins/rate-limit.ts'
import type { PortLinks } from './links/links.ts'
import type { PortService } from './service.ts'

interface Parts {
  readonly agents: AgentService
  readonly ports: PortService
  readonly links: PortLinks
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
const NAME = { name: Type.String({ maxLength: 100 }) }
const listLinks = {
  tags,
  summary: 'List the links to its ports',
  params: Type.Object(NAME),
  response: { 200: Links },
}
const createLink = {
  tags,
  summary: 'Create a link to a port',
  description:
    'For the owner and admins. Anyone with the link can use the app behind the port, without a sign-in, until the link expires or is revoked. The secret is in this response only. The link ends with the right of the user who made it.',
  params: Type.Object({ ...NAME, ...PORT }),
  body: CreatePortLink,
  response: { 201: CreatedPortLink },
}
const revokeLink = {
  tags,
  summary: 'Revoke a link to a port',
  description: 'The browsers that the link let in are let out, and their connections are closed.',
  params: Type.Object({ ...NAME, portLinkId: Type.String({ maxLength: 64 }) }),
  response: { 204: Type.Null() },
}
const openLink = {
  tags,
  summary: 'Open a port with a link',
  description: 'Returns an address that works once, within a minute, as for a user of the agent.',
  body: OpenPortLink,
  response: { 201: PortTicket },
}

export const portRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, ports, links }) => {
  onAgent(agents, ({ base, route, find }) => {
    app.get(`${base}/ports`, route('agent.processes', list), async (request) => ports.list(await find(request)))
    app.post(`${base}/ports/:port/tickets`, route('terminal.open', open, PORT), async (request, reply) => {
      const arrival = requireArrival(request)
      const found = await find(request)
      return reply.code(201).send(await ports.open(found, request.params.port, request.body, arrival))
    })
  })
  // The system agent is for admins alone.
  const config = { action: 'terminal.publish' } as const
  const find = (request: FastifyRequest, name: string) =>
    agents.require(requireCaller(request), name, 'terminal.publish')
  app.get('/agents/:name/port-links', { config, schema: listLinks }, async (request) =>
    links.list(await find(request, request.params.name)),
  )
  app.post('/agents/:name/ports/:port/links', { config, schema: createLink }, async (request, reply) => {
    const { name, port } = request.params
    return reply.code(201).send(await links.create(await find(request, name), port, request.body))
  })
  app.delete('/agents/:name/port-links/:portLinkId', { config, schema: revokeLink }, async (request, reply) => {
    const { name, portLinkId } = request.params
    await links.revoke(await find(request, name), portLinkId)
    return reply.code(204).send(null)
  })
  app.post(
    '/port-links/open',
    // A stranger with a link causes a row in the audit log.
    { config: { action: 'public', ...COSTLY_PUBLIC_ROUTE }, schema: openLink },
    async (request, reply) => reply.code(201).send(await links.open(request.body.secret, sourceOf(request))),
  )
}
