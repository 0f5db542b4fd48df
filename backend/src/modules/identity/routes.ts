/** All routes about people, to be mounted under `/api`. */
import cookiePlugin from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { RequireOwnOrigin } from '../../plugins/origin.ts'
import { apiTokenRoutes } from './api-tokens/routes.ts'
import type { Identity } from './identity.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { createRefreshCookie } from './sign-ins/cookie.ts'
import { ownSignInRoutes } from './sign-ins/own-routes.ts'
import { signInRoutes } from './sign-ins/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Options of {@link identityRoutes}. */
export interface IdentityRouteOptions {
  readonly identity: Identity
  readonly requireOwnOrigin: RequireOwnOrigin
  /** Whether the cookie is for https only. */
  readonly secureCookie: boolean
  /** The address that one-time links begin with; asked each time, because the port is known only after listening. */
  readonly baseUrl: () => string
}

export const identityRoutes: FastifyPluginAsyncTypebox<IdentityRouteOptions> = async (app, options) => {
  const { identity, requireOwnOrigin, secureCookie, baseUrl } = options
  const { setup, signIns, users, apiTokens, authenticator, preferences } = identity
  const cookie = createRefreshCookie(secureCookie)

  await app.register(cookiePlugin)
  await app.register(setupRoutes, { setup, signIns, cookie })
  await app.register(signInRoutes, { signIns, authenticator, cookie, requireOwnOrigin })
  await app.register(ownSignInRoutes, { signIns })
  await app.register(userRoutes, { users, baseUrl })
  await app.register(preferenceRoutes, { preferences })
  await app.register(apiTokenRoutes, { apiTokens })
}
