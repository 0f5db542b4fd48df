/** Templates of agents: listed for all, made by admins, and used for new agents. */
import {
  AGENT_TEMPLATES_MAX,
  type AgentTemplate,
  type CreateAgent,
  type SetAgentTemplate,
  VARIABLES_MAX,
} from '@slipway/protocol'
import { AppError, notFound } from '../../../lib/errors.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import { checkRef, checkRepositoryUrl } from '../beginning/repository-url.ts'
import { checkOffered, type Offer } from '../settings/limits.ts'
import type { AlsoMade } from '../repository.ts'
import type { AgentTemplateRepository } from './repository.ts'

/** What an agent is made of, once its template is known. */
export interface WithTemplate {
  readonly body: Omit<CreateAgent, 'template'>
  readonly variables: AgentTemplate['variables']
  /** The secret variables of the template; null: it has none. */
  readonly secrets: TemplateSecretsToGive | null
}

/** Secret variables that a new agent gets. */
export interface TemplateSecretsToGive {
  readonly names: readonly string[]
  /** In the transaction that makes the agent. Throws `WRONG_STATE` and `SECRET_KEY_MISMATCH`. */
  readonly give: AlsoMade
}

export class AgentTemplateService {
  readonly #repository: AgentTemplateRepository
  readonly #offer: Offer

  constructor(repository: AgentTemplateRepository, offer: Offer) {
    this.#repository = repository
    this.#offer = offer
  }

  list(): Promise<AgentTemplate[]> {
    return this.#repository.all()
  }

  /** Throws `VALIDATION`, `NOT_OFFERED`, `WRONG_STATE` if there are as many as there may be, `AUDIT_REFUSED`. */
  async set(caller: Caller, name: string, template: SetAgentTemplate): Promise<AgentTemplate> {
    const { settings, repository } = template
    checkOffered(this.#offer, settings)
    if (repository) checkRepositoryUrl(repository.url)
    if (repository?.ref !== undefined) checkRef(repository.ref)
    checkVariables(template)
    const set = await this.#repository.set({ name, ...template }, AGENT_TEMPLATES_MAX, actorOf(caller))
    if (!set) throw new AppError('WRONG_STATE', `There are ${AGENT_TEMPLATES_MAX} templates already. Remove one first.`)
    return set
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, name: string): Promise<void> {
    if (!(await this.#repository.remove(name, actorOf(caller)))) throw notFound()
  }

  /** What the request names comes before what its template has. Throws `VALIDATION` for a template that is not there. */
  async applied({ template: name, ...body }: CreateAgent): Promise<WithTemplate> {
    if (name === undefined) return { body, variables: [], secrets: null }
    const template = await this.#repository.find(name)
    if (!template) throw new AppError('VALIDATION', 'body.template: there is no template of this name')
    const { settings, repository, setupCommand, variables, secretVariables, version } = template
    const begins = { ...(repository && { repository }), ...(setupCommand !== null && { setupCommand }) }
    const give: AlsoMade = (tx, agentId, userId) => this.#repository.secrets.give(tx, version, { agentId, userId })
    const names = secretVariables.map((secret) => secret.name)
    return {
      body: { ...settings, ...begins, ...body },
      variables,
      secrets: names.length === 0 ? null : { names, give },
    }
  }
}

/** Throws `VALIDATION`. */
const checkVariables = ({ variables, secretVariables = [] }: SetAgentTemplate): void => {
  const all = [...variables, ...secretVariables]
  if (new Set(all.map(({ name }) => name)).size < all.length)
    throw new AppError('VALIDATION', 'body.variables: a name is there twice')
  if (all.length > VARIABLES_MAX)
    throw new AppError('VALIDATION', `body.variables: there may be ${VARIABLES_MAX} with the secret ones`)
}
