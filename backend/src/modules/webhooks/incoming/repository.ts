/** Incoming webhooks in the database. Each change is recorded. */
import type { HookSource } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { notFound } from '../../../lib/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import type { Sealed } from '../../credentials/secret-key/keyring.ts'
import { keyIdForWriting } from '../../credentials/secret-key/repository.ts'
import type { Proof } from '../../identity/caller.ts'
import { lineRefusal } from '../../runs/line/repository.ts'
import { newRow } from '../../runs/repository.ts'
import type { Plan } from '../../runs/start/plan.ts'
import { asRead, refuseChanged } from '../as-read.ts'
import type { HookVault } from '../vault.ts'
import type { StoredTask } from '../../runs/stored-task.ts'

/** The fields that a user chooses. */
export interface IncomingFields extends StoredTask {
  readonly name: string
  readonly source: HookSource
  readonly events: string[]
  readonly enabled: boolean
}

/** What a user's change decides. */
export interface IncomingChange extends IncomingFields {
  readonly agentId: string
  /** How the user of the change had authenticated. */
  readonly via: Proof['kind']
  readonly viaId: string
  readonly disabledBecause: string | null
  readonly updatedAt: Date
}

/** One to store, without its secret. */
export interface NewIncoming extends IncomingChange {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
}

/** A stored one. */
export interface IncomingRow extends NewIncoming, Sealed {
  readonly agent: { readonly name: string }
  readonly lastAt: Date | null
  readonly lastRunId: string | null
  readonly lastRefused: string | null
}

/** The same without the name of its agent. */
export type CalledHook = Omit<IncomingRow, 'agent'>

/** A call that is to start a task. */
export interface Starting {
  readonly plan: Pick<Plan, 'run' | 'found'>
  readonly actor: Actor
  readonly at: Date
}

const include = { agent: { select: { name: true } } } as const

