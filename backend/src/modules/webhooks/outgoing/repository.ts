/** Outgoing webhooks in the database. Each change is recorded. */
import type { WebhookKind } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { notFound } from '../../../lib/errors.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import type { Sealed } from '../../credentials/secret-key/keyring.ts'
import { keyIdForWriting } from '../../credentials/secret-key/repository.ts'
import type { Proof } from '../../identity/caller.ts'
import { asRead, refuseChanged } from '../as-read.ts'
import type { HookVault } from '../vault.ts'

/** Names the lock on the number of the platform's webhooks. */
const PLATFORM_LOCK = 4_700_060

/** What is encrypted of a webhook. Addresses of receivers often have a secret in them. */
export interface WebhookSecrets {
  readonly url: string
  readonly secret: string
}

/** The fields that a user's change decides. */
export interface WebhookFields {
  readonly name: string
  readonly kinds: WebhookKind[]
  readonly withText: boolean
  readonly enabled: boolean
}

/** What is stored with each change. */
export interface WebhookChange extends WebhookFields {
  readonly via: Proof['kind']
  readonly viaId: string
  readonly disabledBecause: string | null
  readonly updatedAt: Date
}

/** A stored webhook. */
export interface WebhookRow extends WebhookChange, Sealed {
  readonly id: string
  /** Null: the platform's. */
  readonly userId: string | null
  readonly failingSince: Date | null
  readonly createdAt: Date
}

/** A webhook to store, with its secrets. */
export type NewWebhook = Omit<WebhookRow, keyof Sealed | 'failingSince'>

/** Why deliveries that wait are not sent any more. */
const SWITCHED_OFF = 'The webhook was switched off.'

export class WebhookRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>
  readonly #vault: HookVault

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>, vault: HookVault) {
    this.#prisma = prisma
    this.#audit = audit
    this.#vault = vault
  }

  /** Oldest first. Few, by the limit of their owner. */
  async of(userId: string | null): Promise<WebhookRow[]> {
    return (await this.#prisma.webhook.findMany({ where: { userId }, orderBy: { id: 'asc' } })) as WebhookRow[]
  }

  async find(userId: string | null, id: string): Promise<WebhookRow | null> {
    return (await this.#prisma.webhook.findFirst({ where: { id, userId } })) as WebhookRow | null
  }

  /** For the platform's own work, never for a request. */
  async byId(id: string): Promise<WebhookRow | null> {
    return (await this.#prisma.webhook.findUnique({ where: { id } })) as WebhookRow | null
  }

  /** False if its owner has `max` already. */
  async create(hook: NewWebhook, secrets: WebhookSecrets, max: number, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      await lockOwner(tx, hook.userId)
      if ((await tx.webhook.count({ where: { userId: hook.userId } })) >= max) return false
      const data = { ...hook, ...this.#vault.seal(await keyIdForWriting(tx), hook, JSON.stringify(secrets)) }
      await tx.webhook.create({ data }).catch((error: unknown) => {
        if (isForeignKeyViolation(error)) throw notFound()
        throw error
      })
      const detail = { ...factsOf(hook), changes: changesOf('Webhook', null, data) }
      await this.#audit.record(tx, { actor, action: 'webhook.created', target: targetOf(hook), detail })
      return true
    })
  }

  /** `secrets` is null if they stay. What waits is not sent if it is switched off. Throws `NOT_FOUND`, `WRONG_STATE`. */
  async change(
    before: WebhookRow,
    after: WebhookChange,
    secrets: WebhookSecrets | null,
    actor: Actor,
    action: 'webhook.changed' | 'webhook.rotated',
  ): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const sealed = secrets && this.#vault.seal(await keyIdForWriting(tx), before, JSON.stringify(secrets))
      const data = { ...after, ...sealed, ...(!before.enabled && after.enabled && { failingSince: null }) }
      const { count } = await tx.webhook.updateMany({ where: asRead(before), data })
      if (count === 0) refuseChanged(await tx.webhook.count({ where: { id: before.id } }))
      if (!after.enabled) await giveUp(tx, before.id, SWITCHED_OFF)
      const detail = { ...factsOf(before), changes: changesOf('Webhook', before, { ...before, ...data }) }
      const target = { id: before.id, name: after.name }
      await this.#audit.record(tx, { actor, action, target, detail })
    })
  }

  /** False if the owner has no such webhook. */
  async remove(userId: string | null, id: string, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await tx.webhook.findFirst({ where: { id, userId } })
      const { count } = await tx.webhook.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return false
      const detail = { ...factsOf(row), changes: changesOf('Webhook', row, null) }
      await this.#audit.record(tx, { actor, action: 'webhook.removed', target: targetOf(row), detail })
      return true
    })
  }

  /** Switches it off for its owner, with a reason, unless another proof took it over meanwhile. What waits is not sent. */
  async disable(row: WebhookRow, because: string, at: Date): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const data = { enabled: false, disabledBecause: because, updatedAt: at }
      const { id, via, viaId } = row
      const { count } = await tx.webhook.updateMany({ where: { id, enabled: true, via, viaId }, data })
      if (count === 0) return
      await giveUp(tx, row.id, because)
      const changes = changesOf('Webhook', { enabled: true }, { enabled: false })
      const entry = { actor: PLATFORM, action: 'webhook.disabled', target: targetOf(row) } as const
      await this.#audit.record(tx, { ...entry, detail: { ...factsOf(row), changes, because } })
    })
  }

  /** Records an act that sends something. */
  async recordSending(
    row: WebhookRow,
    action: 'webhook.tested' | 'webhook.sent_again',
    actor: Actor,
    deliveryId: string,
  ) {
    const detail = { ...factsOf(row), deliveryId }
    await this.#audit.record(this.#prisma, { actor, action, target: targetOf(row), detail })
  }
}

/** Two concurrent requests cannot both create the last one. */
const lockOwner = (tx: Prisma.TransactionClient, userId: string | null): Promise<number> =>
  userId === null
    ? tx.$executeRaw`SELECT pg_advisory_xact_lock(${PLATFORM_LOCK}::bigint)`
    : tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`

const giveUp = (tx: Prisma.TransactionClient, webhookId: string, error: string) =>
  tx.webhookDelivery.updateMany({
    where: { webhookId, state: 'pending' },
    data: { state: 'failed', nextAt: null, error },
  })

const targetOf = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name })
const factsOf = ({ userId }: { readonly userId: string | null }) => ({
  direction: 'outgoing',
  of: userId === null ? 'platform' : 'user',
})
