/** Transfers agents from one user to another. */
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { AgentRepository } from '../repository.ts'
import type { AgentRow } from '../rows.ts'

/** The properties of a user that a transfer needs. */
interface Owner {
  readonly id: string
  readonly email: string
}

export class BelongingsRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit
  readonly #agents: Pick<AgentRepository, 'byIds'>

  constructor(prisma: PrismaClient, audit: Audit, agents: Pick<AgentRepository, 'byIds'>) {
    this.#prisma = prisma
    this.#audit = audit
    this.#agents = agents
  }

  async ownedBy(ownerId: string): Promise<AgentRow[]> {
    const owned = await this.#prisma.agent.findMany({ where: { ownerId }, select: { id: true } })
    return this.#agents.byIds(owned.map(({ id }) => id))
  }

  /**
   * Transfers all agents of `from`, or none, and records each. The new owner's shares of these agents are removed.
   * Answers the agents' ids, or null if the new owner is gone.
   */
  async handOver(from: Owner, to: Owner, caller: Caller): Promise<string[] | null> {
    try {
      return await this.#prisma.$transaction(async (tx) => {
        const agents = await tx.agent.updateManyAndReturn({
          where: { ownerId: from.id },
          data: { ownerId: to.id, lentAt: new Date() },
          select: { id: true, name: true },
        })
        const ids = agents.map(({ id }) => id)
        await tx.share.deleteMany({ where: { agentId: { in: ids }, userId: to.id } })
        const changes = changesOf('Agent', { ownerId: from.id }, { ownerId: to.id })
        const detail = { from: from.email, to: to.email, changes }
        for (const target of agents)
          await this.#audit.record(tx, { actor: actorOf(caller), action: 'agent.handed_over', target, detail })
        return ids
      })
    } catch (error) {
      if (isForeignKeyViolation(error)) return null
      throw error
    }
  }
}
