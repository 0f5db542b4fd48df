/** Deliveries in the database. */
import { type DeliveryState, WEBHOOK_DELIVERIES_KEPT, type WebhookDelivery } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { SKEW_MAX_MS } from '../../../lib/time/clock.ts'
import { PENDING_MAX } from '../bounds.ts'

/** Most deliveries of one look. */
const BATCH = 100

/** A stored delivery. */
export interface DeliveryRow {
  readonly id: string
  readonly webhookId: string
  readonly kind: WebhookDelivery['kind']
  readonly runId: string | null
  readonly body: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAt: Date | null
  readonly attemptedAt: Date | null
  readonly status: number | null
  readonly error: string | null
  readonly createdAt: Date
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string
  readonly webhookId: string
  readonly userId: string | null
}

/** What became of an attempt. */
export interface Attempted {
  readonly status: number | null
  /** Null if the receiver took it. */
  readonly error: string | null
}

export class DeliveryRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Newest first, without their bodies: those that wait, and the last {@link WEBHOOK_DELIVERIES_KEPT} of the others. */
  async of(webhookId: string): Promise<Omit<DeliveryRow, 'body'>[]> {
    const rows = await this.#prisma.webhookDelivery.findMany({
      where: { webhookId },
      omit: { body: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: PENDING_MAX + WEBHOOK_DELIVERIES_KEPT,
    })
    return rows as Omit<DeliveryRow, 'body'>[]
  }

  async find(webhookId: string, id: string): Promise<DeliveryRow | null> {
    return (await this.#prisma.webhookDelivery.findFirst({ where: { id, webhookId } })) as DeliveryRow | null
  }

  /**
   * The first one that is due of each webhook, but of none of these; at most {@link BATCH}. The first webhook of each user
   * comes before the second one of any, so that no user's backlog keeps another user out. Those whose receivers are away
   * come last: they wait for their time-outs again and again, and no other webhook waits for them. A delivery is also due if
   * the moment of its last attempt, or of its making, is of a clock that was set back.
   */
  async due(now: Date, busy: readonly string[]): Promise<DueDelivery[]> {
    const ahead = aheadOf(now)
    return this.#prisma.$queryRaw<DueDelivery[]>`
      SELECT "id", "webhookId", "userId" FROM (
        SELECT *, ROW_NUMBER() OVER (
          PARTITION BY "userId" ORDER BY "failingSince" IS NOT NULL, "nextAt", "id") AS "turn"
        FROM (
          SELECT DISTINCT ON (d."webhookId") d."id", d."webhookId", d."nextAt", w."userId", w."failingSince"
          FROM "WebhookDelivery" d JOIN "Webhook" w ON w."id" = d."webhookId" AND w."enabled"
          WHERE d."nextAt" IS NOT NULL AND (d."nextAt" <= ${now} OR COALESCE(d."attemptedAt", d."createdAt") > ${ahead})
            AND NOT d."webhookId" = ANY(${busy}::uuid[])
          ORDER BY d."webhookId", d."nextAt", d."id") AS first) AS turns
      ORDER BY "failingSince" IS NOT NULL, "turn", "nextAt", "id" LIMIT ${BATCH}`
  }

  /** Of two servers that attempt it at once, one gets it. If that one is killed, the next attempt is at `nextAt`. */
  async claim({ id, attempts }: DeliveryRow, now: Date, nextAt: Date): Promise<boolean> {
    const ahead = { gt: aheadOf(now) }
    const isDue = [{ nextAt: { lte: now } }, { attemptedAt: ahead }, { attemptedAt: null, createdAt: ahead }]
    const { count } = await this.#prisma.webhookDelivery.updateMany({
      where: { id, attempts, state: 'pending', OR: isDue },
      data: { attempts: attempts + 1, attemptedAt: now, nextAt, status: null, error: null },
    })
    return count > 0
  }

  /** `isOver`: there is no further attempt. */
  async attempted(
    { id, webhookId }: DeliveryRow,
    { status, error }: Attempted,
    isOver: boolean,
    at: Date,
  ): Promise<void> {
    const state = error === null ? 'delivered' : isOver ? 'failed' : 'pending'
    await this.#prisma.$transaction(async (tx) => {
      // The webhook first, as its deletion does: in the other order the two would wait for each other.
      if (error === null) await tx.webhook.updateMany({ where: { id: webhookId }, data: { failingSince: null } })
      else await tx.webhook.updateMany({ where: { id: webhookId, failingSince: null }, data: { failingSince: at } })
      const data = { status, error, state, ...(state !== 'pending' && { nextAt: null }) }
      await tx.webhookDelivery.updateMany({ where: { id, state: 'pending' }, data })
    })
    if (state !== 'pending') await this.#prune(webhookId)
  }

  /** It is over at once and was not sent, so it says nothing about the receiver. */
  async refused({ id, webhookId }: DeliveryRow, error: string): Promise<void> {
    const data = { status: null, error, state: 'failed', nextAt: null }
    await this.#prisma.webhookDelivery.updateMany({ where: { id, state: 'pending' }, data })
    await this.#prune(webhookId)
  }

  /** Stores a test that is over. */
  async addTest(row: Omit<DeliveryRow, 'kind' | 'runId' | 'attempts' | 'nextAt' | 'state'>): Promise<void> {
    const state = row.error === null ? 'delivered' : 'failed'
    await this.#prisma.webhookDelivery.create({ data: { ...row, kind: 'test', attempts: 1, state } })
    await this.#prune(row.webhookId)
  }

  /** Begins anew with its attempts. False if it is gone, or if it waits to be sent. */
  async again({ id, webhookId }: DeliveryRow, now: Date): Promise<boolean> {
    const { count } = await this.#prisma.webhookDelivery.updateMany({
      where: { id, webhookId, state: { not: 'pending' } },
      data: { state: 'pending', attempts: 0, nextAt: now, status: null, error: null },
    })
    return count > 0
  }

  async countPending(webhookId: string): Promise<number> {
    return this.#prisma.webhookDelivery.count({ where: { webhookId, state: 'pending' } })
  }

  /**
   * Removes all but the last {@link WEBHOOK_DELIVERIES_KEPT} that are over. The last attempt counts: a delivery that is
   * given up after a day is older than those that succeeded meanwhile.
   */
  async #prune(webhookId: string): Promise<void> {
    await this.#prisma.$executeRaw`
      DELETE FROM "WebhookDelivery" WHERE "id" IN (
        SELECT "id" FROM "WebhookDelivery" WHERE "webhookId" = ${webhookId}::uuid AND "state" <> 'pending'
        ORDER BY COALESCE("attemptedAt", "createdAt") DESC, "id" DESC OFFSET ${WEBHOOK_DELIVERIES_KEPT})`
  }
}

/** What is later is of a clock that was set back since. */
const aheadOf = (now: Date): Date => new Date(now.getTime() + SKEW_MAX_MS)
