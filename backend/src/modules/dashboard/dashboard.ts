/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Agents } from '../agents/agents.ts'
import type { Dialogs } from '../dialogs/dialogs.ts'
import { DashboardRepository } from './repository.ts'
import { dashboardRoutes } from './routes.ts'
import { DashboardService } from './service.ts'

interface Deps {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'board'>
  readonly dialogs: Pick<Dialogs, 'service'>
  readonly clock: Clock
}

/** What a user needs to know at one look. */
export const createDashboard = ({ prisma, agents, dialogs, clock }: Deps) => {
  const repository = new DashboardRepository(prisma)
  const service = new DashboardService({ repository, dialogs: dialogs.service, board: agents.board, clock })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(dashboardRoutes, { service })
  }
  return { routes }
}
