/** Who asks or tells something: a program in an agent, and the task that it says it belongs to. */
import { notFound } from '../../lib/errors.ts'
import type { AgentRepository } from '../agents/repository.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { AskingRun, AskRepository } from './repository.ts'
import { cleaned } from './texts.ts'
import type { Visitor } from './visitor.ts'

export interface Asker {
  readonly agent: AgentRow
  /** An active task of the same agent; null: none is known. */
  readonly run: AskingRun | null
  /** Whether it may hold its user's own credentials. */
  readonly personal: boolean
  /** Its texts as they may be shown. */
  clean<T>(value: T): T
}

export class Askers {
  readonly #repository: Pick<AskRepository, 'runOf'>
  readonly #agents: Pick<AgentRepository, 'byId'>
  readonly #provisioner: Pick<Provisioner, 'taskSecrets'>

  constructor(
    repository: Pick<AskRepository, 'runOf'>,
    agents: Pick<AgentRepository, 'byId'>,
    provisioner: Pick<Provisioner, 'taskSecrets'>,
  ) {
    this.#repository = repository
    this.#agents = agents
    this.#provisioner = provisioner
  }

  /** Throws `NOT_FOUND` for an agent that was just deleted. */
  async of({ agentId, sessionId }: Visitor): Promise<Asker> {
    const agent = await this.#agents.byId(agentId)
    if (!agent) throw notFound()
    const run = sessionId === null ? null : await this.#repository.runOf(agentId, sessionId)
    const secrets = await this.#provisioner.taskSecrets(run?.userId ?? agent.ownerId, agent)
    // Without a task it is not known which user's program it is.
    const personal = run?.personal ?? (agent.useCredentials || agent.useGitToken)
    return { agent, run, personal, clean: (value) => cleaned(value, secrets) }
  }
}
