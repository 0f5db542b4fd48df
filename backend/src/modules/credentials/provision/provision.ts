/** The credentials that one exec gets: those in force for its user and agent, decrypted. */
import { CREDENTIAL_KINDS, type CredentialInForce, type CredentialService as ServiceName } from '@slipway/protocol'
import type { Caller } from '../../identity/caller.ts'
import { type Choice, choose, levelsOf, mayUsePersonal, type Situation } from './in-force.ts'
import { environmentOf, gitSignInOf, keyIn, type OpenCredential, servicesOf, withGatewayKey } from './environment.ts'
import { type CredentialOwner, PLATFORM } from '../owner.ts'
import type { CredentialRepository } from '../repository.ts'
import type { CredentialService } from '../service.ts'
import { SLIPWAY_TOOLS } from '../../providers/headless/mcp/slipway.ts'
import { type ConnectorService, NO_CONNECTORS, type OpenConnectors } from '../connectors/service.ts'
import type { OpenVariables, VariableService } from '../variables/service.ts'

/** The properties of an agent that decide about credentials. */
export interface AgentOf {
  readonly id: string
  readonly ownerId: string | null
  readonly useCredentials: boolean
  readonly useGitToken: boolean
}

/** The credentials for one exec. Keep it no longer than the exec's start. */
export interface Provision {
  /** Whether one of them is the user's own, which no other user must see. */
  readonly personal: boolean
  /** A sentence about each credential or variable that could not be decrypted. */
  readonly problems: readonly string[]
  /** The variables for these services, overridden by the agent's own variables, and the services that get a key. */
  environment(services: readonly ServiceName[]): { env: Record<string, string>; given: ReadonlySet<ServiceName> }
  /** The key for a service, or null. A variable of the agent comes first, as in {@link environment}. */
  key(service: ServiceName): string | null
}

/** The same for a task, and for the terminal of a CLI. */
export interface TaskProvision extends Provision {
  readonly connectors: OpenConnectors
}

const WHOSE = { agent: "The agent's", user: 'Your', platform: "The platform's", none: 'The' } as const

const unreadable = (what: string): string => `${what} cannot be read with this server's secret key. Set it again.`

export class Provisioner {
  readonly #repository: CredentialRepository
  readonly #credentials: CredentialService
  readonly #variables: VariableService
  readonly #connectors: ConnectorService

  constructor(
    repository: CredentialRepository,
    credentials: CredentialService,
    variables: VariableService,
    connectors: ConnectorService,
  ) {
    this.#repository = repository
    this.#credentials = credentials
    this.#variables = variables
    this.#connectors = connectors
  }

