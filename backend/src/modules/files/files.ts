/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { AgentService } from '../agents/service.ts'
import type { Audit } from '../audit/audit.ts'
import { findRoutes } from './find-routes.ts'
import { FileFinder } from './find.ts'
import { FilePrograms } from './programs.ts'
import { fileRoutes } from './routes.ts'
import { FileService } from './service.ts'
import { Transfers } from './transfers.ts'
import { FileChanges } from './tree/changes.ts'
import { treeRoutes } from './tree/routes.ts'
import { FileSearch } from './tree/search.ts'
import { Trash } from './tree/trash.ts'
import { FileTree } from './tree/tree.ts'

/** What {@link createFiles} needs. */
export interface FileDeps {
  readonly runtime: ContainerRuntime
  readonly agents: AgentService
  readonly audit: Audit
  readonly losses: Signal<Loss>
  readonly newId: NewId
  readonly log: Log
}

/** Transfers files into and out of homes, lists, searches and changes them. */
export const createFiles = ({ runtime, agents, audit, losses, newId, log }: FileDeps) => {
  const transfers = new Transfers(losses)
  const programs = new FilePrograms({ runtime, agents, transfers, audit })
  const finder = new FileFinder(programs)
  const files = new FileService({ programs, newId })
  const tree = new FileTree({ programs })
  const search = new FileSearch(programs)
  const changes = new FileChanges({ programs, trash: new Trash({ programs, log }), newId })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(fileRoutes, { agents, files })
    await api.register(findRoutes, { agents, finder })
    await api.register(treeRoutes, { agents, tree, search, changes })
  }
  return { routes, callers: () => transfers.callers() }
}
