/** The credentials that one exec gets: those in force for its user and agent, decrypted. */
import { CREDENTIAL_KINDS, type CredentialInForce, type CredentialService as ServiceName } from '@slipway/protocol'
import type { Caller } from '../identity/caller.ts'
import { type Choice, choose, levelsOf, type Situation } from './in-force.ts'
import { environmentOf, keyIn, type OpenCredential, servicesOf, withGatewayKey } from './environment.ts'
import { PLATFORM } from './owner.ts'
import type { CredentialRepository } from './repository.ts'
import type { CredentialService } from './service.ts'
import type { OpenVariables, VariableService } from './variables/service.ts'

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

const WHOSE = { agent: "The agent's", user: 'Your', platform: "The platform's", none: 'The' } as const

const unreadable = (what: string): string => `${what} cannot be read with this server's secret key. Set it again.`

export class Provisioner {
  readonly #repository: CredentialRepository
  readonly #credentials: CredentialService
  readonly #variables: VariableService

  constructor(repository: CredentialRepository, credentials: CredentialService, variables: VariableService) {
    this.#repository = repository
    this.#credentials = credentials
    this.#variables = variables
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

  /**
   * All secrets that a terminal of this user in this agent may show, for masking: those in force, those not in force,
   * and the owner's own, which may be in the agent's home.
   */
  async secrets(userId: string, { id, ownerId }: Pick<AgentOf, 'id' | 'ownerId'>): Promise<string[]> {
    const people = [...new Set([userId, ...(ownerId === null ? [] : [ownerId])])]
    const owners = people.map((person) => ({ type: 'user', id: person }) as const)
    const stored = await this.#repository.of({ type: 'agent', id }, ...owners, PLATFORM)
    const { secrets } = await this.#variables.open(id)
    return [...stored.flatMap((credential) => this.#credentials.open(credential)?.secret ?? []), ...secrets]
  }

  async #choices({ userId, via }: Caller, agent: AgentOf, { setBy }: OpenVariables): Promise<Choice[]> {
    const { id: agentId, ownerId, useCredentials, useGitToken } = agent
    const signedIn = via.kind !== 'api_token'
    const without: Situation = {
      userId,
      signedIn,
      agentId,
      ownerId,
      shares: 0,
      lent: false,
      useCredentials,
      useGitToken,
    }
    const owners = levelsOf(without).map(({ owner }) => owner)
    const [stored, { shares, ...others }] = await Promise.all([
      this.#repository.of(...owners),
      this.#repository.othersIn(agentId),
    ])
    // Another user's variable may redirect a credential, so the agent does not count as its owner's alone.
    const setters = [...setBy].filter((user) => user !== ownerId)
    return choose(stored, { ...without, ...others, shares: shares + setters.length })
  }
}
