/** Wires the module together. */
import type { AgentDisk } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import { Hooks } from '../../lib/hooks.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { byDeletion, bySharing, byStop, byUnsharing, type Loss } from '../access/loss.ts'
import type { Audit } from '../audit/audit.ts'
import { homeFiles } from '../providers/catalogue.ts'
import { AgentTemplateRepository } from './agent-templates/repository.ts'
import { agentTemplateRoutes } from './agent-templates/routes.ts'
import { AgentTemplateService } from './agent-templates/service.ts'
import { BelongingsRepository } from './sharing/belongings-repository.ts'
import { createBelongings } from './sharing/belongings.ts'
import { Activity } from './state/activity.ts'
import { ActivityRepository } from './state/activity-repository.ts'
import { Board } from './state/board.ts'
import { DiskWatch } from './usage/disk.ts'
import { AgentFigures } from './usage/figures.ts'
import { prepareHome } from './home/prepare.ts'
import { Lifecycle } from './lifecycle/lifecycle.ts'
import type { Offer } from './settings/limits.ts'
import { AgentLog } from './logs/agent-log.ts'
import { Followers } from '../access/followers.ts'
import { AgentLogRepository } from './logs/repository.ts'
import { followEngine } from './state/reconcile.ts'
import { AgentRepository } from './repository.ts'
import { agentRoutes } from './routes.ts'
import { AgentService } from './service.ts'
import { createAgentSignals } from './news/signals.ts'
import { shareRoutes } from './sharing/routes.ts'
import { ShareService } from './sharing/shares.ts'
import { ensureSystemAgent } from './system/system-agent.ts'
import { systemAgentRoutes } from './system/routes.ts'
import { UsageSampler } from './usage/sampler.ts'
import { SystemWarnings } from './system/warnings.ts'

/**
 * Logs that one user may follow at the same time: a few windows and a script. Each holds a connection to the engine.
 */
export const FOLLOWED_PER_USER = 8

/** What {@link createAgents} needs. */
export interface AgentDeps {
  readonly config: Offer & {
    readonly images: readonly [string, ...string[]]
    readonly diskLimitBytes: number | null
    readonly namespace: string
  }
  readonly prisma: Database['prisma']
  readonly runtime: ContainerRuntime
  readonly audit: Audit
  readonly losses: Signal<Loss>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** Agents, their logs, figures and shares. */
export const createAgents = (deps: AgentDeps) => {
  const { config, prisma, runtime, audit, losses, clock, newId, log, onListenerError } = deps
  const repository = new AgentRepository(prisma, audit, config.namespace)
  const board = new Board(clock, new Signal(onListenerError))
  /** Called with an agent's id before its container is stopped. The programs in it have been told to end. */
  const leaving = new Hooks<string>()
  const lifecycle = new Lifecycle({
    runtime,
    board,
    log,
    defaultImage: config.images[0],
    prepareHome: (containerId) => prepareHome(runtime, containerId, homeFiles),
    terminalsLeft: (agentId) => leaving.run(agentId),
  })
  const signals = createAgentSignals(onListenerError)
  const activity = new Activity(clock, signals.active)
  const disk = new DiskWatch({
    runtime,
    limitBytes: config.diskLimitBytes,
    clock,
    log,
    changed: (agentId) => board.changed.emit(agentId),
    isRunning: (agentId) => board.get(agentId).runningId !== null,
    stop: (agentId) => agents.stopForDisk(agentId),
  })
  const diskOf = (agentId: string): AgentDisk | null => disk.of(agentId)
  const templateRows = new AgentTemplateRepository(prisma, audit)
  const templates = new AgentTemplateService(templateRows, config)
  const agents = new AgentService({
    ...{ audit, repository, lifecycle, board, signals, activity, offer: config, templates, newId, diskOf },
  })
  const warnings = new SystemWarnings({ runtime, log, countSharingUid: () => repository.countWithoutUid() })
  const belongingRows = new BelongingsRepository(prisma, audit, repository)
  const belongings = createBelongings({ repository: belongingRows, agents, signals, log })
  const shares = new ShareService(repository, signals)
  const agentLog = new AgentLog({
    repository: new AgentLogRepository(prisma),
    board,
    clock,
    log,
    recorded: new Signal(onListenerError),
  })
  const sampler = new UsageSampler({ runtime, board, clock, log })
  const followers = new Followers(losses, { perUser: FOLLOWED_PER_USER, what: 'logs' })
  const figures = new AgentFigures({ agents, sampler, followers, sources: { runtime, board, agentLog } })

  signals.shared.on(({ row }) => losses.emit(bySharing(row.id)))
  signals.unshared.on(({ row, userId }) => losses.emit(byUnsharing(row.id, userId)))
  signals.closing.on(({ row, because }) => losses.emit(byStop(row, because)))
  signals.deleted.on(({ row }) => losses.emit(byDeletion(row)))
  signals.deleted.on(({ row }) => {
    activity.forget(row.id)
    agentLog.forget(row.id)
    sampler.forget(row.id)
  })

  const routes: FastifyPluginAsync = async (api) => {
    await api.register(agentRoutes, { agents, figures })
    await api.register(agentTemplateRoutes, { templates })
    await api.register(shareRoutes, { agents, shares })
    await api.register(systemAgentRoutes, { agents, warnings })
  }

  const startSystemAgent = async (): Promise<void> => {
    await ensureSystemAgent({ audit, repository, board, lifecycle, newId, options: agents.options() }).catch(
      // The server works without it, and the next start tries again.
      (error: unknown) => log.error({ err: error }, 'the system agent could not be made'),
    )
    const system = await repository.system()
    const look = (): void => void warnings.look(system ? board.get(system.id).runningId : null)
    // Repeated on each change of state, which also follows a reconnected engine, until engine and network have been
    // checked.
    board.changed.on((agentId) => {
      if (agentId === system?.id) look()
    })
    look()
  }

  return {
    agents,
    repository,
    board,
    signals,
    activity,
    agentLog,
    disk,
    belongings,
    leaving,
    /** For the module that encrypts the secret variables of templates, which is above this one. */
    sealTemplatesWith: templateRows.sealWith.bind(templateRows),
    routes,
    callers: () => followers.callers(),
    start: async (): Promise<void> => {
      for (const id of await repository.ids()) board.add(id)
      activity.remember(await new ActivityRepository(prisma).all())
      await followEngine(runtime, board, log, (agentId) => agentLog.memoryKill(agentId))
      sampler.start()
      disk.start()
      await startSystemAgent()
    },
    quiesce: (): void => {
      disk.close()
      followers.stop()
      sampler.stop()
    },
    flush: () => agentLog.settled(),
  }
}
export type Agents = ReturnType<typeof createAgents>