  /** What a terminal of this user would get, described without secrets. */
  async inForce(caller: Caller, agent: AgentOf): Promise<CredentialInForce[]> {
    const variables = await this.#variables.open(agent.id)
    return (await this.#choices(caller, agent, variables)).map(({ service, source, credential, because }) => ({
      service,
      source,
      kind: credential?.kind ?? null,
      because: credential && !this.#credentials.open(credential) ? 'unreadable' : because,
    }))
  }

  /** What an exec of this user gets. An unreadable credential is left out, and no other level replaces it. */
  async provide(caller: Caller, agent: AgentOf): Promise<Provision> {
    const variables = await this.#variables.open(agent.id)
    const own = withGatewayKey(variables.env)
    const choices = (await this.#choices(caller, agent, variables)).filter(({ credential }) => credential !== null)
    const opened: (OpenCredential & { service: ServiceName })[] = []
    const problems = variables.unreadable.map((name) => unreadable(`The agent's variable ${name}`))
    for (const { service, source, credential } of choices) {
      const open = credential && this.#credentials.open(credential)
      if (open) opened.push({ ...open, service })
      else if (credential) problems.push(unreadable(`${WHOSE[source]} ${CREDENTIAL_KINDS[credential.kind].label}`))
    }
    return {
      personal: choices.some(({ source }) => source === 'user'),
      problems,
      environment(services) {
        const wanted = opened.filter(({ service }) => services.includes(service))
        const given = [...wanted.map(({ service }) => service), ...servicesOf(own)]
        return { env: { ...environmentOf(wanted), ...own }, given: new Set(given) }
      },
      key: (service) =>
        keyIn(service, own) ?? opened.find((credential) => credential.service === service)?.secret ?? null,
    }
  }

  /** What a task or a terminal of this user gets: the connectors in force and the
   * platform's tools, too, if its CLI takes any. */
  async provideTask(
    caller: Caller,
    agent: AgentOf,
    { takesServers = false }: { readonly takesServers?: boolean },
  ): Promise<TaskProvision> {
    const provision = await this.provide(caller, agent)
    if (!takesServers) return { ...provision, connectors: NO_CONNECTORS }
    const situation = await this.#situation(caller, agent, await this.#variables.open(agent.id))
    const connectors = await this.#connectors.inForce(situation)
    const own = connectors.servers.some(({ name }) => name === SLIPWAY_TOOLS.name) ? [] : [SLIPWAY_TOOLS]
    return {
      ...provision,
      personal: provision.personal || connectors.personal,
      connectors: { ...connectors, servers: [...connectors.servers, ...own] },
    }
  }

  /** With what git of this user signs in at an origin, now. Null: no token for it is in force. */
  async gitSignIn(
    caller: Caller,
    agent: AgentOf,
    origin: string,
  ): Promise<{ readonly user: string; readonly password: string } | null> {
    const choices = await this.#choices(caller, agent, await this.#variables.open(agent.id))
    for (const { credential } of choices) {
      const open = credential && this.#credentials.open(credential)
      const signIn = open && gitSignInOf(open, origin)
      if (signIn) return signIn
    }
    return null
  }

  /** Whether only its owner can have changed what the agent's programs do. The system agent belongs to all admins. */
  async isOwnersAlone(agent: AgentOf): Promise<boolean> {
    const { ownerId } = agent
    if (ownerId === null) return true
    const owner = { userId: ownerId, via: { kind: 'user', userId: ownerId } } as const
    return mayUsePersonal(await this.#situation(owner, agent, await this.#variables.open(agent.id)))
  }

  /**
   * All secrets of credentials that a program of this user in this agent may show, for masking: those in force, those not in
   * force, and the owner's own, which may be in the agent's home. Without a user, those of the agent and its owner.
   */
  async secrets(userId: string | null, agent: Pick<AgentOf, 'id' | 'ownerId'>): Promise<string[]> {
    const stored = await this.#repository.of(...ownersOf(userId, agent))
    const { secrets } = await this.#variables.open(agent.id)
    return [...stored.flatMap((credential) => this.#credentials.open(credential)?.secret ?? []), ...secrets]
  }

  /** The same for a task or a terminal, which may also show the secrets of connectors. */
  async taskSecrets(userId: string | null, agent: Pick<AgentOf, 'id' | 'ownerId'>): Promise<string[]> {
    const ofConnectors = await this.#connectors.secretsOf(ownersOf(userId, agent))
    return [...(await this.secrets(userId, agent)), ...ofConnectors]
  }

  async #choices(caller: Caller, agent: AgentOf, variables: OpenVariables): Promise<Choice[]> {
    const situation = await this.#situation(caller, agent, variables)
    return choose(await this.#repository.of(...levelsOf(situation).map(({ owner }) => owner)), situation)
  }

  async #situation(
    { userId, via }: Pick<Caller, 'userId' | 'via'>,
    agent: AgentOf,
    { setBy }: OpenVariables,
  ): Promise<Situation> {
    const { id: agentId, ownerId, useCredentials, useGitToken } = agent
    const [{ shares, lent }, byConnectors] = await Promise.all([
      this.#repository.othersIn(agentId),
      this.#connectors.settersIn(agentId),
    ])
    // Another user's variable or connector may redirect a credential, so the agent does not count as its owner's alone.
    const setters = [...new Set([...setBy, ...byConnectors])].filter((user) => user !== ownerId)
    return {
      userId,
      signedIn: via.kind !== 'api_token',
      agentId,
      ownerId,
      shares: shares + setters.length,
      lent,
      useCredentials,
      useGitToken,
    }
  }
}

/** All whose secrets programs of this user in this agent may show. */
const ownersOf = (userId: string | null, { id, ownerId }: Pick<AgentOf, 'id' | 'ownerId'>): CredentialOwner[] => {
  const people = new Set([userId, ownerId].filter((person) => person !== null))
  return [{ type: 'agent', id }, ...[...people].map((person) => ({ type: 'user', id: person }) as const), PLATFORM]
}
