/** `POST /auth/login`, `/auth/refresh`, `/auth/logout`. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LoginBody, RefreshHeaders, SignedIn } from '@slipway/protocol'
import Type from 'typebox'
import { AppError } from '../../../lib/errors.ts'
import type { RequireOwnOrigin } from '../../../plugins/origin.ts'
import { COSTLY_PUBLIC_ROUTE } from '../../../plugins/rate-limit.ts'
import { sourceOf } from '../../audit/actor.ts'
import { bearerToken } from '../bearer.ts'
import type { Authenticator } from '../authenticate.ts'
import { actorOf } from '../caller.ts'
import { deviceOf, refreshSecretsOf, type RefreshCookie } from './cookie.ts'
import type { SignInService } from './service.ts'

/** Options of {@link signInRoutes}. */
export interface SignInRouteOptions {
  readonly signIns: SignInService
  readonly authenticator: Authenticator
  readonly cookie: RefreshCookie
  readonly requireOwnOrigin: RequireOwnOrigin
}

/** Pages of other origins cannot call the routes that set or use the cookie. */
export const signInRoutes: FastifyPluginAsyncTypebox<SignInRouteOptions> = async (app, options) => {
  const { signIns, authenticator, cookie, requireOwnOrigin } = options
  const config = { action: 'public', ...COSTLY_PUBLIC_ROUTE } as const

  app.post(
    '/auth/login',
    {
      config,
      // At a foreign address all other routes would fail, so a sign-in there must fail, too.
      onRequest: requireOwnOrigin,
      schema: { summary: 'Sign in', body: LoginBody, response: { 200: SignedIn } },
    },
    async (request, reply) => {
      const { email, password } = request.body
      return cookie.answer(reply, await signIns.login(email, password, deviceOf(request)))
    },
  )

  app.post(
    '/auth/refresh',
    {
      config,
      onRequest: requireOwnOrigin,
      schema: {
        summary: 'Exchange the refresh cookie and the refresh key for the next access token',
        headers: RefreshHeaders,
        response: { 200: SignedIn },
      },
    },
    async (request, reply) => {
      let refusal = new AppError('INVALID_REFRESH', 'You are not signed in.')
      for (const secret of refreshSecretsOf(request)) {
        try {
          return cookie.answer(reply, await signIns.refresh(secret, sourceOf(request)))
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'INVALID_REFRESH') throw error
          refusal = error
        }
      }
      throw refusal
    },
  )

  app.post(
    '/auth/logout',
    {
      config,
      onRequest: requireOwnOrigin,
      schema: { summary: 'Sign out', headers: RefreshHeaders, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      for (const secret of refreshSecretsOf(request)) await signIns.endByRefreshSecret(secret, sourceOf(request))
      const bearer = bearerToken(request)
      // A client without a cookie signs out with its access token.
      const caller = bearer === null ? null : await authenticator.authenticate(bearer, sourceOf(request))
      if (caller?.via.kind === 'sign_in') await signIns.end(caller.via.signInId, actorOf(caller))
      cookie.clear(reply)
      return reply.code(204).send(null)
    },
  )
}
