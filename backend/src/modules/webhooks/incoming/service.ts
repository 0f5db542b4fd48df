/** A user's incoming webhooks. */
import {
  type CreatedIncomingHook,
  type CreateIncomingHook,
  type IncomingHook,
  type UpdateIncomingHook,
  WEBHOOKS_MAX,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { newSecret } from '../../../lib/secrets/secrets.ts'
import { actorOf, asHandedIn, type Caller, proofOf } from '../../identity/caller.ts'
import type { Plan, RunPlanner } from '../../runs/start/plan.ts'
import { requestOf } from '../../runs/stored-task.ts'
import { changed, fieldsOf, present } from './fields.ts'
import type { IncomingFields, IncomingRepository, IncomingRow } from './repository.ts'
import { checkTemplate, filled } from './template.ts'

export interface IncomingDeps {
  readonly hooks: IncomingRepository
  readonly planner: Pick<RunPlanner, 'plan'>
  /** The address of the server for other programs. */
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly newId: NewId
}

export class IncomingService {
  readonly #deps: IncomingDeps

  constructor(deps: IncomingDeps) {
    this.#deps = deps
  }

  /** Oldest first. */
  async list({ userId }: Caller): Promise<IncomingHook[]> {
    return (await this.#deps.hooks.of(userId)).map((row) => this.#present(row))
  }

  /** Throws `NOT_FOUND`. */
  async get(caller: Caller, id: string): Promise<IncomingHook> {
    return this.#present(await this.#require(caller, id))
  }

  /** Throws `VALIDATION`, `NOT_FOUND`, `TOO_MANY_WEBHOOKS`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`. */
  async create(caller: Caller, body: CreateIncomingHook): Promise<CreatedIncomingHook> {
    const { hooks, clock, newId } = this.#deps
    const fields = fieldsOf(body)
    const { found } = await this.#plan(caller, fields, body.agent)
    const at = new Date(clock.now())
    const row = {
      ...{ id: newId(), userId: caller.userId, agentId: found.row.id, ...fields, ...proofOfHook(caller) },
      ...{ disabledBecause: null, createdAt: at, updatedAt: at },
    }
    const secret = newSecret()
    if (!(await hooks.create(row, secret, WEBHOOKS_MAX, actorOf(caller))))
      throw new AppError('TOO_MANY_WEBHOOKS', `There are ${WEBHOOKS_MAX} webhooks, the maximum. Delete one first.`)
    return this.#withSecret(await this.get(caller, row.id), secret)
  }

  /**
   * Its tasks from now on may do what the user of this change may. Throws `VALIDATION`, `NOT_FOUND`, `WRONG_STATE`,
   * `AUDIT_REFUSED`.
   */
  async change(caller: Caller, id: string, body: UpdateIncomingHook): Promise<IncomingHook> {
    const { hooks, clock } = this.#deps
    const before = await this.#require(caller, id)
    const fields = changed(before, body)
    // A user who lost the agent may still switch their webhook off.
    const isChecked = fields.enabled || body.agent !== undefined
    const plan = isChecked ? await this.#plan(caller, fields, body.agent ?? before.agent.name) : null
    if (!plan) checkTemplate(fields.prompt)
    const after = {
      ...fields,
      agentId: plan?.found.row.id ?? before.agentId,
      ...proofOfHook(caller),
      disabledBecause: fields.enabled || before.enabled ? null : before.disabledBecause,
      updatedAt: new Date(clock.now()),
    }
    await hooks.change(before, after, null, actorOf(caller))
    return this.get(caller, id)
  }

  /** Gives it a new secret. The old one is refused from now on. Throws `NOT_FOUND`, `WRONG_STATE`, `SECRET_KEY_MISMATCH`. */
  async rotate(caller: Caller, id: string): Promise<CreatedIncomingHook> {
    const { hooks, clock } = this.#deps
    const before = await this.#require(caller, id)
    const secret = newSecret()
    const { agentId, disabledBecause } = before
    const after = { ...changed(before, {}), agentId, disabledBecause, ...proofOfHook(caller) }
    await hooks.change(before, { ...after, updatedAt: new Date(clock.now()) }, secret, actorOf(caller))
    return this.#withSecret(await this.get(caller, id), secret)
  }

  /** Its tasks go on. Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#deps.hooks.remove(caller.userId, id, actorOf(caller)))) throw notFound()
  }

  #addressOf({ id }: Pick<IncomingHook, 'id'>): string {
    return `${this.#deps.baseUrl()}/api/hooks/${id}`
  }

  #present(row: IncomingRow): IncomingHook {
    return present(row, this.#addressOf(row))
  }

  #withSecret(hook: IncomingHook, secret: string): CreatedIncomingHook {
    const url = this.#addressOf(hook)
    return hook.source === 'url' ? { ...hook, url: `${url}.${secret}`, secret: null } : { ...hook, url, secret }
  }

  /** Checks the template, and that its task could start now. */
  async #plan(caller: Caller, fields: IncomingFields, agent: string | undefined): Promise<Plan> {
    const { planner, newId } = this.#deps
    checkTemplate(fields.prompt)
    return planner.plan(
      caller,
      requestOf({ ...fields, prompt: filled(fields.prompt, null) }, agent),
      newId(),
      continuesNone,
    )
  }

  async #require({ userId }: Caller, id: string): Promise<IncomingRow> {
    const row = isUuid(id) ? await this.#deps.hooks.find(userId, id) : null
    if (!row) throw notFound()
    return row
  }
}

/** A call's task continues no earlier one. */
export const continuesNone = (): Promise<never> => Promise.reject(notFound())

/** What its tasks depend on: the user, or the API token that made or changed it. */
const proofOfHook = (caller: Caller): Pick<IncomingRow, 'via' | 'viaId'> => {
  const { kind, id } = proofOf(asHandedIn(caller).via)
  return { via: kind, viaId: id }
}
