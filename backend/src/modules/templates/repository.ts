/** Templates in the database. Every query names their owner, and each change is recorded. */
import { TEMPLATE_SHOWN } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { notFound } from '../../lib/errors.ts'
import type { Actor } from '../audit/actor.ts'
import type { Audit } from '../audit/audit.ts'
import { changesOf } from '../audit/audited.ts'
import { recorded } from '../audit/recorded-repository.ts'

/** Names the lock on the platform's templates. */
const PLATFORM_LOCK = 4_700_063

/** A stored template. */
export interface TemplateRow {
  readonly id: string
  /** Null: the platform's. */
  readonly userId: string | null
  readonly name: string
  readonly prompt: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What keeps a template from being stored. */
export type Obstacle = 'name_taken' | 'too_many'

export class TemplateRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Those of the user and of the platform, by name. Of a prompt one character more than the list shows. */
  async visibleTo(userId: string): Promise<TemplateRow[]> {
    return this.#prisma.$queryRaw<TemplateRow[]>`
      SELECT "id", "userId", "name", left("prompt", ${TEMPLATE_SHOWN + 1}) AS "prompt", "createdAt", "updatedAt"
      FROM "PromptTemplate" WHERE "userId" = ${userId}::uuid OR "userId" IS NULL
      ORDER BY lower("name"), "id"`
  }

  /** One of the user or of the platform. */
  async findVisible(userId: string, id: string): Promise<TemplateRow | null> {
    return this.#prisma.promptTemplate.findFirst({ where: { id, OR: [{ userId }, { userId: null }] } })
  }

  /** Answers what is in the way if the owner has `max` already, or one of this name. */
  async create(row: TemplateRow, max: number, actor: Actor): Promise<Obstacle | null> {
    return this.#prisma.$transaction(async (tx) => {
      await lockOwner(tx, row.userId)
      if ((await tx.promptTemplate.count({ where: { userId: row.userId } })) >= max) return 'too_many'
      if (await hasName(tx, row)) return 'name_taken'
      await tx.promptTemplate.create({ data: { ...row } }).catch((error: unknown) => {
        if (isForeignKeyViolation(error)) throw notFound()
        throw error
      })
      const detail = { ...factsOf(row), changes: changesOf('PromptTemplate', null, row) }
      await this.#audit.record(tx, { actor, action: 'template.created', target: targetOf(row), detail })
      return null
    })
  }

  /** Stores what `change` makes of it, and answers that. Null if the owner has none with this id. */
  async change(
    userId: string | null,
    id: string,
    change: (before: TemplateRow) => TemplateRow,
    actor: Actor,
  ): Promise<TemplateRow | Obstacle | null> {
    return this.#prisma.$transaction(async (tx) => {
      await lockOwner(tx, userId)
      const before = await tx.promptTemplate.findFirst({ where: { id, userId } })
      if (!before) return null
      const after = change(before)
      if (await hasName(tx, after)) return 'name_taken'
      await tx.promptTemplate.update({ where: { id }, data: { ...after } })
      const detail = { ...factsOf(after), changes: changesOf('PromptTemplate', before, after) }
      await this.#audit.record(tx, { actor, action: 'template.changed', target: targetOf(after), detail })
      return after
    })
  }

  /** False if the owner has none with this id. */
  async remove(userId: string | null, id: string, actor: Actor): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const row = await tx.promptTemplate.findFirst({ where: { id, userId } })
      const { count } = await tx.promptTemplate.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return null
      const detail = { ...factsOf(row), changes: changesOf('PromptTemplate', row, null) }
      return { actor, action: 'template.removed', target: targetOf(row), detail }
    })
  }
}

/** Two concurrent requests cannot both create the last one, or two of one name. */
const lockOwner = (tx: Prisma.TransactionClient, userId: string | null): Promise<number> =>
  userId === null
    ? tx.$executeRaw`SELECT pg_advisory_xact_lock(${PLATFORM_LOCK}::bigint)`
    : tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`

/** Whether the owner has another one of this name. */
const hasName = async (tx: Prisma.TransactionClient, { id, userId, name }: TemplateRow): Promise<boolean> =>
  (await tx.promptTemplate.count({ where: { userId, name, id: { not: id } } })) > 0

const targetOf = ({ id, name }: TemplateRow) => ({ id, name })
const factsOf = ({ userId }: TemplateRow) => ({ of: userId === null ? 'platform' : 'user' })
