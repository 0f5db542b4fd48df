/** What every module stands on: the server's log, addresses and clock, and what all of them share. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { programUrl } from '../addresses.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/open.ts'
import { type Clock, systemClock } from '../lib/time/clock.ts'
import { Signal } from '../lib/emitter.ts'
import { createIds } from '../lib/ids.ts'
import { withRequestId } from '../lib/request-scope.ts'
import type { Loss } from '../modules/access/loss.ts'
import { Liveness } from '../plugins/liveness.ts'
import { createMetrics } from '../plugins/metrics/metrics.ts'
import { createOriginCheck } from '../plugins/origin.ts'
import { createOtherHosts } from '../plugins/other-hosts.ts'
import { serverOptions } from '../plugins/server-options.ts'
import type { ContainerRuntime } from '../runtime/port.ts'

/** What {@link createBase} needs. */
export interface BaseDeps {
  readonly config: Config
  readonly database: Database
  readonly runtime: ContainerRuntime
  readonly clock?: Clock
}

/** A server without plugins and routes, and what modules are created with. */
export const createBase = ({ config, database, runtime, clock = systemClock }: BaseDeps) => {
  const otherHosts = createOtherHosts()
  const server = Fastify({ ...serverOptions(config), rewriteUrl: otherHosts.rewriteUrl })
  const log = withRequestId(server.log)
  const onListenerError = (error: unknown): void => log.error({ err: error }, 'a listener failed')
  /** The port that it listens on; before that, the port of the configuration. */
  const port = (): number => (server.server.address() as AddressInfo | null)?.port ?? config.port
  const origins = (): readonly string[] => config.originsFor(port())
  return {
    server,
    config,
    runtime,
    prisma: database.prisma,
    clock,
    newId: createIds(clock),
    log,
    onListenerError,
    otherHosts,
    /** The origins whose pages may use the server with a user's cookie. */
    origins,
    requireOwnOrigin: createOriginCheck(origins),
    /** The address for users: the public URL, or the address that it listens on. */
    baseUrl: (): string => origins()[0]!,
    /** The address for programs on this machine. */
    programUrl: (): string => programUrl(config.host, port()),
    losses: new Signal<Loss>(onListenerError),
    liveness: new Liveness(config.pingIntervalMs),
    metrics: createMetrics(),
  }
}

export type Base = ReturnType<typeof createBase>
