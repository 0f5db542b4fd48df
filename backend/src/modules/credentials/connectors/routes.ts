/** Connectors of an agent, of a user and of the platform: set, listed, switched and removed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Connector, ConnectorName, CONNECTORS_MAX, Page, SetConnector, SwitchConnector } from '@slipway/protocol'
import type { FastifyRequest, FastifySchema } from 'fastify'
import Type, { type TProperties } from 'typebox'
import type { Action } from '../../access/policy.ts'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import { type Holder, PLATFORM_HOLDER } from '../owner.ts'
import type { ConnectorService } from './service.ts'

/** Options of {@link connectorRoutes}. */
export interface ConnectorRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly connectors: ConnectorService
}

/** The address of the connectors of one owner. */
interface Collection {
  readonly path: string
  readonly whose: string
  options(schema: FastifySchema, params?: TProperties): { config: { action: Action }; schema: FastifySchema }
  /** Throws the error for a caller who may not. */
  locate(request: FastifyRequest): Promise<Holder>
}

const TAGS = ['connectors']
const ONE = { connector: ConnectorName }
const nameOf = (request: FastifyRequest): string => (request.params as { connector: string }).connector

export const connectorRoutes: FastifyPluginAsyncTypebox<ConnectorRouteOptions> = async (
  app,
  { agents, connectors },
) => {
  const collections: Collection[] = [
    {
      path: '/users/me/connectors',
      whose: 'My',
      options: optionsFor('account.credentials'),
      locate: async (request) => {
        const { userId, email } = requireCaller(request)
        return { owner: { type: 'user', id: userId }, name: email }
      },
    },
    {
      path: '/platform/connectors',
      whose: "The platform's",
      options: optionsFor('platform.credentials'),
      locate: async () => PLATFORM_HOLDER,
    },
  ]
  onAgent(agents, ({ base, isSystem, route, find }) => {
    collections.push({
      path: `${base}/connectors`,
      whose: isSystem ? "The system agent's" : "An agent's",
      // Like a variable, it decides what the agent's programs do, and where they send what they work with.
      options: (schema, params) => route('agent.variables', schema, params),
      locate: async (request) => {
        const { row } = await find(request)
        return { owner: { type: 'agent', id: row.id }, name: row.name }
      },
    })
  })

  for (const { path, whose, options, locate } of collections) {
    const of = whose.toLowerCase()
    app.get(
      path,
      options({
        tags: TAGS,
        summary: `${whose} connectors, without their secrets`,
        response: { 200: Page(Connector) },
      }),
      async (request) => ({ items: await connectors.list((await locate(request)).owner), nextCursor: null }),
    )

    app.put(
      `${path}/:connector`,
      options(
        {
          tags: TAGS,
          summary: `Set or replace a connector (${of})`,
          description:
            'An MCP server: a program in the agent (`stdio`), or an address (`http`). Tasks that start afterwards get it. ' +
            'In values of `env` and `headers`, `${secret:NAME}` stands for a secret of `secrets`. Secrets are stored ' +
            `encrypted, and no answer contains them. There may be ${CONNECTORS_MAX} connectors.`,
          body: SetConnector,
          response: { 200: Connector },
        },
        ONE,
      ),
      async (request) =>
        connectors.set(requireCaller(request), await locate(request), nameOf(request), request.body as SetConnector),
    )

    app.patch(
      `${path}/:connector`,
      options(
        {
          tags: TAGS,
          summary: `Switch a connector on or off (${of})`,
          description: 'Active tasks keep what they started with.',
          body: SwitchConnector,
          response: { 200: Connector },
        },
        ONE,
      ),
      async (request) =>
        connectors.switch(
          requireCaller(request),
          await locate(request),
          nameOf(request),
          (request.body as SwitchConnector).enabled,
        ),
    )

    app.delete(
      `${path}/:connector`,
      options(
        {
          tags: TAGS,
          summary: `Remove a connector (${of})`,
          description: 'Active tasks keep what they started with.',
          response: { 204: Type.Null() },
        },
        ONE,
      ),
      async (request, reply) => {
        await connectors.remove(requireCaller(request), await locate(request), nameOf(request))
        return reply.code(204).send(null)
      },
    )
  }
}

/** The options of a route of one action. A route without parameters gets no schema for them. */
const optionsFor =
  (action: Action): Collection['options'] =>
  (schema, params) => ({
    config: { action },
    schema: params === undefined ? schema : { ...schema, params: Type.Object(params) },
  })
