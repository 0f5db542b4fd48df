/** The composition root: every module and plugin of the server, in order. */
import type { AddressInfo } from 'node:net'
import sensible from '@fastify/sensible'
import websocket from '@fastify/websocket'
import { MAX_INPUT_BYTES } from '@slipway/protocol'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { Jobs } from './database/jobs.ts'
import type { Database } from './database/open.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { Signal } from './lib/emitter.ts'
import { createIds } from './lib/ids.ts'
import { withRequestId } from './lib/request-scope.ts'
import { byRevocation, type Loss } from './modules/access/loss.ts'
import { accessPlugin } from './modules/access/plugin.ts'
import { createAgents } from './modules/agents/agents.ts'
import type { DiskWatch } from './modules/agents/usage/disk.ts'
import { createAsks } from './modules/asks/asks.ts'
import { createAudit } from './modules/audit/audit.ts'
import { auditModule } from './modules/audit/module.ts'
import { createChannels } from './modules/channels/channels.ts'
import { createConversations } from './modules/conversations/conversations.ts'
import { createCredentials } from './modules/credentials/credentials.ts'
import type { Providers } from './modules/credentials/probe/providers.ts'
import { createDashboard } from './modules/dashboard/dashboard.ts'
import { createDialogs } from './modules/dialogs/dialogs.ts'
import { createEvents } from './modules/events/events.ts'
import { createExecs } from './modules/exec/execs.ts'
import { createFiles } from './modules/files/files.ts'
import { createGitAccess } from './modules/git-access/git-access.ts'
import { createGit } from './modules/git/git.ts'
import { createIdempotencyKeys } from './modules/idempotency/create.ts'
import { idempotencyPlugin } from './modules/idempotency/plugin.ts'
import { actorOf } from './modules/identity/caller.ts'
import { createIdentity, type Identity, identityModule } from './modules/identity/identity.ts'
import { requireCaller } from './modules/identity/require-caller.ts'
import { createMcp } from './modules/tools/mcp.ts'
import { mount, type Module, startAll, stopAll } from './modules/module.ts'
import { providerRoutes } from './modules/providers/routes.ts'
import { endWaitingOf } from './modules/runs/line/departure-repository.ts'
import { createPreparations } from './modules/preparations/preparations.ts'
import { createPublish } from './modules/publish/publish.ts'
import { createPorts } from './modules/ports/ports.ts'
import { createRelay } from './modules/relay/relay.ts'
import { createSsh } from './modules/ssh/ssh.ts'
import type { SshKeys } from './modules/ssh/door/keys.ts'
import { createRuns } from './modules/runs/runs.ts'
import { createSessions } from './modules/sessions/sessions.ts'
import { createTerminals } from './modules/terminal/terminals.ts'
import { createSkills } from './modules/skills/skills.ts'
import { createTemplates } from './modules/templates/templates.ts'
import { WebhookOutbox } from './modules/webhooks/outgoing/outbox-repository.ts'
import { createValidations } from './modules/validation/validations.ts'
import { createWebhooks } from './modules/webhooks/webhooks.ts'
import { createWorktrees } from './modules/worktrees/worktrees.ts'
import { agentPeersPlugin } from './plugins/agent-peers.ts'
import { connectionsPlugin } from './plugins/connections.ts'
import { errorsPlugin } from './plugins/errors.ts'
import { frontendPlugin } from './plugins/frontend.ts'
import { databaseCheck, engineCheck, healthRoutes } from './plugins/health.ts'
import { lingeringClosePlugin } from './plugins/lingering-close.ts'
import { Liveness } from './plugins/liveness.ts'
import { createMetrics, metricsPlugin } from './plugins/metrics/metrics.ts'
import { openapiPlugin } from './plugins/openapi/openapi.ts'
import { programUrl } from './addresses.ts'
import { createOriginCheck } from './plugins/origin.ts'
import { createOtherHosts, type HostDoor } from './plugins/other-hosts.ts'
import { platformMetricsPlugin } from './plugins/metrics/platform-metrics.ts'
import { rateLimitPlugin } from './plugins/rate-limit.ts'
import { requestIdPlugin } from './plugins/request-id.ts'
import { securityPlugin } from './plugins/security.ts'
import { serverOptions } from './plugins/server-options.ts'
import { stoppingPlugin } from './plugins/stopping.ts'
import { validationPlugin } from './plugins/validation.ts'
import type { ContainerRuntime } from './runtime/port.ts'

