/** A user's custom providers, and the providers of their tasks. */
import {
  CLI_PROVIDERS_MAX,
  type CliProvider,
  type CreateCliProvider,
  CUSTOM_PREFIX,
  type UpdateCliProvider,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import { builtInProvider, customProvider, type TaskProvider } from '../../providers/task-provider.ts'
import { changed, fieldsOf, present } from './fields.ts'
import type { ProviderRepository, ProviderRow } from './repository.ts'

export interface ProviderDeps {
  readonly providers: ProviderRepository
  readonly clock: Clock
  readonly newId: NewId
}

export class ProviderService {
  readonly #deps: ProviderDeps

  constructor(deps: ProviderDeps) {
    this.#deps = deps
  }

  /** Sorted by name. */
  async list({ userId }: Caller): Promise<CliProvider[]> {
    return (await this.#deps.providers.of(userId)).map(present)
  }

  /** Throws `VALIDATION`, `NAME_TAKEN`, `TOO_MANY_PROVIDERS`, `AUDIT_REFUSED`. */
  async create(caller: Caller, body: CreateCliProvider): Promise<CliProvider> {
    const { providers, clock, newId } = this.#deps
    const at = new Date(clock.now())
    const row: ProviderRow = {
      id: newId(),
      userId: caller.userId,
      ...fieldsOf(body),
      createdAt: at,
      updatedAt: at,
    }
    const obstacle = await providers.create(row, CLI_PROVIDERS_MAX, actorOf(caller))
    if (obstacle === 'name_taken') throw new AppError('NAME_TAKEN', `You have a custom provider '${row.name}' already.`)
    if (obstacle === 'too_many')
      throw new AppError(
        'TOO_MANY_PROVIDERS',
        `You have ${CLI_PROVIDERS_MAX} custom providers, the maximum. Delete one first.`,
      )
    return present(row)
  }

  /** Active tasks go on with what they started with. Throws `NOT_FOUND`, `VALIDATION`, `AUDIT_REFUSED`. */
  async change(caller: Caller, id: string, body: UpdateCliProvider): Promise<CliProvider> {
    if (!isUuid(id)) throw notFound()
    const { providers, clock } = this.#deps
    const at = new Date(clock.now())
    const row = await providers.change(caller.userId, id, (before) => changed(before, body, at), actorOf(caller))
    if (!row) throw notFound()
    return present(row)
  }

  /** Active tasks go on. Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#deps.providers.remove(caller.userId, id, actorOf(caller)))) throw notFound()
  }

  /** Throws `NOT_FOUND`. */
  async require({ userId }: Caller, id: string): Promise<TaskProvider> {
    const row = isUuid(id) ? await this.#deps.providers.find(userId, id) : null
    if (!row) throw notFound()
    return customProvider(row)
  }

  /** The active ones. */
  async active({ userId }: Caller): Promise<TaskProvider[]> {
    const rows = await this.#deps.providers.of(userId)
    return rows.filter(({ isActive }) => isActive).map(customProvider)
  }

  /** The provider with an id, built in or the caller's own. Throws `VALIDATION` if it cannot run tasks. */
  async forTask({ userId }: Caller, id: string): Promise<TaskProvider> {
    const builtIn = builtInProvider(id)
    if (builtIn) return builtIn
    if (!id.startsWith(CUSTOM_PREFIX)) throw new AppError('VALIDATION', `body.provider: ${id} cannot run tasks`)
    const row = await this.#deps.providers.named(userId, id)
    if (!row) throw new AppError('VALIDATION', `body.provider: you have no custom provider ${id}`)
    if (!row.isActive) throw new AppError('VALIDATION', `body.provider: ${id} is not active`)
    return customProvider(row)
  }
}
