/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Agents } from '../agents/agents.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { GitRunner } from '../git/runner.ts'
import { ReviewRepository } from '../runs/changes/review/repository.ts'
import type { Runs } from '../runs/runs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type AutoCommitDeps, AutoCommits } from './auto-commit.ts'
import { PublishMetrics } from './metrics.ts'
import { Pulls } from './pulls.ts'
import { CompletedTasks, PullRepository, TurnRepository } from './repository.ts'
import { remoteRoutes } from './remotes/routes.ts'
import type { HookedGit } from '../git/hooks/hooked-git.ts'
import type { UserPrograms } from '../git/hooks/asked.ts'
import { RemoteService } from './remotes/service.ts'
import { publishRoutes } from './routes.ts'
import { type PublishDeps, PublishService } from './service.ts'

interface Deps
  extends Pick<PublishDeps, 'execs' | 'runtime' | 'audit' | 'validationOf' | 'newId'>, Pick<AutoCommitDeps, 'log'> {
  readonly prisma: Database['prisma']
  readonly clock: Clock
  readonly agents: Pick<Agents, 'agents'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly sessions: Pick<Sessions, 'reinstate' | 'recovery'>
  readonly metrics: Registry
  readonly onListenerError: (error: unknown) => void
  readonly runs: Pick<Runs, 'runs' | 'news'>
  readonly git: { readonly runner: GitRunner; readonly hooked: HookedGit }
  readonly programs: UserPrograms
}

/** The work of tasks on branches, remotes, and in pull requests; the remotes of repositories. */
export const createPublish = ({ prisma, agents, credentials, sessions, runs, git, clock, ...deps }: Deps) => {
  const metrics = new PublishMetrics(deps.metrics)
  const pulls = new Pulls({ rows: new PullRepository(prisma), clock, metrics })
  const service = new PublishService({
    ...deps,
    runs: runs.runs,
    rows: new ReviewRepository(prisma),
    turns: new TurnRepository(prisma),
    pulls,
    agents: agents.agents,
    provisioner: credentials.provisioner,
  })
  const { programs, audit } = deps
  const remotes = new RemoteService({ ...git, programs, audit, pulls })
  const { reinstate, recovery } = sessions
  const tasks = new CompletedTasks(prisma)
  const commits = new AutoCommits({ tasks, service, reinstate, clock, metrics, log: deps.log })
  runs.news.on(({ event }) => {
    if (event.type === 'coding-agent:session:exit') commits.ended(event.sessionId)
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(publishRoutes, { service })
    await api.register(remoteRoutes, { agents: agents.agents, remotes })
  }
  return {
    routes,
    // Not awaited, because it takes as long as the engine does.
    start: async (): Promise<void> => {
      void recovery.listed.then(() => commits.takeUp()).catch(deps.onListenerError)
    },
    end: () => commits.stop(),
  }
}
