/** `GET /auth/status`, `POST /auth/setup`, `POST /auth/invitation`, `POST /auth/invitation/lookup`. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AcceptInvitationBody,
  AuthStatus,
  AuthStatusQuery,
  InvitationLookup,
  InvitedAs,
  SetupBody,
  SignedIn,
} from '@slipway/protocol'
import type { RequireOwnOrigin } from '../../../plugins/origin.ts'
import { COSTLY_PUBLIC_ROUTE } from '../../../plugins/rate-limit.ts'
import { sourceOf } from '../../audit/actor.ts'
import { deviceOf, type RefreshCookie } from '../sign-ins/cookie.ts'
import type { SignInService } from '../sign-ins/service.ts'
import type { SetupService } from './service.ts'

/** Options of {@link setupRoutes}. */
export interface SetupRouteOptions {
  readonly setup: SetupService
  readonly signIns: Pick<SignInService, 'open'>
  readonly cookie: RefreshCookie
  readonly requireOwnOrigin: RequireOwnOrigin
  readonly origins: () => readonly string[]
}

/** `POST /auth/setup` and `POST /auth/invitation` sign the user in. */
export const setupRoutes: FastifyPluginAsyncTypebox<SetupRouteOptions> = async (app, options) => {
  const { setup, signIns, cookie, requireOwnOrigin, origins } = options
  const config = { action: 'public', ...COSTLY_PUBLIC_ROUTE } as const

  app.get(
    '/auth/status',
    {
      config: { action: 'public' },
      schema: {
        summary: 'Whether the first admin exists, and whether pages of an origin may sign in',
        querystring: AuthStatusQuery,
        response: { 200: AuthStatus },
      },
    },
    async ({ query: { origin } }) => ({
      setUp: await setup.isSetUp(),
      ...(origin !== undefined && { originAllowed: origins().includes(origin) }),
    }),
  )

  app.post(
    '/auth/setup',
    {
      config,
      onRequest: requireOwnOrigin,
      schema: { summary: 'Create the first admin', body: SetupBody, response: { 200: SignedIn } },
    },
    async (request, reply) => {
      const { token, email, password } = request.body
      const admin = await setup.setUp(token, email, password, sourceOf(request))
      return cookie.answer(reply, await signIns.open(admin, deviceOf(request)))
    },
  )

  app.post(
    '/auth/invitation/lookup',
    {
      config,
      schema: { summary: 'The e-mail address of an invitation', body: InvitationLookup, response: { 200: InvitedAs } },
    },
    async (request) => ({ email: await setup.invitedAs(request.body.token, sourceOf(request)) }),
  )

  app.post(
    '/auth/invitation',
    {
      config,
      onRequest: requireOwnOrigin,
      schema: { summary: 'Accept an invitation', body: AcceptInvitationBody, response: { 200: SignedIn } },
    },
    async (request, reply) => {
      const user = await setup.acceptInvitation(request.body.token, request.body.password, sourceOf(request))
      return cookie.answer(reply, await signIns.open(user, deviceOf(request)))
    },
  )
}
