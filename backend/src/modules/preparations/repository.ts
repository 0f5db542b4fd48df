/** What agents begin with, in the database. */
import type { PreparationState } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import type { Actor } from '../audit/actor.ts'
import type { Audit, Facts } from '../audit/audit.ts'
import type { AuditAction } from '@slipway/protocol'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Proof } from '../identity/caller.ts'

/** A stored preparation. */
export type PreparationRow = Awaited<ReturnType<PrismaClient['agentPreparation']['findUniqueOrThrow']>>

/** The columns that change. */
export type Changes = Pick<
  Prisma.AgentPreparationUncheckedUpdateManyInput,
  'error' | 'output' | 'isCloned' | 'commit' | 'branch' | 'taskId' | 'taskError' | 'confirmed' | 'offer'
>

/** An act of a user. From then on it runs in this user's name. */
export interface Act {
  readonly row: AgentRow
  readonly userId: string
  readonly proof: Proof
  readonly actor: Actor
  readonly action: AuditAction
  readonly facts?: Facts
}

export class PreparationRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  find(agentId: string): Promise<PreparationRow | null> {
    return this.#prisma.agentPreparation.findUnique({ where: { agentId } })
  }

  /** Changes its state if it has one of these. Null: it has another one, or is gone. */
  async turn(
    agentId: string,
    from: readonly PreparationState[],
    to: PreparationState,
    changes: Changes = {},
  ): Promise<PreparationRow | null> {
    const where = { agentId, state: { in: [...from] } }
    const { count } = await this.#prisma.agentPreparation.updateMany({
      where,
      data: { ...changes, state: to, changedAt: new Date() },
    })
    return count === 0 ? null : this.find(agentId)
  }

  /** The same as an act of a user, which is recorded. */
  async act(
    { row, userId, proof, actor, action, facts }: Act,
    from: readonly PreparationState[],
    to: PreparationState,
    changes: Changes = {},
  ): Promise<PreparationRow | null> {
    const where = { agentId: row.id, state: { in: [...from] } }
    const by = { userId, via: proof.kind, viaId: proof.id }
    return this.#prisma.$transaction(async (tx) => {
      const data = { ...changes, ...by, state: to, changedAt: new Date() }
      const { count } = await tx.agentPreparation.updateMany({ where, data })
      if (count === 0) return null
      await this.#audit.record(tx, { actor, action, ...agentEvent(row, facts) })
      return tx.agentPreparation.findUnique({ where: { agentId: row.id } })
    })
  }

  /** The agents of all preparations in these states. */
  async inState(...states: PreparationState[]): Promise<string[]> {
    const found = await this.#prisma.agentPreparation.findMany({
      where: { state: { in: states } },
      select: { agentId: true },
    })
    return found.map(({ agentId }) => agentId)
  }
}

/** A column without a value. */
export const NOTHING = Prisma.DbNull
