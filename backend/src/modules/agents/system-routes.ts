/** `/api/system-agent`: the installation's own agent, for admins. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Agent, SystemWarning, UpdateSystemAgent } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import { figureRoutes } from './figure-routes.ts'
import type { AgentFigures } from './figures.ts'
import type { AgentService, Command, Found } from './service.ts'
import type { SystemWarnings } from './warnings.ts'

const WaitQuery = Type.Object({ wait: Type.Optional(Type.Boolean()) }, { additionalProperties: false })

interface Parts {
  readonly agents: AgentService
  readonly figures: AgentFigures
  readonly warnings: Pick<SystemWarnings, 'all'>
}

export const systemAgentRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, figures, warnings }) => {
  const tags = ['system agent']

  app.get(
    '/system-agent',
    {
      config: { action: 'system.view' },
      schema: { tags, summary: 'Look at the system agent', response: { 200: Agent } },
    },
    async (request) => agents.view(await agents.requireSystem(requireCaller(request), 'system.view')),
  )

  app.get(
    '/system-agent/warnings',
    {
      config: { action: 'system.view' },
      schema: {
        tags,
        summary: 'What is to be mended about the engine and the network',
        description:
          'Looked at once after each start: at the engine when it answers, at the network when the system agent runs.',
        response: { 200: Type.Object({ items: Type.Array(SystemWarning) }) },
      },
    },
    async (request) => {
      await agents.requireSystem(requireCaller(request), 'system.view')
      return { items: warnings.all }
    },
  )

  app.patch(
    '/system-agent',
    {
      config: { action: 'system.manage' },
      schema: {
        tags,
        summary: 'Change its settings',
        description: 'As with any agent, but for its permission prompts, which are never skipped.',
        body: UpdateSystemAgent,
        response: { 200: Agent },
      },
    },
    async (request) => agents.update(await agents.requireSystem(requireCaller(request), 'system.manage'), request.body),
  )

  const commands: Record<string, [summary: string, perform: (found: Found) => Promise<Command>]> = {
    start: ['Start it', (found) => agents.start(found)],
    stop: ['Stop it', (found) => agents.stop(found)],
    restart: ['Restart it', (found) => agents.restart(found)],
    recreate: ['Throw its container away and start a new one; the home is kept', (found) => agents.recreate(found)],
  }
  for (const [command, [summary, perform]] of Object.entries(commands))
    app.post(
      `/system-agent/${command}`,
      {
        config: { action: 'system.manage', idempotent: true },
        schema: { tags, summary, querystring: WaitQuery, response: { 202: Agent } },
      },
      async (request, reply) => {
        const found = await agents.requireSystem(requireCaller(request), 'system.manage')
        const { done } = await perform(found)
        reply.code(202)
        if (request.query.wait === true) await done
        else done.catch((error: unknown) => request.log.warn({ err: error }, 'system agent command refused'))
        return agents.view(found)
      },
    )

  await app.register(figureRoutes, { agents, figures, base: '/system-agent' })
}
