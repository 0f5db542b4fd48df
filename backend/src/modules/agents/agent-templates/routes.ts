/** `/api/agent-templates`: what users choose among. Admins change them below `/api/platform`. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AGENT_TEMPLATES_MAX, AgentTemplate, AgentTemplateName, SetAgentTemplate } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import type { AgentTemplateService } from './service.ts'

/** Options of {@link agentTemplateRoutes}. */
export interface AgentTemplateRouteOptions {
  readonly templates: AgentTemplateService
}

const tags = ['agents']
const path = '/platform/agent-templates/:name'
const config = { action: 'agents.templates' } as const

export const agentTemplateRoutes: FastifyPluginAsyncTypebox<AgentTemplateRouteOptions> = async (app, { templates }) => {
  app.get(
    '/agent-templates',
    {
      config: { action: 'agents.list' },
      schema: {
        tags,
        summary: 'List the templates of agents',
        description: 'By name. `POST /agents` takes the name of one.',
        response: { 200: Type.Array(AgentTemplate) },
      },
    },
    () => templates.list(),
  )

  app.put(
    path,
    {
      config,
      schema: {
        tags,
        summary: 'Make or replace a template of agents',
        description: `There may be ${AGENT_TEMPLATES_MAX}. Agents that were made of it stay as they are.`,
        params: Type.Object({ name: AgentTemplateName }),
        body: SetAgentTemplate,
        response: { 200: AgentTemplate },
      },
    },
    async (request) => templates.set(requireCaller(request), request.params.name, request.body),
  )

  app.delete(
    path,
    {
      config,
      schema: {
        tags,
        summary: 'Remove a template of agents',
        params: Type.Object({ name: Type.String({ maxLength: 100 }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await templates.remove(requireCaller(request), request.params.name)
      return reply.code(204).send(null)
    },
  )
}