/** What the server is built on. Closing the app closes none of these. */
export interface AppDeps {
  readonly config: Config
  readonly database: Database
  readonly runtime: ContainerRuntime
  readonly version: string
  /** Where credentials are tested, if not at the real providers. */
  readonly providers?: Providers
  readonly clock?: Clock
  /** For tests: the keys that the SSH server takes in place of those in the database. */
  readonly sshKeys?: SshKeys
}

/** The server, ready to listen. */
export interface App {
  readonly server: FastifyInstance
  readonly identity: Identity
  /** For tests, which trigger a measurement instead of waiting for the next one. */
  readonly disk: DiskWatch
  /** The port of the SSH server; null while it does not listen. */
  sshPort(): number | null
  /** The address for users: the public URL, or the address that it listens on. */
  baseUrl(): string
  /** The address for programs on this machine. */
  programUrl(): string
}

export const buildApp = async (deps: AppDeps): Promise<App> => {
  const { config, database, runtime, version, providers, clock = systemClock, sshKeys } = deps
  let portDoor: HostDoor | null = null
  const otherHosts = createOtherHosts(() => portDoor)
  const server = Fastify({ ...serverOptions(config), rewriteUrl: otherHosts.rewriteUrl })
  const port = (): number => (server.server.address() as AddressInfo | null)?.port ?? config.port
  const origins = (): readonly string[] => config.originsFor(port())
  const baseUrl = (): string => origins()[0]!
  const requireOwnOrigin = createOriginCheck(origins)
  const log = withRequestId(server.log)
  const onListenerError = (error: unknown): void => log.error({ err: error }, 'a listener failed')
  const base = { config, runtime, prisma: database.prisma, clock, newId: createIds(clock), log, onListenerError }
  const losses = new Signal<Loss>(onListenerError)
  const liveness = new Liveness(config.pingIntervalMs)
  const metrics = createMetrics()

  const audit = createAudit(base)
  const common = { ...base, audit, losses }
  const agents = createAgents(common)
  const { belongings } = agents
  const identity = createIdentity({ ...common, secretKey: config.secretKey, belongings, endWithUser: endWaitingOf })
  identity.revocations.on((revocation) => losses.emit(byRevocation(revocation)))
  const { authenticator } = identity
  const credentials = createCredentials({ ...common, ...config, providers, agents, authenticator })
  agents.sealTemplatesWith(credentials.templateSecrets)
  const sessions = createSessions({ ...common, agents, credentials, authenticator })
  const standing = { ...common, agents, credentials, sessions, authenticator, liveness, metrics, baseUrl }
  const keys = createIdempotencyKeys({ ...base, secretKey: config.secretKey })
  const isAwaited = keys.isAwaited.bind(keys)
  const execs = createExecs({ ...standing, provisioner: credentials.provisioner, isAwaited })
  const jobs = new Jobs({ database, log })
  const dialogs = createDialogs(standing)
  const skills = createSkills(standing)
  const worktrees = createWorktrees(standing)
  const { places } = worktrees
  const runs = createRuns({ ...standing, dialogs, skills, places, jobs, outbox: new WebhookOutbox(standing) })
  const conversations = createConversations({ ...standing, runs, freed: places.look })
  const webhooks = createWebhooks({ ...standing, runs })
  const validations = createValidations({ ...standing, execs, runs })
  const templates = createTemplates(common)
  const dashboard = createDashboard({ ...standing, dialogs })
  const git = createGit(standing)
  const publish = createPublish({ ...standing, git, runs, execs: execs.service, validationOf: validations.of })
  const preparations = createPreparations({ ...standing, runs, execs: execs.service })
  const terminals = createTerminals({ ...standing, conversations: runs.conversations, tasks: runs.interactive })
  runs.interactive.openWith(terminals.forTasks)
  const channels = createChannels({
    ...{ ...standing, conversations, dialogs, terminals, preferences: identity.preferences },
    accounts: identity.chatAccounts,
  })
  const files = createFiles({ ...common, agents: agents.agents })
  const ports = createPorts(standing)
  portDoor = ports.door
  const ssh = createSsh({ ...standing, keys: sshKeys ?? identity.sshKeys, dial: ports.dial })
  const asks = createAsks({ ...standing, dialogs, runs, needs: terminals.needs })
  const mcp = createMcp({ ...common, asks, agents, runs, requireOwnOrigin, version })
  const gitAccess = createGitAccess(standing)
  const inner = [mcp.inner, asks.inner, gitAccess.inner]
  const relay = createRelay({ ...standing, inner, log: server.log })
  const watch = liveness.watch.bind(liveness)
  const onAgents: Module[] = [
    ...[credentials, agents, sessions, dialogs, worktrees, runs, conversations, asks],
    ...[terminals, execs, files, git, ports, channels, preparations],
  ]
  const topics = onAgents.flatMap((module) => module.topics ?? [])
  const news = onAgents.flatMap((module) => module.news ?? [])
  const correspondents = onAgents.flatMap((module) => module.correspondent ?? [])
  const events = createEvents({ ...common, agents, topics, news, correspondents, authenticator, watch })
  const modules: Module[] = [
    { routes: providerRoutes, quiesce: () => liveness.stop() },
    identityModule(identity, {
      requireOwnOrigin,
      origins,
      secureCookie: config.secureCookie,
      baseUrl,
      sshAddress: () => ssh.address(new URL(baseUrl()).hostname),
    }),
    auditModule({ ...common, actorOf: (request) => actorOf(requireCaller(request)) }),
    ...[...onAgents, validations, mcp, relay, events, webhooks, templates, skills, dashboard, publish, ssh],
    { start: () => Promise.resolve(jobs.start()), end: () => jobs.stop() },
  ]

  for (const plugin of [otherHosts.plugin, requestIdPlugin, stoppingPlugin, connectionsPlugin, lingeringClosePlugin])
    await server.register(plugin)
  await server.register(agentPeersPlugin, { subnets: () => runtime.agentSubnets })
  await server.register(sensible)
  await server.register(errorsPlugin)
  await server.register(validationPlugin)
  await server.register(securityPlugin, { https: config.secureCookie })
  await server.register(rateLimitPlugin)
  await server.register(accessPlugin, { authenticator, losses })
  await server.register(idempotencyPlugin, { keys })
  await server.register(openapiPlugin, { version })
  await server.register(metricsPlugin, { registry: metrics })
  // Before the hook of the WebSocket plugin, which closes every socket without giving a reason.
  server.addHook('preClose', () => stopAll(modules, log))
  await server.register(websocket, { options: { maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false } })
  await server.register(platformMetricsPlugin, {
    registry: metrics,
    version,
    figures: {
      agentsByState: () => agents.board.counts(),
      terminals: () => terminals.registry.size,
      engineUp: () => runtime.available,
      database: () => database.connections(),
    },
  })
  const checks = [databaseCheck(database.ping), engineCheck(runtime)]
  await server.register(healthRoutes, { prefix: '/api', checks })
  await server.register(mount(modules, requireOwnOrigin), { prefix: '/api' })
  await server.register(frontendPlugin, { dir: config.staticDir })
  server.addHook('onReady', () => startAll(modules))
  return {
    server,
    identity,
    disk: agents.disk,
    sshPort: ssh.port,
    baseUrl,
    programUrl: () => programUrl(config.host, port()),
  }
}
