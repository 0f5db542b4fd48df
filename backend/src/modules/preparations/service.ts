/** The preparation of an agent for its users: shown, cancelled and tried again. */
import type { AgentPreparation, Preparation, PreparationState } from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Found } from '../agents/service.ts'
import { actorOf, asHandedIn, proofOf } from '../identity/caller.ts'
import type { Preparer } from './preparer.ts'
import type { Act, PreparationRepository, PreparationRow } from './repository.ts'
import { toPreparation } from './view.ts'

export interface PreparationServiceDeps {
  readonly repository: PreparationRepository
  readonly preparer: Preparer
}

const CANCELLABLE: readonly PreparationState[] = ['waiting', 'cloning', 'confirming', 'setting_up']
const REPEATABLE: readonly PreparationState[] = ['failed', 'cancelled']

export class PreparationService {
  readonly #deps: PreparationServiceDeps

  constructor(deps: PreparationServiceDeps) {
    this.#deps = deps
  }

  async view({ row }: Found): Promise<AgentPreparation> {
    const found = await this.#deps.repository.find(row.id)
    return { preparation: found && this.#present(found) }
  }

  /** Ends what runs. Throws `NOT_FOUND`, `WRONG_STATE` if it is over already, `AUDIT_REFUSED`. */
  async cancel(found: Found): Promise<Preparation> {
    const { repository, preparer } = this.#deps
    const output = preparer.live(found.row.id)?.output
    const changes = { error: null, ...(output !== undefined && { output }) }
    const row = await repository.act(actOf(found, 'preparation.cancelled'), CANCELLABLE, 'cancelled', changes)
    if (!row) throw await this.#refusal(found, 'It is over already.')
    preparer.end(row.agentId)
    preparer.tell(row)
    return this.#present(row)
  }

  /** Begins again with the step that failed, in the caller's name. Throws `NOT_FOUND`, `WRONG_STATE`, `AUDIT_REFUSED`. */
  async retry(found: Found): Promise<Preparation> {
    const { repository, preparer } = this.#deps
    const changes = { error: null, taskError: null, output: '' }
    const row = await repository.act(actOf(found, 'preparation.retried'), REPEATABLE, 'waiting', changes)
    if (!row) throw await this.#refusal(found, 'Only what failed or was cancelled can be tried again.')
    preparer.tell(row)
    preparer.add(row.agentId)
    return this.#present(row)
  }

  #present(row: PreparationRow): Preparation {
    return toPreparation(row, row.state === 'cloning' || row.state === 'setting_up' ? this.#live(row) : null)
  }

  #live(row: PreparationRow) {
    return this.#deps.preparer.live(row.agentId)
  }

  async #refusal({ row }: Found, message: string): Promise<AppError> {
    return (await this.#deps.repository.find(row.id)) ? new AppError('WRONG_STATE', message) : notFound()
  }
}

const actOf = ({ row, caller }: Found, action: Act['action']): Act => ({
  row,
  userId: caller.userId,
  proof: proofOf(asHandedIn(caller).via),
  actor: actorOf(caller),
  action,
})
