/** The composition root: every service and plugin of the server, in order. */
import type { AddressInfo } from 'node:net'
import websocket from '@fastify/websocket'
import sensible from '@fastify/sensible'
import { type AgentDisk, END_REASONS, MAX_INPUT_BYTES } from '@slipway/protocol'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { type Clock, SECOND_MS, systemClock } from './lib/clock.ts'
import { Signal } from './lib/emitter.ts'
import { createIds } from './lib/ids.ts'
import { withRequestId } from './lib/request-scope.ts'
import { deriveKey } from './lib/secrets.ts'
import { within } from './lib/within.ts'
import { createAudit } from './modules/audit/audit.ts'
import { createAuditRepository } from './modules/audit/repository.ts'
import { auditRoutes } from './modules/audit/routes.ts'
import { accessPlugin } from './modules/access/plugin.ts'
import { byDeletion, byRevocation, bySharing, byStop, byUnsharing, type Loss } from './modules/access/loss.ts'
import { createBelongings } from './modules/agents/belongings.ts'
import { BelongingsRepository } from './modules/agents/belongings-repository.ts'
import { Board } from './modules/agents/board.ts'
import { DiskWatch } from './modules/agents/disk.ts'
import { AgentFigures } from './modules/agents/figures.ts'
import { prepareHome } from './modules/agents/home/prepare.ts'
import { Lifecycle } from './modules/agents/lifecycle.ts'
import { LogFollowers } from './modules/agents/logs/followers.ts'
import { Journal } from './modules/agents/logs/journal.ts'
import { followEngine } from './modules/agents/reconcile.ts'
import { AgentRepository } from './modules/agents/repository.ts'
import { agentRoutes } from './modules/agents/routes.ts'
import { AgentService, createAgentSignals } from './modules/agents/service.ts'
import { shareRoutes } from './modules/agents/share-routes.ts'
import { ShareService } from './modules/agents/shares.ts'
import { ensureSystemAgent } from './modules/agents/system-agent.ts'
import { SystemWarnings } from './modules/agents/warnings.ts'
import { systemAgentRoutes } from './modules/agents/system-routes.ts'
import { UsageSampler } from './modules/agents/usage/sampler.ts'
import { createCredentials } from './modules/credentials/credentials.ts'
import type { Providers } from './modules/credentials/probe/providers.ts'
import { credentialRoutes } from './modules/credentials/routes.ts'
import type { SetSecret } from './modules/credentials/service.ts'
import { EventFeed } from './modules/events/feed.ts'
import { eventRoutes } from './modules/events/routes.ts'
import { findRoutes } from './modules/files/find-routes.ts'
import { FileFinder } from './modules/files/find.ts'
import { fileRoutes } from './modules/files/routes.ts'
import { FileService } from './modules/files/service.ts'
import { Transfers } from './modules/files/transfers.ts'
import { actorOf, type Caller } from './modules/identity/caller.ts'
import { IdempotencyKeys } from './modules/idempotency/keys.ts'
import { idempotencyPlugin } from './modules/idempotency/plugin.ts'
import { IdempotencyRepository } from './modules/idempotency/repository.ts'
import { createIdentity, type Identity } from './modules/identity/identity.ts'
import { requireCaller } from './modules/identity/require-caller.ts'
import { identityRoutes } from './modules/identity/routes.ts'
import { homeFiles, labelOf } from './modules/providers/catalogue.ts'
import { providerRoutes } from './modules/providers/routes.ts'
import { processRoutes } from './modules/sessions/routes.ts'
import { KeyApprovals } from './modules/sessions/key-approvals.ts'
import { ExecRegistry } from './modules/exec/registry.ts'
import { execRoutes } from './modules/exec/routes.ts'
import { ExecService } from './modules/exec/service.ts'
import { serverStopping } from './modules/sessions/ending.ts'
import { Liveness } from './modules/terminal/liveness.ts'
import { Mirrors } from './modules/terminal/mirror/mirrors.ts'
import { ProcessService } from './modules/sessions/processes.ts'
import { RecordingFiles } from './modules/terminal/recording/files.ts'
import { Recorder } from './modules/terminal/recording/recorder.ts'
import { RecordingRepository } from './modules/terminal/recording/repository.ts'
import { Retention } from './modules/terminal/recording/retention.ts'
import { recordingRoutes } from './modules/terminal/recording/routes.ts'
import { RecordingService } from './modules/terminal/recording/service.ts'
import { SessionRecords } from './modules/sessions/records.ts'
import { recoverer } from './modules/terminal/recovery/recover.ts'
import { Recovery } from './modules/sessions/recovery.ts'
import { reinstater } from './modules/sessions/reinstate.ts'
import { ScreenFiles } from './modules/terminal/screens/files.ts'
import { ScreenKeeper } from './modules/terminal/screens/keeper.ts'
import { Links } from './modules/terminal/sharing/links.ts'
import { sharingRoutes, watchRoute } from './modules/terminal/sharing/routes.ts'
import { Watchers } from './modules/terminal/sharing/watchers.ts'
import { type EndedSession, SessionStarter } from './modules/terminal/starter.ts'
import { TerminalRegistry } from './modules/terminal/registry.ts'
import { terminalRoutes } from './modules/terminal/routes.ts'
import { agentPeersPlugin } from './plugins/agent-peers.ts'
import { connectionsPlugin } from './plugins/connections.ts'
import type { Database } from './database/open.ts'
import { errorsPlugin } from './plugins/errors.ts'
import { frontendPlugin } from './plugins/frontend.ts'
import { databaseCheck, healthRoutes } from './plugins/health.ts'
import { lingeringClosePlugin } from './plugins/lingering-close.ts'
import { createMetrics, metricsPlugin } from './plugins/metrics.ts'
import { openapiPlugin } from './plugins/openapi.ts'
import { createOriginCheck } from './plugins/origin.ts'
import { platformMetricsPlugin, TerminalMetrics } from './plugins/platform-metrics.ts'
import { rateLimitPlugin } from './plugins/rate-limit.ts'
import { requestIdPlugin } from './plugins/request-id.ts'
import { securityPlugin } from './plugins/security.ts'
import { serverOptions } from './plugins/server-options.ts'
import { stoppingPlugin } from './plugins/stopping.ts'
import { validationPlugin } from './plugins/validation.ts'
import { RuntimeError } from './runtime/errors.ts'
import type { ContainerRuntime, PtyOptions } from './runtime/port.ts'

