/** All routes about users, to be mounted below `/api`. */
import cookiePlugin from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { RequireOwnOrigin } from '../../plugins/origin.ts'
import { apiTokenRoutes } from './api-tokens/routes.ts'
import type { ApiTokenService } from './api-tokens/service.ts'
import type { Authenticator } from './authenticate.ts'
import { deviceLoginRoutes } from './device-logins/routes.ts'
import type { DeviceLoginService } from './device-logins/service.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import type { PreferenceService } from './preferences/service.ts'
import { setupRoutes } from './setup/routes.ts'
import type { SetupService } from './setup/service.ts'
import { createRefreshCookie } from './sign-ins/cookie.ts'
import { ownSignInRoutes } from './sign-ins/own-routes.ts'
import { signInRoutes } from './sign-ins/routes.ts'
import type { SignInService } from './sign-ins/service.ts'
import type { SshAddress } from './ssh-keys/address.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import type { SshKeyService } from './ssh-keys/service.ts'
import { userRoutes } from './users/routes.ts'
import type { UserService } from './users/service.ts'

/** The services that the routes call. */
export interface IdentityServices {
  readonly authenticator: Authenticator
  readonly setup: SetupService
  readonly signIns: SignInService
  readonly users: UserService
  readonly apiTokens: ApiTokenService
  readonly sshKeys: SshKeyService
  readonly deviceLogins: DeviceLoginService
  readonly preferences: PreferenceService
}

/** Options of {@link identityRoutes}. */
export interface IdentityRouteOptions {
  readonly identity: IdentityServices
  readonly requireOwnOrigin: RequireOwnOrigin
  /** The origins whose pages may sign in. */
  readonly origins: () => readonly string[]
  /** Whether the cookie is sent over https only. */
  readonly secureCookie: boolean
  /** The address with which one-time links begin. A function, because the port is known only after listening. */
  readonly baseUrl: () => string
  /** Where the SSH server listens; null while SSH is off. */
  readonly sshAddress: () => SshAddress | null
}

export const identityRoutes: FastifyPluginAsyncTypebox<IdentityRouteOptions> = async (app, options) => {
  const { identity, requireOwnOrigin, origins, secureCookie, baseUrl, sshAddress } = options
  const { setup, signIns, users, apiTokens, sshKeys, deviceLogins, authenticator, preferences } = identity
  const cookie = createRefreshCookie(secureCookie)

  await app.register(cookiePlugin)
  await app.register(setupRoutes, { setup, signIns, cookie, requireOwnOrigin, origins })
  await app.register(signInRoutes, { signIns, authenticator, cookie, requireOwnOrigin })
  await app.register(ownSignInRoutes, { signIns })
  await app.register(userRoutes, { users, baseUrl })
  await app.register(preferenceRoutes, { preferences })
  await app.register(apiTokenRoutes, { apiTokens })
  await app.register(sshKeyRoutes, { sshKeys, sshAddress })
  await app.register(deviceLoginRoutes, { deviceLogins })
}
