/** Stores deliveries in the transaction of what they tell. */
import type { Prisma } from '../../../database/generated/client.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { RunNewsKind, RunOutbox } from '../../runs/outbox/repository.ts'
import { bodyOf, TEXTS, TOLD } from './body.ts'

interface Deps {
  readonly newId: NewId
  readonly clock: Clock
  /** The address of the server for users. */
  readonly baseUrl: () => string
}

/** A webhook that hears of it. */
interface Listening {
  readonly id: string
  readonly withText: boolean
}

export class WebhookOutbox implements RunOutbox {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async store(tx: Prisma.TransactionClient, { id, userId }: { id: string; userId: string }, kind: RunNewsKind) {
    // Locked against removal, which would make the whole transaction fail.
    const hooks = await tx.$queryRaw<Listening[]>`
      SELECT "id", "withText" FROM "Webhook"
      WHERE "enabled" AND ("userId" = ${userId}::uuid OR "userId" IS NULL) AND ${kind} = ANY("kinds")
      FOR KEY SHARE`
    if (hooks.length === 0) return
    const { newId, clock, baseUrl } = this.#deps
    const run = await tx.codingRun.findUniqueOrThrow({ where: { id }, select: TOLD })
    const isTextWanted = hooks.some(({ withText }) => withText)
    const texts = isTextWanted ? await tx.codingRun.findUnique({ where: { id }, select: TEXTS }) : null
    const at = new Date(clock.now())
    const data = hooks.map(({ id: webhookId, withText }) => {
      const deliveryId = newId()
      const body = bodyOf({ deliveryId, kind, at, run, texts: withText ? texts : null, baseUrl: baseUrl() })
      return { id: deliveryId, webhookId, kind, runId: id, body, state: 'pending', nextAt: at, createdAt: at }
    })
    await tx.webhookDelivery.createMany({ data })
  }
}
