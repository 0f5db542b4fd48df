/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { RequireOwnOrigin } from '../../plugins/origin.ts'
import type { Caller } from './caller.ts'
import { createIdentity, type IdentityDeps } from './identity.ts'
import { identityRoutes } from './routes.ts'
import { SshListener } from './ssh-keys/address.ts'

/** What {@link createIdentityModule} needs. */
export interface IdentityModuleDeps extends Omit<IdentityDeps, 'secretKey'> {
  readonly config: Pick<IdentityDeps, 'secretKey'> & {
    /** Whether the cookie is sent over https only. */
    readonly secureCookie: boolean
  }
  readonly requireOwnOrigin: RequireOwnOrigin
  /** The origins whose pages may sign in. */
  readonly origins: () => readonly string[]
  /** The URL at which users reach the server. */
  readonly baseUrl: () => string
}

/** Users, and how they sign in. */
export const createIdentityModule = (deps: IdentityModuleDeps) => {
  const { config, requireOwnOrigin, origins, baseUrl } = deps
  const { secretKey, secureCookie } = config
  const identity = createIdentity({ ...deps, secretKey })
  const sshListener = new SshListener()
  const sshAddress = () => sshListener.at(new URL(baseUrl()).hostname)
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(identityRoutes, { identity, requireOwnOrigin, origins, secureCookie, baseUrl, sshAddress })
  }
  return {
    ...identity,
    sshListener,
    routes,
    start: async (callers: () => Caller[]): Promise<void> => identity.expiryWatch.start(callers),
    quiesce: () => identity.expiryWatch.stop(),
    flush: () => identity.close(),
  }
}
