/** Variables of an agent: set, listed and removed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentVariable, Page, SetVariable, VariableName } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import type { VariableService } from './service.ts'

/** Options of {@link variableRoutes}. */
export interface VariableRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly variables: VariableService
}

const TAGS = ['credentials']
const ONE = { variable: VariableName }
const variableOf = (request: FastifyRequest): string => (request.params as { variable: string }).variable

export const variableRoutes: FastifyPluginAsyncTypebox<VariableRouteOptions> = async (app, { agents, variables }) => {
  onAgent(agents, ({ base, route, find }) => {
    app.get(
      `${base}/variables`,
      route('agent.variables', {
        tags: TAGS,
        summary: "The agent's variables, without the values of secret ones",
        response: { 200: Page(AgentVariable) },
      }),
      async (request) => ({ items: await variables.list((await find(request)).row.id), nextCursor: null }),
    )

    app.put(
      `${base}/variables/:variable`,
      route(
        'agent.variables',
        {
          tags: TAGS,
          summary: 'Set or replace a variable',
          description:
            'Terminals and programs over the API that start afterwards get it. It overrides a credential of the same name. ' +
            'The value is stored encrypted, and no answer contains the value of a secret variable.',
          body: SetVariable,
          response: { 200: AgentVariable },
        },
        ONE,
      ),
      async (request) => {
        const { caller, row } = await find(request)
        return variables.set(caller, row, variableOf(request), request.body)
      },
    )

    app.delete(
      `${base}/variables/:variable`,
      route(
        'agent.variables',
        {
          tags: TAGS,
          summary: 'Remove a variable',
          description: 'Running programs keep it.',
          response: { 204: Type.Null() },
        },
        ONE,
      ),
      async (request, reply) => {
        const { caller, row } = await find(request)
        await variables.remove(caller, row, variableOf(request))
        return reply.code(204).send(null)
      },
    )
  })
}
