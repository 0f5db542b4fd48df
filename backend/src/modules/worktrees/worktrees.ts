/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { type Clock, MINUTE_MS } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import { WorktreeMetrics } from './metrics.ts'
import { WorktreeRepository } from './repository.ts'
import { worktreeRoutes } from './routes.ts'
import { WorktreeService } from './service.ts'
import { type PlacedRun, Worktrees } from './trees.ts'

/**
 * Time between two looks at what runs left, in milliseconds. The end of a run is looked at at once, but a program that it
 * started, or a terminal, may still be there.
 */
const SWEEP_EVERY_MS = MINUTE_MS

interface Deps {
  readonly prisma: Database['prisma']
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'agents' | 'board'>
  readonly audit: Audit
  readonly metrics: Registry
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

/** Git worktrees in which tasks work. */
export const createWorktrees = ({ prisma, runtime, agents, audit, clock, newId, log, ...deps }: Deps) => {
  const repository = new WorktreeRepository(prisma, audit)
  const counts = () =>
    repository.counts().catch((error: unknown) => {
      log.warn({ err: error }, 'worktrees could not be counted')
      return null
    })
  const metrics = new WorktreeMetrics(deps.metrics, counts)
  const running = () => agents.board.running()
  const trees = new Worktrees({ runtime, repository, running, clock, newId, metrics, log })
  const service = new WorktreeService({ repository, trees, runtime, agents: agents.agents, audit, newId })
  const sweeper = new Sweeper({
    steps: [() => trees.sweep()],
    everyMs: SWEEP_EVERY_MS,
    onFailure: (error) => log.error({ err: error }, 'worktrees not swept'),
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(worktreeRoutes, { agents: agents.agents, service })
  }
  return {
    routes,
    /** Where runs work. */
    places: {
      prepare: (run: PlacedRun, containerId: string): Promise<string> => trees.prepare(run, containerId),
      moved: repository.moved.bind(repository),
      /** A run has ended, or did not start. */
      look: (): void => void sweeper.sweep(),
    },
    start: (): Promise<void> => Promise.resolve(sweeper.start()),
    end: () => sweeper.stop(),
  }
}
