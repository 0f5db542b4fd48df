/** The preparation of an agent for its users: shown, cancelled and tried again. */
import type {
  AgentPreparation,
  ConfirmPreparation,
  DevcontainerOffer,
  Preparation,
  PreparationState,
} from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Facts } from '../audit/audit.ts'
import type { VariableService } from '../credentials/variables/service.ts'
import { actorOf, asHandedIn, proofOf } from '../identity/caller.ts'
import type { Preparer } from './preparer.ts'
import { type Act, NOTHING, type PreparationRepository, type PreparationRow } from './repository.ts'
import { offerOf, toPreparation } from './view.ts'

export interface PreparationServiceDeps {
  readonly repository: PreparationRepository
  readonly preparer: Preparer
  readonly agents: Pick<AgentService, 'require' | 'update' | 'restart' | 'view'>
  readonly variables: Pick<VariableService, 'list' | 'set'>
  readonly log: Log
}

const CANCELLABLE: readonly PreparationState[] = ['waiting', 'cloning', 'confirming', 'setting_up']
const REPEATABLE: readonly PreparationState[] = ['failed', 'cancelled']

export class PreparationService {
  readonly #deps: PreparationServiceDeps

  constructor(deps: PreparationServiceDeps) {
    this.#deps = deps
  }

  async view(found: Found): Promise<AgentPreparation> {
    const row = await this.#deps.repository.find(found.row.id)
    return { preparation: row && this.#present(row, found) }
  }

  /** Ends what runs. Throws `NOT_FOUND`, `WRONG_STATE` if it is over already, `AUDIT_REFUSED`. */
  async cancel(found: Found): Promise<Preparation> {
    const { repository, preparer } = this.#deps
    const row = await preparer.change(found.row.id, async () => {
      const output = preparer.live(found.row.id)?.output
      const changes = { error: null, ...(output !== undefined && { output }) }
      const cancelled = await repository.act(actOf(found, 'preparation.cancelled'), CANCELLABLE, 'cancelled', changes)
      if (!cancelled) return null
      preparer.end(cancelled.agentId)
      preparer.tell(cancelled)
      return cancelled
    })
    if (!row) throw await this.#refusal(found, 'It is over already.')
    return this.#present(row, found)
  }

  /** Begins again with the step that failed, in the caller's name. Throws `NOT_FOUND`, `WRONG_STATE`, `AUDIT_REFUSED`. */
  async retry(found: Found): Promise<Preparation> {
    const { repository, preparer } = this.#deps
    const changes = { error: null, taskError: null, output: '' }
    const row = await preparer.change(found.row.id, async () => {
      const retried = await repository.act(actOf(found, 'preparation.retried'), REPEATABLE, 'waiting', changes)
      if (!retried) return null
      preparer.tell(retried)
      preparer.add(retried.agentId)
      return retried
    })
    if (!row) throw await this.#refusal(found, 'Only what failed or was cancelled can be tried again.')
    return this.#present(row, found)
  }

  /**
   * Goes on with these parts of what the repository offers, in the caller's name. Throws `NOT_FOUND`, `WRONG_STATE` if it
   * waits for no decision, `AUDIT_REFUSED`, and what setting a variable or the image throws. Then it still waits for a
   * decision.
   */
  async confirm(found: Found, wanted: ConfirmPreparation): Promise<Preparation> {
    const { repository, preparer, agents } = this.#deps
    const before = await repository.find(found.row.id)
    const offer = before && offerOf(before)
    if (before?.state !== 'confirming' || !offer) throw await this.#refusal(found, 'There is nothing to decide about.')
    const image = wanted.image && offer.image?.isAllowed === true ? offer.image.name : null
    const isNewImage = image !== null && image !== found.row.image
    // Also for the image of an earlier decision after which the restart was refused.
    const needsRestart = isNewImage || (image !== null && agents.view(found).restartNeeded)
    if (wanted.containerEnv) await this.#setVariables(found, offer)
    if (isNewImage) await agents.update(found, { image })
    const facts: Facts = {
      ...(image !== null && { image }),
      ...(wanted.postCreateCommand && { commands: JSON.stringify(offer.postCreateCommand) }),
      variables: wanted.containerEnv,
    }
    const act = actOf(found, 'preparation.confirmed', facts)
    const row = await preparer.change(found.row.id, async () => {
      const decided = await repository.act(act, ['confirming'], 'waiting', { confirmed: wanted })
      if (!decided) return null
      preparer.tell(decided)
      if (!needsRestart) preparer.add(decided.agentId)
      return decided
    })
    if (!row) throw await this.#refusal(found, 'There is nothing to decide about.')
    if (needsRestart) await this.#restart(found)
    return this.#present(row, found)
  }

  /** A variable that is set already stays as it is. */
  async #setVariables({ caller, row }: Found, { containerEnv }: DevcontainerOffer): Promise<void> {
    const { variables } = this.#deps
    const set = new Set((await variables.list(row.id)).map(({ name }) => name))
    for (const { name, value, problem } of containerEnv)
      if (problem === null && !set.has(name)) await variables.set(caller, row, name, { value, secret: false })
  }

  /** The set-up begins in the container of the new image. Its home is the same. */
  async #restart({ caller, row: { id, name } }: Found): Promise<void> {
    const { agents, preparer, repository, log } = this.#deps
    try {
      // The row with the new image.
      const { done } = await agents.restart(await agents.require(caller, name, 'agent.prepare'))
      void done
        .catch((error: unknown) => log.warn({ agentId: id, err: error }, 'an agent was not restarted with its image'))
        .finally(() => preparer.add(id))
    } catch (error) {
      const undecided = await repository.turn(id, ['waiting'], 'confirming', { confirmed: NOTHING }).catch(() => {
        // It waits no longer than the database is away: the preparer begins or fails it.
        preparer.add(id)
        return null
      })
      if (undecided) preparer.tell(undecided)
      throw error
    }
  }

  #present(row: PreparationRow, reader: Found): Preparation {
    const isAtWork = row.state === 'cloning' || row.state === 'setting_up'
    return toPreparation(row, isAtWork ? this.#live(row) : null, reader)
  }

  #live(row: PreparationRow) {
    return this.#deps.preparer.live(row.agentId)
  }

  async #refusal({ row }: Found, message: string): Promise<AppError> {
    return (await this.#deps.repository.find(row.id)) ? new AppError('WRONG_STATE', message) : notFound()
  }
}

const actOf = ({ row, caller }: Found, action: Act['action'], facts: Facts = {}): Act => ({
  row,
  facts,
  userId: caller.userId,
  proof: proofOf(asHandedIn(caller).via),
  actor: actorOf(caller),
  action,
})