/**
 * How long a server that stops waits for its terminals, in milliseconds: far above the seconds between a hang-up and the
 * kill, far below what an engine that hangs would take.
 */
const TERMINALS_STOP_MS = 30 * SECOND_MS

/** How long it waits for what they printed last to be in their recordings, in milliseconds: a disk that hangs is not waited for. */
const RECORDINGS_STOP_MS = 5 * SECOND_MS

/** The same for their screens. */
const SCREENS_STOP_MS = 5 * SECOND_MS

/** So much of the data folder's disk stays free of recordings and screens, for the database that is on it, in bytes. */
const FREE_BYTES = 536_870_912

/** What the server is built on; `close` of the app closes none of it. */
export interface AppDeps {
  readonly config: Config
  readonly database: Database
  readonly runtime: ContainerRuntime
  readonly version: string
  /** Where credentials are tested, if not at the real providers. */
  readonly providers?: Providers
  readonly clock?: Clock
}

/** The server, ready to listen. */
export interface App {
  readonly server: FastifyInstance
  readonly identity: Identity
  /** For whoever does not want to wait for its next measurement. */
  readonly disk: DiskWatch
  /** Where people reach it: the public URL, or the address that it listens on. */
  baseUrl(): string
}

export const buildApp = async (deps: AppDeps): Promise<App> => {
  const { config, database, runtime, version, providers, clock = systemClock } = deps
  const server = Fastify(serverOptions(config))
  const log = withRequestId(server.log)
  const newId = createIds(clock)
  const onListenerError = (error: unknown): void => log.error({ err: error }, 'a listener failed')
  const port = (): number => (server.server.address() as AddressInfo | null)?.port ?? config.port
  const baseUrl = (): string => config.publicUrl ?? `http://${urlHost(config.host)}:${port()}`
  const requireOwnOrigin = createOriginCheck(() => config.originsFor(port()))

  const audit = createAudit({ prisma: database.prisma, clock, newId, log })

  // People
  const identity = createIdentity({
    prisma: database.prisma,
    audit,
    secretKey: config.secretKey,
    clock,
    newId,
    log,
    belongings: {
      handOver: (from, to, caller) => belongings.handOver(from, to, caller),
      deleteAll: (owner, caller) => belongings.deleteAll(owner, caller),
    },
  })

  // Agents
  const repository = new AgentRepository(database.prisma, audit)
  const board = new Board(clock, new Signal(onListenerError))
  const lifecycle = new Lifecycle({
    runtime,
    board,
    log,
    defaultImage: config.images[0],
    prepareHome: (containerId) => prepareHome(runtime, containerId, homeFiles),
    terminalsLeft: async (agentId) => void (await Promise.all([registry.left(agentId), running.left(agentId)])),
  })
  const signals = createAgentSignals(onListenerError)
  const disk = new DiskWatch({
    runtime,
    limitBytes: config.diskLimitBytes,
    clock,
    log,
    changed: (agentId) => board.changed.emit(agentId),
    stop: (agentId) => agents.stopForDisk(agentId),
  })
  const diskOf = (agentId: string): AgentDisk | null => disk.of(agentId)
  const agents = new AgentService({ audit, repository, lifecycle, board, signals, offer: config, newId, diskOf })
  const warnings = new SystemWarnings(runtime, log)
  const belongings = createBelongings({
    repository: new BelongingsRepository(database.prisma, audit, repository),
    agents,
    signals,
    log,
  })
  const shares = new ShareService(repository, signals)
  const journal = new Journal({ prisma: database.prisma, board, clock, log, recorded: new Signal(onListenerError) })
  const sampler = new UsageSampler({ runtime, board, clock, log })
  const losses = new Signal<Loss>(onListenerError)
  identity.revocations.on((revocation) => losses.emit(byRevocation(revocation)))
  signals.shared.on(({ row }) => losses.emit(bySharing(row.id)))
  signals.unshared.on(({ row, userId }) => losses.emit(byUnsharing(row.id, userId)))
  signals.closing.on(({ row, because }) => losses.emit(byStop(row, because)))
  signals.deleted.on(({ row }) => losses.emit(byDeletion(row)))
  const followers = new LogFollowers(losses)
  const figures = new AgentFigures({ agents, sampler, followers, sources: { runtime, board, journal } })
  signals.deleted.on(({ row }) => {
    journal.forget(row.id)
    sampler.forget(row.id)
  })

  const transfers = new Transfers(losses)
  const finder = new FileFinder({ runtime, agents, transfers })
  const files = new FileService({ runtime, agents, transfers, newId, audit })

  // Credentials
  const { prisma } = database
  const wasSet = new Signal<SetSecret>(onListenerError)
  const credentialDeps = { ...config, prisma, providers, audit, clock, newId, wasSet }
  const { credentials, provisioner, state } = createCredentials(credentialDeps)

  const approvals = new KeyApprovals(runtime, log)

  // Terminals
  const registry = new TerminalRegistry(losses, new Signal(onListenerError), new Signal(onListenerError))
  registry.news.on(({ slot, ending }) => {
    const { row, caller, mode } = slot
    if (!ending)
      return journal.record(row.id, 'terminal_opened', `${caller.email} opened a terminal: ${labelOf(mode)}.`)
    journal.record(row.id, 'terminal_closed', `The terminal of ${caller.email} closed: ${ending.message}`)
  })
  const records = new SessionRecords({ prisma: database.prisma, audit, log })
  const liveness = new Liveness()
  const running = new ExecRegistry(losses)
  const attended = (agentId: string) => [
    ...registry.attended(agentId),
    ...running.attended(agentId).map((sessionId) => ({ sessionId, leader: null })),
  ]
  const execs = new ExecService({ agents, runtime, provisioner, execs: running, records, newId, log })
  const metrics = createMetrics()
  const terminalMetrics = new TerminalMetrics(metrics, END_REASONS)
  const ended = new Signal<EndedSession>(onListenerError)
  ended.on(({ reason }) => terminalMetrics.ended(reason))
  const screenFiles = new ScreenFiles({ ...config, minFreeBytes: FREE_BYTES })
  const mirrors = new Mirrors(log, { journal: screenFiles.journal })
  const screens = new ScreenKeeper({
    files: screenFiles,
    going: (ids) => records.going(ids),
    log,
  })
  const recordingParts = {
    repository: new RecordingRepository(database.prisma, audit),
    files: new RecordingFiles(config.dataDir),
    clock,
    log,
  }
  const recorder = new Recorder({
    ...recordingParts,
    provisioner,
    limits: { maxBytes: config.recordingBytes, minFreeBytes: FREE_BYTES },
    journal: (...line) => journal.record(...line),
    changed: (agentId) => registry.changed.emit(agentId),
    ended: () => void retention.sweep(),
  })
  const keeping = { days: config.recordingsDays, totalBytes: config.recordingsBytes }
  const retention = new Retention({ ...recordingParts, recorder, agents: repository, keeping })
  const recordings = new RecordingService({ ...recordingParts, recorder, agents: repository, audit, keeping })
  wasSet.on((set) => recorder.credentialSet(set))
  signals.changed.on((agentId) => void recordingChanged(agentId).catch(onListenerError))
  signals.deleted.on(() => void retention.sweep())
  signals.deleted.on(() => void screens.sweep())
  const recordingChanged = async (agentId: string): Promise<void> => {
    const row = await repository.byId(agentId)
    if (row) recorder.settingsChanged(agentId, row)
  }
  const starter = new SessionStarter({
    runtime: {
      openPty: (id: string, options: PtyOptions) => terminalMetrics.start(() => runtime.openPty(id, options)),
    },
    registry,
    provisioner,
    approvals,
    records,
    mirrors,
    screens,
    recorder,
    keepSecondsOf: async (agentId) => (await repository.byId(agentId))?.keepSeconds ?? null,
    ended,
  })
  const { authenticator } = identity
  const reinstate = reinstater({ authenticator, repository })
  const recoverDeps = { runtime, board, records, registry, starter, recorder, screens, reinstate, log }
  const recovery = new Recovery({ board, records, decider: recoverer(recoverDeps), log })
  const recovered = recovery.decided.bind(recovery)
  const processes = new ProcessService({
    runtime,
    agents,
    attended,
    recovered: (agentId) => recovery.decided(null, agentId),
    records,
    audit,
  })
  const terminals = { authenticator, agents, registry, records, starter, newId, log, recovered }
  const links = new Links({ prisma: database.prisma, audit, clock, newId })
  const watchers = new Watchers(losses, clock)
  const agentById = (id: string) => repository.byId(id)
  const sharing = { authenticator, registry, links, watchers, records, recovered, agentById }
  ended.on(({ sessionId }) => void links.forget(sessionId).catch(onListenerError))

  const feed = new EventFeed({
    repository,
    agents,
    signals,
    stateChanged: board.changed,
    sessions: registry,
    losses,
    log,
  })

  const holders = [registry, watchers, running, feed, followers, transfers]
  const held = (): Caller[] => holders.flatMap((holder) => holder.callers())

  const engineCheck = {
    code: 'ENGINE_UNAVAILABLE',
    message: 'The container engine does not answer.',
    run: () =>
      runtime.available ? Promise.resolve() : Promise.reject(new RuntimeError('engine_unavailable', 'not connected')),
  } as const

  await server.register(requestIdPlugin)
  await server.register(stoppingPlugin)
  await server.register(connectionsPlugin)
  await server.register(lingeringClosePlugin)
  await server.register(agentPeersPlugin, { subnets: () => runtime.agentSubnets })
  await server.register(sensible)
  await server.register(errorsPlugin)
  await server.register(validationPlugin)
  await server.register(securityPlugin, { https: config.secureCookie })
  await server.register(rateLimitPlugin)
  await server.register(accessPlugin, { authenticator, losses })
  const keys = new IdempotencyKeys({
    repository: new IdempotencyRepository(database.prisma),
    key: deriveKey(config.secretKey, 'idempotency'),
    clock,
    newId,
  })
  await server.register(idempotencyPlugin, { keys })
  await server.register(openapiPlugin, { version })
  await server.register(metricsPlugin, { registry: metrics })
  // Before the hook of the WebSocket plugin, which closes every socket without a word: each terminal is told why, and
  // its processes are ended.
  server.addHook('preClose', async () => {
    // Not waited for, since the engine may hang: what it has not taken over yet is the next start's.
    recovery.stop()
    liveness.stop()
    identity.expiryWatch.stop()
    feed.close()
    disk.close()
    followers.stop()
    sampler.stop()
    const stopped = Promise.all([running.stop(serverStopping), registry.stop(serverStopping)])
    await within(TERMINALS_STOP_MS, stopped, () =>
      log.warn('terminals did not end in time; what they left is ended at the next start or listed with its agent'),
    )
    await retention.stop()
    await Promise.all([
      within(RECORDINGS_STOP_MS, recorder.close(), () => log.warn('recordings could not be written in time')),
      within(SCREENS_STOP_MS, screens.close(), () => log.warn('screens of terminals could not be kept in time')),
    ])
    await Promise.all([records.close(), journal.settled(), mirrors.close()])
    await identity.close()
  })
  await server.register(websocket, { options: { maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false } })
  await server.register(platformMetricsPlugin, {
    registry: metrics,
    version,
    figures: {
      agentsByState: () => board.counts(),
      terminals: () => registry.size,
      engineUp: () => runtime.available,
      database: () => database.connections(),
    },
  })
  await server.register(
    async (api) => {
      await api.register(healthRoutes, { checks: [databaseCheck(database.ping), engineCheck] })
      await api.register(providerRoutes)
      await api.register(identityRoutes, { identity, requireOwnOrigin, secureCookie: config.secureCookie, baseUrl })
      await api.register(auditRoutes, {
        events: createAuditRepository(database.prisma),
        audit,
        clock,
        actorOf: (request) => actorOf(requireCaller(request)),
      })
      await api.register(agentRoutes, { agents, figures })
      await api.register(shareRoutes, { agents, shares })
      await api.register(fileRoutes, { agents, files })
      await api.register(findRoutes, { agents, finder })
      await api.register(execRoutes, { agents, authenticator, execs })
      await api.register(systemAgentRoutes, { agents, warnings })
      await api.register(processRoutes, { agents, processes })
      await api.register(recordingRoutes, { agents, recordings })
      await api.register(sharingRoutes, { sharing, liveness, baseUrl })
      await api.register(credentialRoutes, { agents, credentials, provisioner, state })
      await api.register(async (sockets) => {
        sockets.addHook('onRequest', requireOwnOrigin)
        await sockets.register(terminalRoutes, { terminals, liveness })
        await sockets.register(watchRoute, { sharing, liveness, baseUrl })
        await sockets.register(eventRoutes, {
          authenticator,
          feed,
          log,
          watch: (socket, onRound) => liveness.watch(socket, onRound),
        })
      })
    },
    { prefix: '/api' },
  )
  await server.register(frontendPlugin, { dir: config.staticDir })

  server.addHook('onReady', async () => {
    identity.expiryWatch.start(held)
    await state.check(log)
    for (const id of await repository.ids()) board.add(id)
    await followEngine(runtime, board, log, (agentId) => journal.memoryKill(agentId))
    sampler.start()
    disk.start()
    // Not waited for: it takes as long as the engine does. Whoever wants a terminal meanwhile waits in the gate.
    const recovered = recovery.start()
    // What was recorded of a session that is not there any more is closed then, and its screen goes.
    void recovered.then(() => retention.start())
    void recovered.then(() => screens.sweep())
    await ensureSystemAgent({ audit, repository, board, lifecycle, newId, options: agents.options() }).catch(
      // Everything else works, and the next start tries again.
      (error: unknown) => log.error({ err: error }, 'the system agent could not be made'),
    )
    const system = await repository.system()
    const look = (): void => void warnings.look(system ? board.get(system.id).runningId : null)
    // Again with each of its states, one of which comes with the engine, until both engine and network were seen.
    board.changed.on((agentId) => {
      if (agentId === system?.id) look()
    })
    look()
  })
  return { server, identity, disk, baseUrl }
}

/** An IPv6 address stands in brackets in a URL; "any address" is not one that can be opened. */
const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
