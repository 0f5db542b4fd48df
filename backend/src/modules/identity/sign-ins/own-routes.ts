/** `/users/me/sign-ins`: a user's own sign-ins, and ending them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { EndSignInsQuery, Page, PageQuery, SignIn } from '@slipway/protocol'
import Type from 'typebox'
import { addDeletion } from '../deletion.ts'
import { requireCaller } from '../require-caller.ts'
import type { SignInService } from './service.ts'

/** Options of {@link ownSignInRoutes}. */
export interface OwnSignInRouteOptions {
  readonly signIns: SignInService
}

/** Only for callers who signed in: an API token learns nothing about its owner's devices. */
export const ownSignInRoutes: FastifyPluginAsyncTypebox<OwnSignInRouteOptions> = async (app, { signIns }) => {
  const config = { action: 'sign_ins.manage' } as const
  const tags = ['users']

  app.get(
    '/users/me/sign-ins',
    {
      config,
      schema: {
        tags,
        summary: 'My sign-ins',
        description: 'Newest first; `current` marks the sign-in of this request.',
        querystring: PageQuery,
        response: { 200: Page(SignIn) },
      },
    },
    async (request) => signIns.list(requireCaller(request), request.query),
  )

  addDeletion(
    app,
    {
      path: '/users/me/sign-ins/:id',
      ...config,
      tags,
      summary: 'Sign out one device',
      description: 'Its open terminals and event sockets close at once.',
    },
    (caller, id) => signIns.endOwn(caller, id),
  )

  app.delete(
    '/users/me/sign-ins',
    {
      config,
      schema: {
        tags,
        summary: 'Sign out everywhere else',
        description: '`?all=true` also signs out this device.',
        querystring: EndSignInsQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await signIns.endAll(requireCaller(request), request.query.all !== true)
      return reply.code(204).send(null)
    },
  )
}
