/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Agents } from '../agents/agents.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { ExecService } from '../exec/service.ts'
import type { Runs } from '../runs/runs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Preparer } from './preparer.ts'
import { PreparationRepository } from './repository.ts'
import { preparationRoutes } from './routes.ts'
import { PreparationService } from './service.ts'
import { Steps } from './steps.ts'

interface Deps {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'activity' | 'agents' | 'board' | 'signals'>
  readonly credentials: Pick<Credentials, 'provisioner' | 'variables'>
  readonly sessions: Pick<Sessions, 'reinstate' | 'recovery'>
  readonly execs: Pick<ExecService, 'run'>
  readonly runs: Pick<Runs, 'runs'>
  readonly audit: Pick<Audit, 'record'>
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** What agents begin with: a repository, a set-up command, a first task. */
export const createPreparations = (deps: Deps) => {
  const { prisma, agents, credentials, sessions, execs, runs, audit, newId, log, onListenerError } = deps
  const { reinstate, recovery } = sessions
  const news = new Signal<AgentNews>(onListenerError)
  const repository = new PreparationRepository(prisma, audit)
  const { provisioner, variables } = credentials
  const images = (): readonly string[] => agents.agents.options().images
  const steps = new Steps({
    ...{ repository, reinstate, execs, runs: runs.runs, agents: agents.agents, variables, images, newId, log },
    activity: agents.activity,
  })
  const recovered = recovery.decided.bind(recovery)
  const preparer = new Preparer({ repository, board: agents.board, steps, recovered, provisioner, news, log })
  const service = new PreparationService({ repository, preparer, agents: agents.agents, variables, log })
  agents.signals.begins.on((agentId) => preparer.add(agentId))
  agents.signals.deleted.on(({ row }) => preparer.end(row.id))
  agents.board.changed.on((agentId) => preparer.look(agentId))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(preparationRoutes, { agents: agents.agents, service })
  }
  return {
    routes,
    news,
    start: () => preparer.start(),
    end: () => preparer.stop(),
  }
}
