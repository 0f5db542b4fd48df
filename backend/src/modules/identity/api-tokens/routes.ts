/** `/tokens`: a user's own API tokens. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiToken, CreateApiToken, CreatedApiToken, Page, PageQuery } from '@slipway/protocol'
import { addDeletion } from '../deletion.ts'
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

  addDeletion(app, { path: '/tokens/:id', ...config, summary: 'Revoke a token' }, (caller, id) =>
    apiTokens.remove(caller, id),
  )
}