export class IncomingRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>
  readonly #vault: HookVault

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>, vault: HookVault) {
    this.#prisma = prisma
    this.#audit = audit
    this.#vault = vault
  }

  /** Oldest first. Few, by the limit of their user. */
  async of(userId: string): Promise<IncomingRow[]> {
    const rows = await this.#prisma.incomingHook.findMany({ where: { userId }, include, orderBy: { id: 'asc' } })
    return rows as IncomingRow[]
  }

  async find(userId: string, id: string): Promise<IncomingRow | null> {
    return (await this.#prisma.incomingHook.findFirst({ where: { id, userId }, include })) as IncomingRow | null
  }

  /**
   * For calls, which prove the secret. It is one query whether there is such a webhook or not, so that the time of an answer
   * does not tell.
   */
  async byId(id: string): Promise<CalledHook | null> {
    return (await this.#prisma.incomingHook.findUnique({ where: { id } })) as CalledHook | null
  }

  /** Those that are switched on: of a user, of a user in an agent, or of a proof. */
  async enabledOf(of: Pick<Prisma.IncomingHookWhereInput, 'userId' | 'agentId' | 'viaId'>): Promise<IncomingRow[]> {
    return (await this.#prisma.incomingHook.findMany({ where: { ...of, enabled: true }, include })) as IncomingRow[]
  }

  /** False if the user has `max` already. Throws `NOT_FOUND` if the agent is gone. */
  async create(hook: NewIncoming, secret: string, max: number, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      // Two concurrent requests cannot both create the last one.
      await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${hook.userId}::uuid FOR UPDATE`
      if ((await tx.incomingHook.count({ where: { userId: hook.userId } })) >= max) return false
      const data = { ...hook, ...this.#vault.seal(await keyIdForWriting(tx), hook, secret) }
      await tx.incomingHook.create({ data }).catch(refuseGone)
      const detail = { ...FACTS, changes: changesOf('IncomingHook', null, data) }
      await this.#audit.record(tx, { actor, action: 'webhook.created', target: targetOf(hook), detail })
      return true
    })
  }

  /** `secret` is null if it stays. Throws `NOT_FOUND` if it or its agent is gone, and `WRONG_STATE`. */
  async change(before: IncomingRow, after: IncomingChange, secret: string | null, actor: Actor): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const sealed = secret === null ? null : this.#vault.seal(await keyIdForWriting(tx), before, secret)
      const data = { ...after, ...sealed }
      const { count } = await tx.incomingHook.updateMany({ where: asRead(before), data }).catch(refuseGone)
      if (count === 0) refuseChanged(await tx.incomingHook.count({ where: { id: before.id } }))
      const detail = { ...FACTS, changes: changesOf('IncomingHook', before, { ...before, ...data }) }
      const action = secret === null ? 'webhook.changed' : 'webhook.rotated'
      await this.#audit.record(tx, { actor, action, target: { id: before.id, name: after.name }, detail })
    })
  }

  /** Its tasks go on. False if the user has no such webhook. */
  async remove(userId: string, id: string, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await tx.incomingHook.findFirst({ where: { id, userId } })
      const { count } = await tx.incomingHook.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return false
      const detail = { ...FACTS, changes: changesOf('IncomingHook', row, null) }
      await this.#audit.record(tx, { actor, action: 'webhook.removed', target: targetOf(row), detail })
      return true
    })
  }

  /** Switches it off for its user, with a reason, unless it was moved or another proof took it over meanwhile. */
  async disable(row: CalledHook, because: string, at: Date): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const data = { enabled: false, disabledBecause: because, updatedAt: at }
      const { id, agentId, via, viaId } = row
      const where = { id, enabled: true, agentId, via, viaId }
      const { count } = await tx.incomingHook.updateMany({ where, data })
      if (count === 0) return
      const changes = changesOf('IncomingHook', { enabled: true }, { enabled: false })
      const entry = { actor: PLATFORM, action: 'webhook.disabled', target: targetOf(row) } as const
      await this.#audit.record(tx, { ...entry, detail: { ...FACTS, changes, because } })
    })
  }

  /** Says why a call started no task. */
  async refused(row: CalledHook, because: string, at: Date): Promise<void> {
    const data = { lastAt: at, lastRunId: null, lastRefused: because }
    await this.#prisma.incomingHook.updateMany({ where: asCalled(row), data })
  }

  /**
   * Stores the task of a call, which the line starts. False if an earlier call with the same delivery stored it: its id
   * comes from the delivery. Throws what is in the way, and `NOT_FOUND` if the webhook was deleted, switched off or rotated
   * after the call was proven.
   */
  async start(row: CalledHook, { plan: { run, found }, actor, at }: Starting): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      // It locks the user, so that of two calls at once the second one finds the task.
      const refusal = await lineRefusal(tx, row.userId)
      if ((await tx.codingRun.count({ where: { id: run.id } })) > 0) return false
      if (refusal) throw refusal
      const facts = { sessionId: run.id, taskId: run.id, provider: run.provider, relation: found.relation }
      const by = { webhookId: row.id, webhook: row.name }
      await this.#audit.record(tx, { actor, action: 'task.queued', ...agentEvent(found.row, { ...facts, ...by }) })
      await tx.codingRun.create({ data: newRow({ ...run, cliSessionId: null }, 'queued') })
      const last = { lastAt: at, lastRunId: run.id, lastRefused: null }
      // Last, because the deletion of an agent locks the agent before its webhooks.
      const { count } = await tx.incomingHook.updateMany({ where: asCalled(row), data: last })
      if (count === 0) throw notFound()
      return true
    })
  }
}

/** Finds the webhook if it still takes calls with the secret that the call has proven. */
const asCalled = ({ id, sealed }: CalledHook) => ({ id, enabled: true, sealed })

/** The agent was deleted meanwhile. */
const refuseGone = (error: unknown): never => {
  if (isForeignKeyViolation(error)) throw notFound()
  throw error
}

const FACTS = { direction: 'incoming', of: 'user' }
const targetOf = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name })
