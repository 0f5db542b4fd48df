/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Agents } from '../agents/agents.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { ReviewRepository } from '../runs/changes/review/repository.ts'
import type { Runs } from '../runs/runs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type AutoCommitDeps, AutoCommits } from './auto-commit.ts'
import { CompletedTasks, PullRepository } from './repository.ts'
import { publishRoutes } from './routes.ts'
import { type PublishDeps, PublishService } from './service.ts'

interface Deps
  extends
    Pick<PublishDeps, 'execs' | 'runtime' | 'audit' | 'validationOf' | 'newId' | 'clock'>,
    Pick<AutoCommitDeps, 'log'> {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'agents'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly sessions: Pick<Sessions, 'reinstate'>
  readonly runs: Pick<Runs, 'runs' | 'news'>
}

/** The work of tasks on branches, remotes, and in pull requests. */
export const createPublish = ({ prisma, agents, credentials, sessions, runs, ...deps }: Deps) => {
  const service = new PublishService({
    ...deps,
    runs: runs.runs,
    rows: new ReviewRepository(prisma),
    pulls: new PullRepository(prisma),
    agents: agents.agents,
    provisioner: credentials.provisioner,
  })
  const { reinstate } = sessions
  const commits = new AutoCommits({ tasks: new CompletedTasks(prisma), service, reinstate, log: deps.log })
  runs.news.on(({ event }) => {
    if (event.type === 'coding-agent:session:exit') commits.ended(event.sessionId)
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(publishRoutes, { service })
  }
  return { routes, end: () => commits.stop() }
}
