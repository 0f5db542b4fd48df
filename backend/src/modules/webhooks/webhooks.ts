/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import type { Loss } from '../access/loss.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { Networks } from '../credentials/probe/networks.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Runs } from '../runs/runs.ts'
import { LOOK_EVERY_MS } from './bounds.ts'
import { receiveRoutes } from './incoming/receive-routes.ts'
import { HookReceiver, type ReceiverDeps } from './incoming/receiver.ts'
import { IncomingRepository } from './incoming/repository.ts'
import { incomingRoutes } from './incoming/routes.ts'
import { IncomingService } from './incoming/service.ts'
import { WebhookMetrics } from './metrics.ts'
import { Deliverer } from './outgoing/deliverer.ts'
import { DeliveryRepository } from './outgoing/delivery-repository.ts'
import { WebhookRepository } from './outgoing/repository.ts'
import { webhookRoutes } from './outgoing/routes.ts'
import { WebhookService } from './outgoing/service.ts'
import { HookVault } from './vault.ts'

/** What {@link createWebhooks} needs. */
export interface WebhookModuleDeps {
  /** `webhookHosts` may be called although they are not public. */
  readonly config: { readonly webhookHosts: readonly string[] }
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly credentials: Pick<Credentials, 'keyring' | 'state'>
  readonly runs: Pick<Runs, 'runs' | 'repository' | 'planner' | 'mayStill'>
  readonly authenticator: Authenticator
  readonly losses: Pick<Signal<Loss>, 'on'>
  readonly metrics: Registry
  /** The address of the server for users. */
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** Addresses that hear of tasks, and addresses that start them. */
export const createWebhooks = (deps: WebhookModuleDeps) => {
  const { config, prisma, audit, authenticator, losses, baseUrl, clock, newId, log, onListenerError } = deps
  const { keyring, state } = deps.credentials
  const { runs, repository, planner, mayStill } = deps.runs
  const metrics = new WebhookMetrics(deps.metrics)

  const sealed = new HookVault(keyring, state, 'outgoing')
  const webhooks = new WebhookRepository(prisma, audit, sealed)
  const deliveries = new DeliveryRepository(prisma)
  const deliverer: Deliverer = new Deliverer({
    ...{ webhooks, deliveries, vault: sealed, networks: new Networks(config.webhookHosts), authenticator },
    ...{ requireTask: (caller, id) => runs.require(caller, id, 'task.view'), freed: () => void sweeper.sweep() },
    ...{ metrics, clock, log },
  })
  const sweeper: Sweeper = new Sweeper({
    steps: [() => deliverer.look()],
    everyMs: LOOK_EVERY_MS,
    onFailure: (error) => log.error({ err: error }, 'the deliveries to webhooks could not be looked at'),
  })

  const received = new HookVault(keyring, state, 'incoming')
  const hooks = new IncomingRepository(prisma, audit, received)
  const announce: ReceiverDeps['announce'] = async (agentId, runId) => {
    const run = await repository.byId(runId)
    if (!run) throw notFound()
    return runs.announce(agentId, run)
  }
  const receiver = new HookReceiver({ hooks, vault: received, planner, mayStill, announce, metrics, clock })
  losses.on((loss) => void receiver.lost(loss).catch(onListenerError))

  const routes: FastifyPluginAsync = async (api) => {
    const parts = { webhooks, deliveries, vault: sealed, deliverer, clock, newId }
    await api.register(webhookRoutes, { service: new WebhookService(parts) })
    await api.register(incomingRoutes, { service: new IncomingService({ hooks, planner, baseUrl, clock, newId }) })
    await api.register(receiveRoutes, { receiver })
  }
  return {
    routes,
    start: async (): Promise<void> => sweeper.start(),
    end: async (): Promise<void> => {
      await Promise.all([sweeper.stop(), deliverer.stop()])
    },
  }
}
