/** The tools of an agent's programs: shown, set and removed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentTools, SetAgentTools } from '@slipway/protocol'
import Type from 'typebox'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import type { AgentToolsService } from './service.ts'

/** Options of {@link agentToolsRoutes}. */
export interface AgentToolsRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly tools: AgentToolsService
}

export const agentToolsRoutes: FastifyPluginAsyncTypebox<AgentToolsRouteOptions> = async (app, { agents, tools }) => {
  onAgent(agents, ({ base, isSystem, route, find }) => {
    const tags = [isSystem ? 'system agent' : 'agents']

    app.get(
      `${base}/tools`,
      route('agent.tools', {
        tags,
        summary: "Whether its programs may use the platform's tools",
        response: { 200: AgentTools },
      }),
      async (request) => tools.view((await find(request)).row),
    )

    app.put(
      `${base}/tools`,
      route('agent.tools', {
        tags,
        summary: "Let its programs use the platform's tools",
        description:
          'They act in your name, with the scopes of an API token of yours. The token itself never enters the agent. It ends with the token, with your rights, and for a user’s agent while others use it. Every program in the agent may then do what the token may.',
        body: SetAgentTools,
        response: { 200: AgentTools },
      }),
      async (request) => {
        const { caller, row } = await find(request)
        return tools.set(caller, row, request.body)
      },
    )

    app.delete(
      `${base}/tools`,
      route('agent.tools', {
        tags,
        summary: "No longer let its programs use the platform's tools",
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        const { caller, row } = await find(request)
        await tools.remove(caller, row)
        return reply.code(204).send(null)
      },
    )
  })
}
