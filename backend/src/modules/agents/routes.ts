/** `/api/agents`: the life of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Agent, AgentOptions, CreateAgent, Page, PAGE_LIMIT_DEFAULT, PageQuery, UpdateAgent } from '@slipway/protocol'
import Type from 'typebox'
import { pageStart } from '../../lib/page.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { AgentService, Command, Found } from './service.ts'
import { figureRoutes } from './figure-routes.ts'
import type { AgentFigures } from './figures.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const WaitQuery = Type.Object({ wait: Type.Optional(Type.Boolean()) }, { additionalProperties: false })

interface Parts {
  readonly agents: AgentService
  readonly figures: AgentFigures
}

export const agentRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, figures }) => {
  const tags = ['agents']

  app.get(
    '/agents',
    {
      config: { action: 'agents.list' },
      schema: { tags, summary: 'List the agents you may see', querystring: PageQuery, response: { 200: Page(Agent) } },
    },
    (request) => agents.list(requireCaller(request), pageStart(request.query, PAGE_LIMIT_DEFAULT)),
  )

  app.get(
    '/agents/options',
    {
      config: { action: 'agents.list' },
      schema: { tags, summary: 'What an agent may be made of here', response: { 200: AgentOptions } },
    },
    () => agents.options(),
  )

  app.post(
    '/agents',
    {
      config: { action: 'agents.create', idempotent: true },
      schema: {
        tags,
        summary: 'Create an agent',
        description:
          'Answers at once with the state `creating`; with `?wait=true` when it runs, or failed with a reason.',
        querystring: WaitQuery,
        body: CreateAgent,
        response: { 201: Agent },
      },
    },
    async (request, reply) => {
      const caller = requireCaller(request)
      const { agent, launched } = await agents.create(caller, request.body, request.resourceId)
      reply.code(201)
      if (request.query.wait !== true) return agent
      await launched
      // Not `agent.view`: a token that may create need not be one that may read.
      return agents.view(await agents.require(caller, agent.name, 'agent.use'))
    },
  )

  app.get(
    '/agents/:name',
    {
      config: { action: 'agent.view' },
      schema: { tags, summary: 'Look at one agent', params: ByName, response: { 200: Agent } },
    },
    async (request) => agents.view(await agents.require(requireCaller(request), request.params.name, 'agent.view')),
  )

  app.patch(
    '/agents/:name',
    {
      config: { action: 'agent.manage' },
      schema: {
        tags,
        summary: 'Change its settings',
        description: 'CPUs, memory and image take effect at its next start; `restartNeeded` says when one is due.',
        params: ByName,
        body: UpdateAgent,
        response: { 200: Agent },
      },
    },
    async (request) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.manage')
      return agents.update(found, request.body)
    },
  )

  app.delete(
    '/agents/:name',
    {
      config: { action: 'agent.manage' },
      schema: {
        tags,
        summary: 'Delete it: container, home and shares',
        params: ByName,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await agents.delete(await agents.require(requireCaller(request), request.params.name, 'agent.manage'))
      return reply.code(204).send(null)
    },
  )

  const commands: Record<'start' | 'stop' | 'restart', (found: Found) => Promise<Command>> = {
    start: (found) => agents.start(found),
    stop: (found) => agents.stop(found),
    restart: (found) => agents.restart(found),
  }
  for (const [command, perform] of Object.entries(commands))
    app.post(
      `/agents/:name/${command}`,
      {
        config: { action: 'agent.use', idempotent: true },
        schema: {
          tags,
          summary: `${command[0]?.toUpperCase()}${command.slice(1)} it`,
          description: 'Answers 202 at once; with `?wait=true` when it is done or failed with a reason.',
          params: ByName,
          querystring: WaitQuery,
          response: { 202: Agent },
        },
      },
      async (request, reply) => {
        const found = await agents.require(requireCaller(request), request.params.name, 'agent.use')
        const { done } = await perform(found)
        reply.code(202)
        if (request.query.wait === true) await done
        else done.catch((error: unknown) => request.log.warn({ err: error }, 'agent command refused'))
        return agents.view(found)
      },
    )

  await app.register(figureRoutes, { agents, figures, base: '/agents/:name' })
}
