/** A user's outgoing webhooks, and those of the platform. */
import {
  type CreatedWebhook,
  type CreateWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookDelivery,
  WEBHOOKS_MAX,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { allows } from '../../access/policy.ts'
import { actorOf, asHandedIn, type Caller, proofOf } from '../../identity/caller.ts'
import type { HookVault } from '../vault.ts'
import { testBody } from './body.ts'
import type { Deliverer } from './deliverer.ts'
import type { DeliveryRepository, DeliveryRow } from './delivery-repository.ts'
import type { WebhookChange, WebhookFields, WebhookRepository, WebhookRow, WebhookSecrets } from './repository.ts'
import { newHookSecret } from './signature.ts'

export interface WebhookDeps {
  readonly webhooks: WebhookRepository
  readonly deliveries: DeliveryRepository
  readonly vault: Pick<HookVault, 'open'>
  readonly deliverer: Pick<Deliverer, 'sendNow'>
  readonly clock: Clock
  readonly newId: NewId
}

/** Whose webhooks a request is about: those of its user, or those of the platform. */
export type Whose = 'user' | 'platform'

export class WebhookService {
  readonly #deps: WebhookDeps

  constructor(deps: WebhookDeps) {
    this.#deps = deps
  }

  /** Oldest first. */
  async list(caller: Caller, whose: Whose): Promise<Webhook[]> {
    return (await this.#deps.webhooks.of(ownerOf(caller, whose))).map((row) => this.#present(caller, row))
  }

  /** Throws `NOT_FOUND`. */
  async get(caller: Caller, whose: Whose, id: string): Promise<Webhook> {
    return this.#present(caller, await this.#require(caller, whose, id))
  }

  /** Throws `VALIDATION`, `TOO_MANY_WEBHOOKS`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`. */
  async create(caller: Caller, whose: Whose, body: CreateWebhook): Promise<CreatedWebhook> {
    const { webhooks, clock, newId } = this.#deps
    const secrets = { url: checkedUrl(body.url), secret: newHookSecret() }
    const createdAt = new Date(clock.now())
    const fields = { name: body.name.trim(), kinds: body.kinds, withText: body.withText ?? false }
    const change = changeBy(caller, { ...fields, enabled: body.enabled ?? true }, createdAt, null)
    const row = { id: newId(), userId: ownerOf(caller, whose), createdAt, ...change }
    if (!(await webhooks.create(row, secrets, WEBHOOKS_MAX, actorOf(caller))))
      throw new AppError('TOO_MANY_WEBHOOKS', `There are ${WEBHOOKS_MAX} webhooks, the maximum. Delete one first.`)
    return { ...(await this.get(caller, whose, row.id)), secret: secrets.secret }
  }

  /**
   * What it hears from now on is what the user of this change may see. Throws `VALIDATION`, `NOT_FOUND`,
   * `WRONG_STATE`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`.
   */
  async change(caller: Caller, whose: Whose, id: string, body: UpdateWebhook): Promise<Webhook> {
    const { webhooks, clock } = this.#deps
    const before = await this.#require(caller, whose, id)
    const fields = {
      name: body.name?.trim() ?? before.name,
      kinds: body.kinds ?? before.kinds,
      withText: body.withText ?? before.withText,
      enabled: body.enabled ?? before.enabled,
    }
    const because = fields.enabled || before.enabled ? null : before.disabledBecause
    const after = changeBy(caller, fields, new Date(clock.now()), because)
    const secrets = body.url === undefined ? null : { url: checkedUrl(body.url), secret: this.#secretOf(before) }
    await webhooks.change(before, after, secrets, actorOf(caller), 'webhook.changed')
    return this.get(caller, whose, id)
  }

  /** Gives it a new secret. What is sent from now on is signed with it. Throws `NOT_FOUND`, `WRONG_STATE`. */
  async rotate(caller: Caller, whose: Whose, id: string): Promise<CreatedWebhook> {
    const { webhooks, clock } = this.#deps
    const before = await this.#require(caller, whose, id)
    const opened = this.#open(before)
    if (!opened) throw new AppError('WRONG_STATE', 'The address of this webhook cannot be read. Set it again first.')
    const secrets = { ...opened, secret: newHookSecret() }
    const after = changeBy(caller, before, new Date(clock.now()), before.disabledBecause)
    await webhooks.change(before, after, secrets, actorOf(caller), 'webhook.rotated')
    return { ...(await this.get(caller, whose, id)), secret: secrets.secret }
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, whose: Whose, id: string): Promise<void> {
    const { webhooks } = this.#deps
    if (!isUuid(id) || !(await webhooks.remove(ownerOf(caller, whose), id, actorOf(caller)))) throw notFound()
  }

  /** Sends a message once and waits for the answer, also if it is switched off. Throws `NOT_FOUND`, `TOO_MANY_REQUESTS`. */
  async test(caller: Caller, whose: Whose, id: string): Promise<WebhookDelivery> {
    const { webhooks, deliveries, deliverer, clock, newId } = this.#deps
    const hook = await this.#require(caller, whose, id)
    const deliveryId = newId()
    const at = new Date(clock.now())
    const body = testBody(deliveryId, at)
    await webhooks.recordSending(hook, 'webhook.tested', actorOf(caller), deliveryId)
    const sent = await deliverer.sendNow(hook, { id: deliveryId, kind: 'test', body })
    await deliveries.addTest({ id: deliveryId, webhookId: id, body, ...sent, createdAt: at, attemptedAt: at })
    return presentDelivery(await this.#requireDelivery(id, deliveryId))
  }

  /** Newest first. Throws `NOT_FOUND`. */
  async deliveries(caller: Caller, whose: Whose, id: string): Promise<WebhookDelivery[]> {
    const { id: webhookId } = await this.#require(caller, whose, id)
    return (await this.#deps.deliveries.of(webhookId)).map(presentDelivery)
  }

  /** Sends a delivery again, with the same id and the same body. Throws `NOT_FOUND`, `WRONG_STATE`. */
  async again(caller: Caller, whose: Whose, id: string, deliveryId: string): Promise<WebhookDelivery> {
    const { webhooks, deliveries, clock } = this.#deps
    const hook = await this.#require(caller, whose, id)
    const delivery = await this.#requireDelivery(id, deliveryId)
    if (!hook.enabled) throw new AppError('WRONG_STATE', 'This webhook is switched off. Switch it on first.')
    if (delivery.state === 'pending') throw new AppError('WRONG_STATE', 'This delivery waits to be sent already.')
    await webhooks.recordSending(hook, 'webhook.sent_again', actorOf(caller), deliveryId)
    await deliveries.again(delivery, new Date(clock.now()))
    return presentDelivery(await this.#requireDelivery(id, deliveryId))
  }

  async #require(caller: Caller, whose: Whose, id: string): Promise<WebhookRow> {
    const row = isUuid(id) ? await this.#deps.webhooks.find(ownerOf(caller, whose), id) : null
    if (!row) throw notFound()
    return row
  }

  async #requireDelivery(webhookId: string, id: string): Promise<DeliveryRow> {
    const row = isUuid(id) ? await this.#deps.deliveries.find(webhookId, id) : null
    if (!row) throw notFound()
    return row
  }

  #open(row: WebhookRow): WebhookSecrets | null {
    const text = this.#deps.vault.open(row)
    // Only this server can have sealed it.
    return text === null ? null : (JSON.parse(text) as WebhookSecrets)
  }

  /** One that cannot be read is replaced, because the user sets the address again. */
  #secretOf(row: WebhookRow): string {
    return this.#open(row)?.secret ?? newHookSecret()
  }

  #present(caller: Caller, row: WebhookRow): Webhook {
    const url = this.#open(row)?.url ?? null
    const { id, name, kinds, withText, enabled, disabledBecause, failingSince, createdAt, updatedAt } = row
    return {
      ...{ id, name, kinds, withText, enabled, disabledBecause },
      url: url === null || allows(caller, 'webhooks.manage') ? url : withoutSecret(url),
      failingSince: failingSince?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    }
  }
}

/** The path of a chat's webhook lets its readers write there, which a token for reading tasks was not made for. */
const withoutSecret = (url: string): string => `${new URL(url).origin}/…`

const ownerOf = ({ userId }: Caller, whose: Whose): string | null => (whose === 'platform' ? null : userId)

const changeBy = (
  caller: Caller,
  { name, kinds, withText, enabled }: WebhookFields,
  updatedAt: Date,
  disabledBecause: string | null,
): WebhookChange => {
  const { kind: via, id: viaId } = proofOf(asHandedIn(caller).via)
  return { name, kinds, withText, enabled, disabledBecause, via, viaId, updatedAt }
}

/** Its host is checked at each delivery, because a name may lead elsewhere then. */
const checkedUrl = (text: string): string => {
  const url = URL.parse(text)
  const wrong = (what: string) => new AppError('VALIDATION', `body.url: ${what}`)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw wrong('must be an address such as https://hooks.example.org/slipway')
  if (url.username || url.password) throw wrong('must not contain a user name or a password')
  if (url.hash) throw wrong('must not have a fragment')
  return url.href
}

const presentDelivery = (row: Omit<DeliveryRow, 'body'>): WebhookDelivery => ({
  id: row.id,
  kind: row.kind,
  taskId: row.runId,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  error: row.error,
  createdAt: row.createdAt.toISOString(),
  attemptedAt: row.attemptedAt?.toISOString() ?? null,
  nextAt: row.nextAt?.toISOString() ?? null,
})
