/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Clock } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../database/open.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { AgentToolsRepository } from './agent-tools/repository.ts'
import { agentToolsRoutes } from './agent-tools/routes.ts'
import { AgentToolsService } from './agent-tools/service.ts'
import { ConnectorRepository } from './connectors/repository.ts'
import { connectorRoutes } from './connectors/routes.ts'
import { ConnectorService } from './connectors/service.ts'
import { Keyring } from './secret-key/keyring.ts'
import { Networks } from './probe/networks.ts'
import { Prober } from './probe/prober.ts'
import type { Providers } from './probe/providers.ts'
import { Provisioner } from './provision/provision.ts'
import { CredentialRepository } from './repository.ts'
import { credentialRoutes } from './routes.ts'
import { SecretKeyRepository } from './secret-key/repository.ts'
import { SecretKeyState } from './secret-key/state.ts'
import { CredentialService, type SetSecret } from './service.ts'
import { TemplateSecretRepository } from './template-secrets/repository.ts'
import { VariableRepository } from './variables/repository.ts'
import { variableRoutes } from './variables/routes.ts'
import { VariableService } from './variables/service.ts'

/** What {@link createCredentials} needs. */
export interface CredentialDeps {
  readonly prisma: Database['prisma']
  readonly secretKey: Uint8Array
  readonly previousSecretKey: Uint8Array | null
  /** Hosts and networks that the server may contact although they are not public. */
  readonly privateGateways: readonly string[]
  /** Replaces the real providers. */
  readonly providers: Providers | undefined
  readonly audit: Audit
  readonly clock: Clock
  readonly newId: NewId
  readonly agents: Pick<Agents, 'agents' | 'repository' | 'sealTemplatesWith'>
  readonly authenticator: Authenticator
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** Keys and tokens for programs in agents. */
export const createCredentials = (deps: CredentialDeps) => {
  const { prisma, secretKey, previousSecretKey, privateGateways, providers, audit, clock, newId } = deps
  const {
    agents: { agents, repository: agentRows, sealTemplatesWith },
    authenticator,
    log,
    onListenerError,
  } = deps
  /** Emits each secret that a user sets, so that output masks it from now on. */
  const wasSet = new Signal<SetSecret>(onListenerError)
  const keyring = new Keyring(secretKey, previousSecretKey)
  const repository = new CredentialRepository(prisma, audit)
  const state = new SecretKeyState(new SecretKeyRepository(prisma), keyring)
  const prober = new Prober(new Networks(privateGateways), providers)
  const credentials = new CredentialService({ repository, keyring, state, prober, audit, clock, newId, wasSet })
  const variables = new VariableService({
    repository: new VariableRepository(prisma, audit),
    ...{ keyring, state, clock, newId, wasSet },
  })
  const connectors = new ConnectorService({
    repository: new ConnectorRepository(prisma, audit),
    ...{ keyring, state, clock, newId, wasSet },
  })
  const toolsTokens = new AgentToolsRepository(prisma, audit)
  const provisioner = new Provisioner(repository, credentials, variables, connectors)
  const tools = new AgentToolsService({
    ...{ repository: toolsTokens, agents: agentRows, authenticator, provisioner, clock },
  })
  sealTemplatesWith(new TemplateSecretRepository({ keyring, state, clock, newId }))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(credentialRoutes, { agents, credentials, provisioner, state })
    await api.register(variableRoutes, { agents, variables })
    await api.register(connectorRoutes, { agents, connectors })
    await api.register(agentToolsRoutes, { agents, tools })
  }
  const agentTools = { callerIn: tools.callerIn.bind(tools) }
  return {
    credentials,
    variables,
    provisioner,
    keyring,
    state,
    wasSet,
    agentTools,
    routes,
    start: () => state.check(log),
  }
}
export type Credentials = ReturnType<typeof createCredentials>
