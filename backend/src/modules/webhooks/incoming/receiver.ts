/** Takes calls to incoming webhooks, and starts their tasks. */
import { createHash, randomUUID } from 'node:crypto'
import { type CodingSession, type HookReceipt, INCOMING_PER_MINUTE } from '@slipway/protocol'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import { newSecret } from '../../../lib/secrets/secrets.ts'
import type { Loss } from '../../access/loss.ts'
import type { Found } from '../../agents/service.ts'
import type { Source } from '../../audit/actor.ts'
import { actorOf } from '../../identity/caller.ts'
import { concernedBy } from '../../runs/schedules/scheduler.ts'
import type { RunPlanner } from '../../runs/start/plan.ts'
import type { Standing } from '../../sessions/recovery/reinstate.ts'
import type { WebhookMetrics } from '../metrics.ts'
import type { HookVault } from '../vault.ts'
import { requestOf } from '../../runs/stored-task.ts'
import { type Call, deliveryOf, eventOf, isProven } from './proof.ts'
import type { CalledHook, IncomingRepository } from './repository.ts'
import { continuesNone } from './service.ts'
import { filled } from './template.ts'

export interface ReceiverDeps {
  readonly hooks: Pick<IncomingRepository, 'byId' | 'start' | 'refused' | 'disable' | 'enabledOf'>
  readonly vault: Pick<HookVault, 'open'>
  readonly planner: Pick<RunPlanner, 'plan'>
  /** The user's current rights, or null. */
  readonly mayStill: (run: Standing) => Promise<Found | null>
  /** Tells about the new task, and answers it. */
  readonly announce: (agentId: string, runId: string) => Promise<CodingSession>
  readonly metrics: WebhookMetrics
  readonly clock: Clock
}

/** Compared where there is no webhook, so that the answer takes as long. */
const DECOY = newSecret()
/** GitHub tries a new webhook with it. */
const PING = 'ping'
/** Longest name of an event in the reason of an ignored call, in UTF-16 code units. */
const EVENT_SHOWN = 100
const IGNORED = 'This webhook does not start tasks for this event.'
const RIGHT_LOST = 'Its user or its API token may no longer start tasks in this agent.'

export class HookReceiver {
  readonly #deps: ReceiverDeps
  /** The calls of the present minute that may start a task, by webhook. They have the right secret, so there are few. */
  readonly #counts = new Map<string, number>()
  #minute = 0

  constructor(deps: ReceiverDeps) {
    this.#deps = deps
  }

  /** Throws `NOT_FOUND` for whatever is wrong with the address or its proof, `TOO_MANY_REQUESTS`, `VALIDATION`, `TOO_MANY_TASKS`. */
  async receive(address: string, { headers, body }: Omit<Call, 'urlSecret'>, source: Source): Promise<HookReceipt> {
    const { metrics } = this.#deps
    const [id = '', urlSecret = ''] = address.split('.')
    const call = { headers, body, urlSecret }
    const hook = await this.#proven(id, call)
    const event = eventOf(hook.source, call)
    const isWanted = hook.events.length === 0 ? event !== PING : event !== null && hook.events.includes(event)
    if (hook.source !== 'url' && !isWanted) {
      metrics.received('ignored')
      await this.#noteFirst(hook, event)
      return { taskId: null, ignored: IGNORED }
    }
    this.#count(hook.id)
    return this.#start(hook, call, source)
  }

  /** Switches off the webhooks whose right is lost. */
  async lost(loss: Loss): Promise<void> {
    const of = concernedBy(loss)
    if (of === null) return
    for (const row of await this.#deps.hooks.enabledOf(of)) if (!(await this.#found(row))) await this.#disable(row)
  }

  async #proven(id: string, call: Call): Promise<CalledHook> {
    const { hooks, vault } = this.#deps
    const hook = isUuid(id) ? await hooks.byId(id) : null
    const secret = hook && vault.open(hook)
    const proven = isProven(hook?.source ?? 'github', secret ?? DECOY, call)
    if (!hook?.enabled || secret === null || !proven) throw notFound()
    return hook
  }

  /** The first call of a new webhook says that its address and its secret are right, also if it starts no task. */
  async #noteFirst(hook: CalledHook, event: string | null): Promise<void> {
    if (hook.lastAt !== null) return
    const named = event === null ? '' : ` The event was ${event.slice(0, EVENT_SHOWN)}.`
    await this.#deps.hooks.refused(hook, `${IGNORED}${named}`, new Date(this.#deps.clock.now()))
  }

  #count(id: string): void {
    const now = this.#deps.clock.now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#counts.clear()
    this.#minute = minute
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    if (count > INCOMING_PER_MINUTE)
      throw new AppError('TOO_MANY_REQUESTS', `A webhook takes ${INCOMING_PER_MINUTE} calls in a minute.`, {
        retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE_MS - now) / SECOND_MS),
      })
  }

  async #start(hook: CalledHook, call: Call, source: Source): Promise<HookReceipt> {
    const { hooks, planner, announce, metrics, clock } = this.#deps
    const found = await this.#found(hook)
    if (!found) {
      await this.#disable(hook)
      throw notFound()
    }
    const at = new Date(clock.now())
    const taskId = taskIdOf(hook.id, deliveryOf(hook.source, call))
    try {
      const prompt = filled(hook.prompt, payloadOf(call.body))
      const plan = await planner.plan(
        found.caller,
        requestOf({ ...hook, prompt }, found.row.name),
        taskId,
        continuesNone,
      )
      const actor = actorOf({ ...found.caller, source })
      const isNew = await hooks.start(hook, { plan, actor, at })
      metrics.received(isNew ? 'started' : 'duplicate')
      if (isNew) await announce(found.row.id, taskId)
      return { taskId, ignored: null }
    } catch (error) {
      metrics.received('refused')
      if (error instanceof AppError) await hooks.refused(hook, error.message, at)
      throw error
    }
  }

  #found({ userId, agentId, via, viaId }: CalledHook): Promise<Found | null> {
    return this.#deps.mayStill({ userId, agentId, via: { kind: via, id: viaId } })
  }

  async #disable(hook: CalledHook): Promise<void> {
    await this.#deps.hooks.disable(hook, RIGHT_LOST, new Date(this.#deps.clock.now()))
  }
}

/** The id of the task comes from the delivery, so a delivery that comes again finds the task of the first time. */
const taskIdOf = (hookId: string, delivery: string | null): string => {
  if (delivery === null) return randomUUID()
  const hash = createHash('sha256').update(`${hookId} ${delivery}`).digest('hex')
  // A UUID of version 8 (RFC 9562, 5.8): its other bits are free.
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `${variant}${hash.slice(17, 20)}`]
  return [...parts, hash.slice(20, 32)].join('-')
}

const payloadOf = (body: Buffer): unknown => {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    throw new AppError(
      'VALIDATION',
      'The payload must be JSON. Set the content type of the webhook to application/json.',
    )
  }
}
