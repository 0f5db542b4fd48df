/** `/api/agents` and `/api/system-agent`: the lifecycle of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  Agent,
  AgentOptions,
  CreateAgent,
  Page,
  PAGE_LIMIT_DEFAULT,
  PageQuery,
  UpdateAgent,
  UpdateSystemAgent,
} from '@slipway/protocol'
import Type from 'typebox'
import { pageStart } from '../../lib/page.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { onAgent } from './on-agent.ts'
import type { AgentService } from './service.ts'
import { figureRoutes } from './usage/routes.ts'
import type { AgentFigures } from './usage/figures.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const WaitQuery = Type.Object({ wait: Type.Optional(Type.Boolean()) }, { additionalProperties: false })

const COMMANDS = {
  start: 'Start it',
  stop: 'Stop it',
  restart: 'Restart it',
  recreate: 'Throw its container away and start a new one; the home is kept',
} as const

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
      schema: {
        tags,
        summary: 'The possible settings of an agent on this installation',
        response: { 200: AgentOptions },
      },
    },
    async () => ({ ...agents.options(), suggestedName: await agents.suggestedName() }),
  )

  app.post(
    '/agents',
    {
      config: { action: 'agents.create', idempotent: true },
      schema: {
        tags,
        summary: 'Create an agent',
        description:
          'Answers at once with the state `creating`. With `?wait=true` it answers when the agent runs or has failed with a reason.',
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
      // Not `agent.view`: a token may have the right to create but not to read.
      return agents.view(await agents.require(caller, agent.name, 'agent.use'))
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

  onAgent(agents, ({ base, isSystem, route, find }) => {
    const tags = [isSystem ? 'system agent' : 'agents']

    app.get(
      base,
      route('agent.view', { tags, summary: 'Look at one agent', response: { 200: Agent } }),
      async (request) => agents.view(await find(request)),
    )

    app.patch(
      base,
      route('agent.manage', {
        tags,
        summary: 'Change its settings',
        description: isSystem
          ? 'Like any agent, but its permission prompts cannot be skipped.'
          : 'CPUs, memory and image take effect at its next start; `restartNeeded` says whether a restart is needed.',
        body: isSystem ? UpdateSystemAgent : UpdateAgent,
        response: { 200: Agent },
      }),
      async (request) => agents.update(await find(request), request.body),
    )

    for (const command of isSystem
      ? (['start', 'stop', 'restart', 'recreate'] as const)
      : (['start', 'stop', 'restart'] as const)) {
      const { config, schema } = route('agent.use', {
        tags,
        summary: COMMANDS[command],
        description:
          'Answers 202 at once. With `?wait=true` it answers when the command is done or has failed with a reason.',
        querystring: WaitQuery,
        response: { 202: Agent },
      })
      app.post(`${base}/${command}`, { config: { ...config, idempotent: find }, schema }, async (request, reply) => {
        const found = await find(request)
        const { done } = await agents[command](found)
        reply.code(202)
        if (request.query.wait === true) await done
        else done.catch((error: unknown) => request.log.warn({ err: error }, 'agent command refused'))
        return agents.view(found)
      })
    }
  })

  await app.register(figureRoutes, { agents, figures })
}
