/** Wires the terminal module. */
import { END_REASONS, type TerminalNeed } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { within } from '../../lib/time/within.ts'
import type { Liveness } from '../../plugins/liveness.ts'
import { TerminalMetrics } from '../../plugins/metrics/platform-metrics.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { ProgramSpec } from '../../runtime/program.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Topic } from '../agents/news/topic.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { labelOf } from '../providers/catalogue.ts'
import type { Conversations } from '../sessions/conversations.ts'
import { serverStopping } from '../sessions/ending.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TerminalTasks } from '../sessions/task-terminals.ts'
import { Mirrors } from './screen/mirror/mirrors.ts'
import { createRecordings, type RecordingDeps } from './recording/recordings.ts'
import { type RecoverDeps, recoverer } from './recovery/recover.ts'
import { TaskTerminalOpener } from './tasks/open.ts'
import { TerminalRegistry } from './registry.ts'
import { terminalRoutes } from './routes.ts'
import { ScreenFiles } from './screen/kept/files.ts'
import { ScreenKeeper } from './screen/kept/keeper.ts'
import { Links } from './sharing/links.ts'
import { TerminalLinkRepository } from './sharing/repository.ts'
import { sharingRoutes, watchRoute } from './sharing/routes.ts'
import { Watchers } from './sharing/watchers.ts'
import { type EndedSession, SessionStarter } from './starter.ts'

/** How long a stopping server waits for screens to be written, in milliseconds. A disk that hangs must not block it. */
const SCREENS_STOP_MS = 5 * SECOND_MS

/** How much of the data folder's disk recordings and screens leave free for the database, in bytes. */
const FREE_BYTES = 536_870_912

/** What {@link createTerminals} needs. */
export interface TerminalModuleDeps {
  readonly config: RecordingDeps['config'] & {
    readonly secretKey: Uint8Array
    readonly previousSecretKey: Uint8Array | null
  }
  readonly prisma: Database['prisma']
  readonly runtime: ContainerRuntime
  readonly audit: Audit
  readonly agents: Agents
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly authenticator: Authenticator
  readonly losses: Signal<Loss>
  readonly metrics: Registry
  readonly liveness: Liveness
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
  readonly conversations: Conversations
  readonly tasks: TerminalTasks
  /** The URL at which users reach the server. */
  readonly baseUrl: () => string
}

