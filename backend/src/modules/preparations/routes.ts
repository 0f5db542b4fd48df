/** What an agent begins with: shown, cancelled and tried again. The system agent begins with nothing. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentPreparation, ConfirmPreparation, Preparation } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Action } from '../access/policy.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { PreparationService } from './service.ts'

/** Options of {@link preparationRoutes}. */
export interface PreparationRouteOptions {
  readonly agents: Pick<AgentService, 'require'>
  readonly service: PreparationService
}

const params = Type.Object({ name: Type.String({ maxLength: 100 }) })
const tags = ['agents']
const ACTS = {
  cancel: {
    summary: 'Cancel what prepares it',
    description: 'Ends the clone or the set-up. What they have written so far stays, except for an unfinished clone.',
  },
  retry: {
    summary: 'Prepare it again',
    description:
      'After a failure, or after it was cancelled: begins with what is not done, in your name. A set-up runs from its beginning.',
  },
} as const

export const preparationRoutes: FastifyPluginAsyncTypebox<PreparationRouteOptions> = async (
  app,
  { agents, service },
) => {
  const find = (request: FastifyRequest, action: Action): Promise<Found> =>
    agents.require(requireCaller(request), (request.params as { name: string }).name, action)

  app.get(
    '/agents/:name/preparation',
    {
      config: { action: 'agent.view' },
      schema: {
        tags,
        summary: 'The repository, set-up and task that it begins with',
        description: 'How far they are. `preparation` is null for an agent that begins with nothing.',
        params,
        response: { 200: AgentPreparation },
      },
    },
    async (request) => service.view(await find(request, 'agent.view')),
  )

  for (const act of ['cancel', 'retry'] as const)
    app.post(
      `/agents/:name/preparation/${act}`,
      { config: { action: 'agent.prepare' }, schema: { tags, ...ACTS[act], params, response: { 200: Preparation } } },
      async (request) => service[act](await find(request, 'agent.prepare')),
    )

  app.post(
    '/agents/:name/preparation/confirm',
    {
      config: { action: 'agent.prepare' },
      schema: {
        tags,
        summary: 'Decide what its repository may set up',
        description:
          'Chooses parts of what its `devcontainer.json` offers. The set-up then goes on in your name. Nothing of the repository has run before.',
        params,
        body: ConfirmPreparation,
        response: { 200: Preparation },
      },
    },
    async (request) => service.confirm(await find(request, 'agent.prepare'), request.body),
  )
}
