/** What one exec is given: the credentials in force for its person and agent, opened. */
import { CREDENTIAL_KINDS, type CredentialInForce, type CredentialService as ServiceName } from '@slipway/protocol'
import type { Caller } from '../identity/caller.ts'
import { type Choice, choose, levelsOf, type Situation } from './in-force.ts'
import { environmentOf, type OpenCredential } from './environment.ts'
import { PLATFORM } from './owner.ts'
import type { CredentialRepository } from './repository.ts'
import type { CredentialService } from './service.ts'

/** An agent, as far as it decides about credentials. */
export interface AgentOf {
  readonly id: string
  readonly ownerId: string | null
  readonly useCredentials: boolean
  readonly useGitToken: boolean
}

/** What was found for one exec. Hold it no longer than the exec's start. */
export interface Provision {
  /** Whether one of them is somebody's own, which nobody else must come to see. */
  readonly personal: boolean
  /** A sentence about each that could not be read. */
  readonly problems: readonly string[]
  /** The variables for these services, and the services that are among them. */
  environment(services: readonly ServiceName[]): { env: Record<string, string>; given: ReadonlySet<ServiceName> }
}

const WHOSE = { agent: "The agent's", user: 'Your', platform: "The platform's", none: 'The' } as const

export class Provisioner {
  readonly #repository: CredentialRepository
  readonly #credentials: CredentialService

  constructor(repository: CredentialRepository, credentials: CredentialService) {
    this.#repository = repository
    this.#credentials = credentials
  }

  /** What a terminal of this person's would be given, in words and without secrets. */
  async inForce(caller: Caller, agent: AgentOf): Promise<CredentialInForce[]> {
    return (await this.#choices(caller, agent)).map(({ service, source, credential, because }) => ({
      service,
      source,
      kind: credential?.kind ?? null,
      because: credential && !this.#credentials.open(credential) ? 'unreadable' : because,
    }))
  }

  /** What an exec of this person's is given. One that cannot be read is left out, and no other takes its place. */
  async provide(caller: Caller, agent: AgentOf): Promise<Provision> {
    const choices = (await this.#choices(caller, agent)).filter(({ credential }) => credential !== null)
    const opened: (OpenCredential & { service: ServiceName })[] = []
    const problems: string[] = []
    for (const { service, source, credential } of choices) {
      const open = credential && this.#credentials.open(credential)
      if (open) opened.push({ ...open, service })
      else if (credential)
        problems.push(
          `${WHOSE[source]} ${CREDENTIAL_KINDS[credential.kind].label} cannot be read with this server's secret key. Set it again.`,
        )
    }
    return {
      personal: choices.some(({ source }) => source === 'user'),
      problems,
      environment(services) {
        const wanted = opened.filter(({ service }) => services.includes(service))
        return { env: environmentOf(wanted), given: new Set(wanted.map(({ service }) => service)) }
      },
    }
  }

  /**
   * Whatever a terminal of this person's with this agent may come to show, so that it can be masked: what is in force and what
   * is not, and the owner's own, which may be in the agent's home.
   */
  async secrets(userId: string, { id, ownerId }: Pick<AgentOf, 'id' | 'ownerId'>): Promise<string[]> {
    const people = [...new Set([userId, ...(ownerId === null ? [] : [ownerId])])]
    const owners = people.map((person) => ({ type: 'user', id: person }) as const)
    const stored = await this.#repository.of({ type: 'agent', id }, ...owners, PLATFORM)
    return stored.flatMap((credential) => this.#credentials.open(credential)?.secret ?? [])
  }

  async #choices({ userId, via }: Caller, agent: AgentOf): Promise<Choice[]> {
    const { id: agentId, ownerId, useCredentials, useGitToken } = agent
    const signedIn = via.kind === 'sign_in'
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
    const [stored, others] = await Promise.all([this.#repository.of(...owners), this.#repository.othersIn(agentId)])
    return choose(stored, { ...without, ...others })
  }
}
