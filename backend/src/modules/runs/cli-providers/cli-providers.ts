/** Wires the folder together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Audit } from '../../audit/audit.ts'
import { InstalledClis } from './installed.ts'
import { ProviderRepository } from './repository.ts'
import { cliProviderRoutes } from './routes.ts'
import { ProviderService } from './service.ts'
import { type StatusDeps, StatusService } from './status.ts'

/** What {@link createCliProviders} needs. */
export interface CliProviderDeps extends Omit<StatusDeps, 'service' | 'installed'> {
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly clock: Clock
  readonly newId: NewId
}

/** The coding CLIs of tasks: which ones there are, and which ones an agent has. */
export const createCliProviders = ({ prisma, audit, runtime, clock, newId, ...deps }: CliProviderDeps) => {
  const service = new ProviderService({ providers: new ProviderRepository(prisma, audit), clock, newId })
  const installed = new InstalledClis(runtime, clock)
  const status = new StatusService({ ...deps, service, installed })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(cliProviderRoutes, { service, status })
  }
  return { service, installed, status, routes }
}
