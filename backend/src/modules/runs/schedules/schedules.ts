/** Wires the folder together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../../database/open.ts'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { notFound } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import { Sweeper } from '../../../lib/time/sweeper.ts'
import type { Loss } from '../../access/loss.ts'
import type { Audit } from '../../audit/audit.ts'
import type { RunRepository } from '../repository.ts'
import type { RunService } from '../service.ts'
import type { RunPlanner } from '../start/plan.ts'
import { type ScheduleCounts, ScheduleMetrics } from './metrics.ts'
import { ScheduleRepository } from './repository.ts'
import { scheduleRoutes } from './routes.ts'
import { Scheduler, type SchedulerDeps } from './scheduler.ts'
import { ScheduleService } from './service.ts'

/** Time between two looks for schedules whose time has come, in milliseconds. */
const LOOK_EVERY_MS = 2 * SECOND_MS

/** What {@link createSchedules} needs. */
export interface ScheduleModuleDeps extends Omit<SchedulerDeps, 'schedules' | 'announce' | 'metrics'> {
  readonly planner: RunPlanner
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly repository: Pick<RunRepository, 'byId'>
  readonly runs: Pick<RunService, 'announce'>
  readonly losses: Pick<Signal<Loss>, 'on'>
  readonly metrics: Registry
  readonly onListenerError: (error: unknown) => void
}

/** Tasks that start at times of their own. */
export const createSchedules = ({
  prisma,
  audit,
  repository,
  runs,
  losses,
  metrics: registry,
  onListenerError,
  ...deps
}: ScheduleModuleDeps) => {
  const announce: SchedulerDeps['announce'] = async (agentId, runId) => {
    const run = await repository.byId(runId)
    if (!run) throw notFound()
    return runs.announce(agentId, run)
  }
  const schedules = new ScheduleRepository(prisma, audit)
  const counts = (): Promise<ScheduleCounts | null> =>
    schedules.counts().catch((error: unknown) => {
      deps.log.warn({ err: error }, 'schedules could not be counted')
      return null
    })
  const parts = { ...deps, schedules, announce, metrics: new ScheduleMetrics(registry, counts) }
  const scheduler = new Scheduler(parts)
  const sweeper = new Sweeper({
    steps: [() => scheduler.look()],
    everyMs: LOOK_EVERY_MS,
    onFailure: (error) => deps.log.error({ err: error }, 'the schedules could not be looked at'),
  })
  losses.on((loss) => void scheduler.lost(loss).catch(onListenerError))
  const service = new ScheduleService(parts)
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(scheduleRoutes, { service })
  }
  return { routes, start: () => sweeper.start(), stop: () => sweeper.stop() }
}
