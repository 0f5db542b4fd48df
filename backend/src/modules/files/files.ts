/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { AgentService } from '../agents/service.ts'
import type { Audit } from '../audit/audit.ts'
import { findRoutes } from './find-routes.ts'
import { FileFinder } from './find.ts'
import { fileRoutes } from './routes.ts'
import { FileService } from './service.ts'
import { Transfers } from './transfers.ts'

/** What {@link createFiles} needs. */
export interface FileDeps {
  readonly runtime: ContainerRuntime
  readonly agents: AgentService
  readonly audit: Audit
  readonly losses: Signal<Loss>
  readonly newId: NewId
}

/** Transfers files into and out of homes. */
export const createFiles = ({ runtime, agents, audit, losses, newId }: FileDeps) => {
  const transfers = new Transfers(losses)
  const finder = new FileFinder({ runtime, agents, transfers })
  const files = new FileService({ runtime, agents, transfers, newId, audit })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(fileRoutes, { agents, files })
    await api.register(findRoutes, { agents, finder })
  }
  return { routes, callers: () => transfers.callers() }
}
