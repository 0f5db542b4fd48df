/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Agents } from '../agents/agents.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { ReviewRepository } from '../runs/changes/review/repository.ts'
import { PullRepository } from './repository.ts'
import { publishRoutes } from './routes.ts'
import { type PublishDeps, PublishService } from './service.ts'

interface Deps extends Pick<PublishDeps, 'runs' | 'execs' | 'runtime' | 'audit' | 'validationOf' | 'newId' | 'clock'> {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'agents'>
  readonly credentials: Pick<Credentials, 'provisioner'>
}

/** The work of tasks on branches, remotes, and in pull requests. */
export const createPublish = ({ prisma, agents, credentials, ...deps }: Deps) => {
  const service = new PublishService({
    ...deps,
    rows: new ReviewRepository(prisma),
    pulls: new PullRepository(prisma),
    agents: agents.agents,
    provisioner: credentials.provisioner,
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(publishRoutes, { service })
  }
  return { routes }
}
