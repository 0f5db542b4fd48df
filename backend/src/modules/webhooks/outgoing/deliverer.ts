/** Sends deliveries to webhooks, and tries again where that fails. */
import { type Clock, HOUR_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import type { Caller } from '../../identity/caller.ts'
import { askStatus } from '../../credentials/probe/ask.ts'
import { ForbiddenAddressError, type Networks } from '../../credentials/probe/networks.ts'
import {
  AT_ONCE,
  AT_ONCE_PER_USER,
  ATTEMPTS_MAX,
  CROWDED,
  DELIVERY_TIMEOUT_MS,
  FAILING_MAX_MS,
  PAUSES_MS,
  PENDING_MAX,
} from '../bounds.ts'
import type { WebhookMetrics } from '../metrics.ts'
import type { HookVault } from '../vault.ts'
import type { Attempted, DeliveryRepository, DeliveryRow, DueDelivery } from './delivery-repository.ts'
import type { WebhookRepository, WebhookRow, WebhookSecrets } from './repository.ts'
import { headersOf } from './signature.ts'
import { Turns } from './turns.ts'

export interface DelivererDeps {
  readonly webhooks: Pick<WebhookRepository, 'byId' | 'disable'>
  readonly deliveries: Pick<DeliveryRepository, 'due' | 'find' | 'claim' | 'attempted' | 'refused' | 'countPending'>
  readonly vault: Pick<HookVault, 'open'>
  readonly networks: Pick<Networks, 'checkLiteral' | 'lookup'>
  readonly authenticator: Pick<Authenticator, 'again'>
  /** Rejects with an `AppError` if the caller may not see the task. */
  readonly requireTask: (caller: Caller, id: string) => Promise<unknown>
  /** Called when there is room for the next delivery. */
  readonly freed: () => void
  readonly metrics: WebhookMetrics
  readonly clock: Clock
  readonly log: Log
}

/** What is sent. */
type Sending = Pick<DeliveryRow, 'id' | 'kind' | 'body'>

const NOT_SENT =
  'The host is not known, or its address is not public. An admin can allow it with SLIPWAY_WEBHOOK_HOSTS.'
const UNREADABLE = 'The address cannot be read, because the server has another secret key. Set it again.'
const RIGHT_LOST = 'Its user or its API token may no longer see tasks.'

export class Deliverer {
  readonly #deps: DelivererDeps
  /** The webhooks that something is sent to now, with their users. One delivery of each at a time keeps their order. */
  readonly #busy = new Map<string, string | null>()
  readonly #sending = new Set<Promise<void>>()
  readonly #turns = new Turns()
  readonly #stopping = new AbortController()

  constructor(deps: DelivererDeps) {
    this.#deps = deps
  }

  /** Begins what is due, as far as there is room. */
  async look(): Promise<void> {
    const { deliveries, clock } = this.#deps
    const due = await deliveries.due(new Date(clock.now()), [...this.#busy.keys()])
    this.#turns.keep([...due.map(({ userId }) => userId), ...this.#busy.values()])
    for (const one of this.#turns.inOrder(due)) {
      if (this.#stopping.signal.aborted) return
      if (this.#hasRoom(one)) this.#begin(one)
    }
  }

  /** Gives up what is being sent. It is tried again later. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#sending)
  }

  /** Sends once, and answers what became of it. Throws `TOO_MANY_REQUESTS`. */
  async sendNow(hook: WebhookRow, sending: Sending): Promise<Attempted> {
    if (!this.#hasRoom({ webhookId: hook.id, userId: hook.userId }))
      throw new AppError('TOO_MANY_REQUESTS', 'Something is being sent to this webhook. Try again in a moment.', {
        retryAfterSeconds: DELIVERY_TIMEOUT_MS / 1000,
      })
    this.#busy.set(hook.id, hook.userId)
    const sent = await this.#send(hook, sending).finally(() => this.#busy.delete(hook.id))
    return sent ?? { status: null, error: 'The server is being stopped.' }
  }

  #hasRoom({ webhookId, userId }: Pick<DueDelivery, 'webhookId' | 'userId'>): boolean {
    if (this.#busy.size >= AT_ONCE || this.#busy.has(webhookId)) return false
    const ofUser = [...this.#busy.values()].filter((one) => one === userId).length
    return userId === null || ofUser < (this.#busy.size < CROWDED ? AT_ONCE_PER_USER : 1)
  }

  #begin({ id, webhookId, userId }: DueDelivery): void {
    const { log } = this.#deps
    this.#busy.set(webhookId, userId)
    this.#turns.took(userId)
    const sending = this.#deliver(webhookId, id)
      .catch((error: unknown) => log.error({ deliveryId: id, err: error }, 'a delivery to a webhook failed'))
      .finally(() => {
        this.#busy.delete(webhookId)
        this.#sending.delete(sending)
        this.#deps.freed()
      })
    this.#sending.add(sending)
  }

  async #deliver(webhookId: string, id: string): Promise<void> {
    const { webhooks, deliveries, metrics, clock } = this.#deps
    const [hook, delivery] = await Promise.all([webhooks.byId(webhookId), deliveries.find(webhookId, id)])
    if (!hook?.enabled || !delivery) return
    const now = clock.now()
    const pause = PAUSES_MS[delivery.attempts] ?? HOUR_MS
    if (!(await deliveries.claim(delivery, new Date(now), new Date(now + pause)))) return
    if (!(await this.#mayTell(hook))) return void (await webhooks.disable(hook, RIGHT_LOST, new Date(now)))
    const refusal = await this.#refusal(hook, delivery)
    // Its receiver was not asked.
    if (refusal !== null) return deliveries.refused(delivery, refusal)
    const sent = await this.#send(hook, delivery)
    // Stopped in the middle.
    if (!sent) return
    const isOver = sent.error !== null && delivery.attempts + 1 >= ATTEMPTS_MAX
    const at = new Date(clock.now())
    await deliveries.attempted(delivery, sent, isOver, at)
    metrics.sent(sent.error === null ? 'delivered' : isOver ? 'failed' : 'retried')
    await this.#disableIfHopeless(hook, sent, isOver, at)
  }

  async #disableIfHopeless({ id }: WebhookRow, { error }: Attempted, isOver: boolean, at: Date): Promise<void> {
    const { webhooks, deliveries } = this.#deps
    const hook = await webhooks.byId(id)
    if (!hook) return
    const failing = hook.failingSince === null ? 0 : at.getTime() - hook.failingSince.getTime()
    if (isOver && failing >= FAILING_MAX_MS)
      return webhooks.disable(
        hook,
        `No delivery has succeeded for ${FAILING_MAX_MS / (24 * HOUR_MS)} days. ${error}`,
        at,
      )
    if ((await deliveries.countPending(id)) > PENDING_MAX)
      await webhooks.disable(hook, `More than ${PENDING_MAX} deliveries waited to be sent.`, at)
  }

  /** Whether its user's proof is still valid. The platform's own webhook depends on no user. */
  async #mayTell({ userId, via, viaId }: WebhookRow): Promise<boolean> {
    return userId === null || (await this.#deps.authenticator.again(userId, { kind: via, id: viaId })) !== null
  }

  /** Why its user may not hear of this task, or null. */
  async #refusal({ userId, via, viaId }: WebhookRow, { runId }: DeliveryRow): Promise<string | null> {
    if (userId === null || runId === null) return null
    const caller = await this.#deps.authenticator.again(userId, { kind: via, id: viaId })
    if (!caller) return RIGHT_LOST
    try {
      await this.#deps.requireTask(caller, runId)
      return null
    } catch (error) {
      if (error instanceof AppError) return `The task may not be seen: ${error.message}`
      throw error
    }
  }

  /** Null if it was stopped in the middle. */
  async #send(hook: WebhookRow, { id, kind, body }: Sending): Promise<Attempted | null> {
    const { vault, networks, clock } = this.#deps
    const text = vault.open(hook)
    if (text === null) return { status: null, error: UNREADABLE }
    // Only this server can have sealed it.
    const { url, secret } = JSON.parse(text) as WebhookSecrets
    const { signal } = this.#stopping
    try {
      const headers = headersOf({ id, kind, body, secret, now: clock.now() })
      const status = await askStatus({ url: new URL(url), headers, body, signal }, networks, DELIVERY_TIMEOUT_MS)
      if (status >= 200 && status < 300) return { status, error: null }
      const isRedirect = status >= 300 && status < 400
      return { status, error: isRedirect ? 'Redirects are not followed.' : 'The receiver refused it.' }
    } catch (error) {
      if (signal.aborted) return null
      return { status: null, error: sentenceOf(error) }
    }
  }
}

/** Never the words of the receiver, and never the address. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof ForbiddenAddressError) return NOT_SENT
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'AbortError' || name === 'TimeoutError')
    return `The receiver did not answer within ${DELIVERY_TIMEOUT_MS / 1000} seconds.`
  return code === undefined ? 'The connection failed.' : `The connection failed: ${code}.`
}
