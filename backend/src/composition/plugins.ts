/** Every plugin of the server that is no module, in order. */
import sensible from '@fastify/sensible'
import websocket from '@fastify/websocket'
import { MAX_INPUT_BYTES } from '@slipway/protocol'
import type { Database } from '../database/open.ts'
import { accessPlugin } from '../modules/access/plugin.ts'
import type { IdempotencyKeys } from '../modules/idempotency/keys.ts'
import { idempotencyPlugin } from '../modules/idempotency/plugin.ts'
import type { Authenticator } from '../modules/identity/authenticate.ts'
import { agentPeersPlugin } from '../plugins/agent-peers.ts'
import { connectionsPlugin } from '../plugins/connections.ts'
import { errorsPlugin } from '../plugins/errors.ts'
import { databaseCheck, engineCheck, healthRoutes } from '../plugins/health.ts'
import { lingeringClosePlugin } from '../plugins/lingering-close.ts'
import { metricsPlugin } from '../plugins/metrics/metrics.ts'
import { type PlatformFigures, platformMetricsPlugin } from '../plugins/metrics/platform-metrics.ts'
import { openapiPlugin } from '../plugins/openapi/openapi.ts'
import { rateLimitPlugin } from '../plugins/rate-limit.ts'
import { requestIdPlugin } from '../plugins/request-id.ts'
import { securityPlugin } from '../plugins/security.ts'
import { stoppingPlugin } from '../plugins/stopping.ts'
import { validationPlugin } from '../plugins/validation.ts'
import type { Base } from './base.ts'

/** What {@link registerPlugins} needs. */
export interface PluginDeps extends Pick<Base, 'config' | 'runtime' | 'server' | 'otherHosts' | 'losses' | 'metrics'> {
  readonly database: Database
  /** The product's version. */
  readonly version: string
  readonly authenticator: Authenticator
  readonly keys: IdempotencyKeys
  readonly figures: Pick<PlatformFigures, 'agentsByState' | 'terminals'>
  /** Stops the modules. */
  readonly stop: () => Promise<void>
}

/** Registers them. The routes of the modules come after them. */
export const registerPlugins = async (deps: PluginDeps): Promise<void> => {
  const { server, config, database, runtime, version, otherHosts, authenticator, keys, losses, stop } = deps
  const { metrics: registry } = deps
  for (const plugin of [otherHosts.plugin, requestIdPlugin, stoppingPlugin, connectionsPlugin, lingeringClosePlugin])
    await server.register(plugin)
  await server.register(agentPeersPlugin, { subnets: () => runtime.agentSubnets })
  await server.register(sensible)
  await server.register(errorsPlugin)
  await server.register(validationPlugin)
  await server.register(securityPlugin, { https: config.secureCookie })
  await server.register(rateLimitPlugin)
  await server.register(accessPlugin, { authenticator, losses })
  await server.register(idempotencyPlugin, { keys })
  await server.register(openapiPlugin, { version })
  await server.register(metricsPlugin, { registry })
  // Before the hook of the WebSocket plugin, which closes every socket without giving a reason.
  server.addHook('preClose', stop)
  await server.register(websocket, { options: { maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false } })
  await server.register(platformMetricsPlugin, {
    registry,
    version,
    figures: { ...deps.figures, engineUp: () => runtime.available, database: () => database.connections() },
  })
  const checks = [databaseCheck(database.ping), engineCheck(runtime)]
  await server.register(healthRoutes, { prefix: '/api', checks })
}
