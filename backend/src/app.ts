/** The composition root: every module of the server, in order. */
import type { FastifyInstance } from 'fastify'
import { type BaseDeps, createBase } from './composition/base.ts'
import { registerPlugins } from './composition/plugins.ts'
import { Jobs } from './database/jobs.ts'
import { byRevocation } from './modules/access/loss.ts'
import { createAgents } from './modules/agents/agents.ts'
import type { DiskWatch } from './modules/agents/usage/disk.ts'
import { createAsks } from './modules/asks/asks.ts'
import { createAuditModule } from './modules/audit/module.ts'
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
import { actorOf } from './modules/identity/caller.ts'
import type { Identity } from './modules/identity/identity.ts'
import { createIdentityModule } from './modules/identity/module.ts'
import { requireCaller } from './modules/identity/require-caller.ts'
import { mount, type Module, startAll, stopAll } from './modules/module.ts'
import { createPorts } from './modules/ports/ports.ts'
import { createPreparations } from './modules/preparations/preparations.ts'
import { createProviders } from './modules/providers/providers.ts'
import { createPublish } from './modules/publish/publish.ts'
import { createUserPrograms } from './modules/publish/remotes/user-programs.ts'
import { createRelay } from './modules/relay/relay.ts'
import { endWaitingOf } from './modules/runs/line/departure-repository.ts'
import { createRuns } from './modules/runs/runs.ts'
import { createSessions } from './modules/sessions/sessions.ts'
import { createSkills } from './modules/skills/skills.ts'
import type { SshKeys } from './modules/ssh/door/keys.ts'
import { createSsh } from './modules/ssh/ssh.ts'
import { createTemplates } from './modules/templates/templates.ts'
import { createTerminals } from './modules/terminal/terminals.ts'
import { createMcp } from './modules/tools/mcp.ts'
import { createValidations } from './modules/validation/validations.ts'
import { WebhookOutbox } from './modules/webhooks/outgoing/outbox-repository.ts'
import { createWebhooks } from './modules/webhooks/webhooks.ts'
import { createWorktrees } from './modules/worktrees/worktrees.ts'
import { frontendPlugin } from './plugins/frontend.ts'

/** What the server is built on. Closing the app closes none of these. */
export interface AppDeps extends BaseDeps {
  readonly version: string
  /** Where credentials are tested, if not at the real providers. */
  readonly providers?: Providers
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
  /** For tests: the kinds of addresses at other host names than the server's own. */
  hostAddresses(): readonly string[]
  /** The address for users: the public URL, or the address that it listens on. */
  baseUrl(): string
  /** The address for programs on this machine. */
  programUrl(): string
}

export const buildApp = async (deps: AppDeps): Promise<App> => {
  const { config, database, version, providers: realProviders, sshKeys } = deps
  const { server, ...base } = createBase(deps)
  const { log, losses, liveness, requireOwnOrigin } = base

  const providers = createProviders()
  const audit = createAuditModule({ ...base, actorOf: (request) => actorOf(requireCaller(request)) })
  const common = { ...base, audit }
  const agents = createAgents(common)
  const { belongings } = agents
  const identity = createIdentityModule({ ...common, belongings, endWithUser: endWaitingOf })
  identity.revocations.on((revocation) => losses.emit(byRevocation(revocation)))
  const { authenticator } = identity
  const credentials = createCredentials({ ...common, ...config, providers: realProviders, agents, authenticator })
  const sessions = createSessions({ ...common, agents, credentials, authenticator })
  const standing = { ...common, agents, credentials, sessions, authenticator }
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
  const programs = createUserPrograms({ execs: execs.service, provisioner: credentials.provisioner })
  const git = createGit({ ...standing, programs })
  const publish = createPublish({
    ...{ ...standing, git, runs, programs },
    ...{ execs: execs.service, validationOf: validations.of },
  })
  const preparations = createPreparations({ ...standing, runs, execs: execs.service })
  const terminals = createTerminals({ ...standing, conversations: runs.conversations, tasks: runs.interactive })
  const { preferences, chatAccounts: accounts, sshListener: listener } = identity
  const channels = createChannels({ ...standing, conversations, dialogs, terminals, preferences, accounts })
  const files = createFiles({ ...common, agents: agents.agents })
  const ports = createPorts(standing)
  const ssh = createSsh({ ...standing, keys: sshKeys ?? identity.sshKeys, listener, dial: ports.dial })
  const asks = createAsks({ ...standing, dialogs, runs, needs: terminals.needs })
  const mcp = createMcp({ ...common, asks, agents, runs, version })
  const gitAccess = createGitAccess(standing)
  const inner = [mcp.inner, asks.inner, gitAccess.inner]
  const relay = createRelay({ ...standing, inner, log: server.log })
  const onAgents: Module[] = [
    ...[credentials, agents, sessions, dialogs, worktrees, runs, conversations, asks],
    ...[terminals, execs, files, git, ports, channels, preparations],
  ]
  const topics = onAgents.flatMap((module) => module.topics ?? [])
  const news = onAgents.flatMap((module) => module.news ?? [])
  const correspondents = onAgents.flatMap((module) => module.correspondent ?? [])
  const watch = liveness.watch.bind(liveness)
  const events = createEvents({ ...common, agents, topics, news, correspondents, authenticator, watch })
  const modules: Module[] = [
    ...[liveness, providers, identity, audit, ...onAgents, validations, mcp, relay, events, webhooks],
    ...[templates, skills, dashboard, publish, ssh, jobs],
  ]

  const figures = { agentsByState: () => agents.board.counts(), terminals: () => terminals.registry.size }
  const stop = () => stopAll(modules, log)
  await registerPlugins({ ...base, server, database, version, authenticator, keys, figures, stop })
  await server.register(mount(modules, requireOwnOrigin), { prefix: '/api' })
  await server.register(frontendPlugin, { dir: config.staticDir })
  server.addHook('onReady', () => startAll(modules))
  const { baseUrl, programUrl, otherHosts } = base
  const hostAddresses = (): readonly string[] => otherHosts.addresses()
  return { server, identity, disk: agents.disk, sshPort: ssh.port, hostAddresses, baseUrl, programUrl }
}
