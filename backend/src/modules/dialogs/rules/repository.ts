/** Approval rules in the database. Every query names their owner, and each change is recorded. */
import type { RuleCovers, RuleDecision, RuleOwner } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { notFound } from '../../../lib/errors.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit, Facts } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import { textOfCovers } from './sentences.ts'

/** Names the lock on the platform's rules. */
const PLATFORM_LOCK = 4_700_070

/** A transaction in which rules are stored together with what makes them. */
export type RuleTransaction = Prisma.TransactionClient

/** Whose rules: `id` is that of the user or the agent. */
export type RuleHolder =
  | { readonly of: 'user'; readonly id: string }
  | { readonly of: 'agent'; readonly id: string; readonly name: string }
  | { readonly of: 'platform' }

/** A stored rule. */
export interface RuleRow {
  readonly id: string
  readonly userId: string | null
  readonly agentId: string | null
  readonly decision: RuleDecision
  readonly covers: RuleCovers
  readonly createdAt: Date
  readonly createdBy: string
  readonly expiresAt: Date | null
}

/** A rule to store. */
export type NewRule = Omit<RuleRow, 'userId' | 'agentId'>

export const ownerOf = ({ userId, agentId }: Pick<RuleRow, 'userId' | 'agentId'>): RuleOwner =>
  userId !== null ? 'user' : agentId !== null ? 'agent' : 'platform'

export class RuleRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Those of any of the holders that have not ended, oldest first. */
  async of(holders: readonly RuleHolder[], now: Date): Promise<RuleRow[]> {
    const rows = await this.#prisma.approvalRule.findMany({
      where: { AND: [{ OR: holders.map(columnsOf) }, { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }] },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
    return rows.map(toRow)
  }

  /** As {@link createIn}, in a transaction of its own. */
  async create(holder: RuleHolder, rule: NewRule, max: number, actor: Actor): Promise<RuleRow | null> {
    return this.#prisma.$transaction((tx) => this.createIn(tx, holder, rule, max, actor))
  }

  /** Stores a rule in place of an equal one. Rules that have ended go. Null if the holder has `max` others. */
  async createIn(
    tx: Prisma.TransactionClient,
    holder: RuleHolder,
    rule: NewRule,
    max: number,
    actor: Actor,
    facts: Facts = {},
  ): Promise<RuleRow | null> {
    await lock(tx, holder)
    const where = columnsOf(holder)
    await tx.approvalRule.deleteMany({ where: { ...where, expiresAt: { lte: rule.createdAt } } })
    const others = (await tx.approvalRule.findMany({ where })).map(toRow)
    const equal = others.filter((one) => textOfRule(one) === textOfRule(rule)).map(({ id }) => id)
    if (others.length - equal.length >= max) return null
    await tx.approvalRule.deleteMany({ where: { id: { in: equal } } })
    const row: RuleRow = { ...rule, ...where }
    await tx.approvalRule.create({ data: row }).catch((error: unknown) => {
      if (isForeignKeyViolation(error)) throw notFound()
      throw error
    })
    const changes = changesOf('ApprovalRule', null, recordedOf(row))
    const detail = { ...factsOf(holder), ...facts, changes }
    await this.#audit.record(tx, { actor, action: 'rule.created', target: targetOf(row), detail })
    return row
  }

  /** False if the holder has none with this id. */
  async remove(holder: RuleHolder, id: string, actor: Actor): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const where = { id, ...columnsOf(holder) }
      const row = await tx.approvalRule.findFirst({ where })
      const { count } = await tx.approvalRule.deleteMany({ where })
      if (!row || count === 0) return null
      const rule = toRow(row)
      const detail = { ...factsOf(holder), changes: changesOf('ApprovalRule', recordedOf(rule), null) }
      return { actor, action: 'rule.removed', target: targetOf(rule), detail }
    })
  }
}

const columnsOf = (holder: RuleHolder) => ({
  userId: holder.of === 'user' ? holder.id : null,
  agentId: holder.of === 'agent' ? holder.id : null,
})

/** Two concurrent requests cannot both create the last one. */
const lock = (tx: Prisma.TransactionClient, holder: RuleHolder): Promise<number> => {
  switch (holder.of) {
    case 'user':
      return tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${holder.id}::uuid FOR UPDATE`
    case 'agent':
      return tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${holder.id}::uuid FOR UPDATE`
    case 'platform':
      return tx.$executeRaw`SELECT pg_advisory_xact_lock(${PLATFORM_LOCK}::bigint)`
  }
}

/** The same for equal rules. */
const textOfRule = ({ decision, covers }: Pick<RuleRow, 'decision' | 'covers'>): string =>
  JSON.stringify([decision, covers.kind, ...Object.entries(covers).toSorted(([a], [b]) => a.localeCompare(b))])

const targetOf = ({ id, covers }: RuleRow) => ({ id, name: textOfCovers(covers) })
/** The audit log keeps no lists so deep. */
const recordedOf = (row: RuleRow) => ({ ...row, covers: `${row.covers.kind}: ${textOfCovers(row.covers)}` })
const factsOf = (holder: RuleHolder): Facts => ({
  of: holder.of,
  ...(holder.of === 'agent' && { agent: holder.name }),
})

/** The columns hold what this module has stored there. */
const toRow = (row: Prisma.ApprovalRuleGetPayload<object>): RuleRow => row as unknown as RuleRow