/** Terminals: live, shared with guests, recorded, and recovered after a restart. */
export const createTerminals = (deps: TerminalModuleDeps) => {
  const { config, prisma, runtime, audit, sessions, authenticator, losses, liveness, clock, newId, log } = deps
  const { conversations, tasks, onListenerError, baseUrl } = deps
  const { activity, agents, repository, board, signals, agentLog, leaving } = deps.agents
  const { records, recovery, attendance, approvals, homes, reinstate } = sessions
  const { provisioner } = deps.credentials

  const registry = new TerminalRegistry(losses, new Signal(onListenerError), new Signal(onListenerError))
  registry.news.on(({ slot, ending }) => {
    const { row, caller, mode } = slot
    if (!ending)
      return agentLog.record(row.id, 'terminal_opened', `${caller.email} opened a terminal: ${labelOf(mode)}.`)
    agentLog.record(row.id, 'terminal_closed', `The terminal of ${caller.email} closed: ${ending.message}`)
  })
  /** No process is left of a terminal. Its conversation is free as soon as its end is stored. */
  const freed: RecoverDeps['freed'] = ({ agentId, cliSessionId = null }) => {
    if (cliSessionId !== null) void records.settled().then(() => conversations.freed({ agentId, cliSessionId }))
  }
  registry.news.on(({ slot: { session, row, cliSessionId = null }, ending }) => {
    if (ending) void session?.gone.catch(() => undefined).finally(() => freed({ agentId: row.id, cliSessionId }))
  })
  homes.seen.on(({ containerId, modes }) => registry.signedInBy(containerId, modes))
  // A program has begun to work, or has ended its work.
  registry.changed.on((agentId) => activity.happened(agentId))
  attendance.add((agentId) => registry.attended(agentId))
  leaving.add((agentId) => registry.left(agentId))

  const metrics = new TerminalMetrics(deps.metrics, END_REASONS)
  const ended = new Signal<EndedSession>(onListenerError)
  ended.on(({ reason }) => metrics.ended(reason))

  const screenFiles = new ScreenFiles({ ...config, minFreeBytes: FREE_BYTES })
  const mirrors = new Mirrors(log, { journal: screenFiles.journal })
  const screens = new ScreenKeeper({ files: screenFiles, going: (ids) => records.going(ids), log })
  signals.deleted.on(() => void screens.sweep())

  const recordings = createRecordings({
    ...deps,
    minFreeBytes: FREE_BYTES,
    changed: (agentId) => registry.changed.emit(agentId),
  })
  const { recorder } = recordings
  const starter = new SessionStarter({
    runtime: { start: (id: string, spec: ProgramSpec) => metrics.start(() => runtime.start(id, spec)) },
    registry,
    provisioner,
    homes,
    approvals,
    records,
    mirrors,
    screens,
    recorder,
    keepSecondsOf: async (agentId) => (await repository.byId(agentId))?.keepSeconds ?? null,
    ended,
  })
  const recovered = recovery.decided.bind(recovery)
  const terminals = { authenticator, agents, registry, records, starter, conversations, newId, log, recovered }

  const links = new Links({ repository: new TerminalLinkRepository(prisma, audit), audit, clock, newId })
  const watchers = new Watchers(losses, clock)
  const agentById = (id: string) => repository.byId(id)
  const sharing = { authenticator, registry, links, watchers, records, recovered, agentById }
  ended.on(({ sessionId }) => void links.forget(sessionId).catch(onListenerError))

  tasks.openWith(new TaskTerminalOpener({ agents, registry, starter, recovered, log }))

  const routes: FastifyPluginAsync = async (api) => {
    await api.register(recordings.routes)
    await api.register(sharingRoutes, { sharing, liveness, baseUrl })
  }
  const sockets: FastifyPluginAsync = async (api) => {
    await api.register(terminalRoutes, { terminals, liveness })
    await api.register(watchRoute, { sharing, liveness, baseUrl })
  }

  const live: Topic = {
    changed: registry.changed,
    current: () => registry.agents(),
    event: ({ id }) => ({ type: 'sessions', agentId: id, sessions: registry.live(id) }),
  }

  return {
    registry,
    /** The program of this terminal waits for its user, or goes on. Does nothing if the agent has no such terminal. */
    needs: (at: { readonly agentId: string; readonly sessionId: string | null }, what: TerminalNeed | null): void => {
      const slot = at.sessionId === null ? null : registry.bySession(at.sessionId)
      if (slot?.row.id === at.agentId) slot.session.need.set(what)
    },
    routes,
    sockets,
    topics: [live],
    callers: () => [...registry.callers(), ...watchers.callers()],
    start: async (): Promise<void> => {
      const parts = { runtime, board, records, registry, starter, recorder, screens, tasks, freed, reinstate, log }
      // Not awaited, because it takes as long as the engine does. A user who opens a terminal meanwhile waits in the
      // gate.
      const recovering = recovery.start(recoverer(parts))
      // These end the recordings, and remove the screens, of sessions that are gone.
      void recovering.then(() => recordings.start())
      void recovering.then(() => screens.sweep())
    },
    end: () => registry.stop(serverStopping),
    flush: async (): Promise<void> => {
      await Promise.all([
        recordings.stop(),
        within(SCREENS_STOP_MS, screens.close(), () => log.warn('screens of terminals could not be kept in time')),
      ])
      await mirrors.close()
    },
  }
}
