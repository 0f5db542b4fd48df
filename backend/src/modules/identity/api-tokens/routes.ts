/** `/tokens`: a user's own API tokens. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiToken, CreateApiToken, CreatedApiToken, Page, PageQuery } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../require-caller.ts'
import type { ApiTokenService } from './service.ts'

/** Options of {@link apiTokenRoutes}. */
export interface ApiTokenRouteOptions {
  readonly apiTokens: ApiTokenService
}

/** Only for sign-ins: a token cannot create tokens. */
export const apiTokenRoutes: FastifyPluginAsyncTypebox<ApiTokenRouteOptions> = async (app, { apiTokens }) => {
  const config = { action: 'tokens.manage' } as const

  app.get(
    '/tokens',
    { config, schema: { summary: 'My API tokens', querystring: PageQuery, response: { 200: Page(ApiToken) } } },
    async (request) => apiTokens.list(requireCaller(request).userId, request.query),
  )

  app.post(
    '/tokens',
    {
      config,
      schema: {
        summary: 'Create an API token; only this answer contains it',
        body: CreateApiToken,
        response: { 201: CreatedApiToken },
      },
    },
    async (request, reply) => {
      const created = await apiTokens.create(requireCaller(request), request.body)
      return reply.code(201).send(created)
    },
  )

  app.delete(
    '/tokens/:id',
    {
      config,
      schema: {
        summary: 'Revoke a token',
        params: Type.Object({ id: Type.String() }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await apiTokens.remove(requireCaller(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
