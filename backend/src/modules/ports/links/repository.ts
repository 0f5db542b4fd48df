/** Links to ports in the database. Each change is recorded in the same transaction. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { Proof } from '../../identity/caller.ts'

/** A link that is not stored yet. */
export interface NewPortLink {
  readonly id: string
  readonly agentId: string
  readonly port: number
  readonly createdById: string
  /** How its user had authenticated. */
  readonly via: Proof['kind']
  readonly viaId: string
  readonly secretHash: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The user who made the link. */
const MAKER = { createdBy: { select: { id: true, email: true } } } as const

export class PortLinkRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit

  constructor(prisma: PrismaClient, audit: Audit) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Null if the agent has `most` links already; then nothing is stored. Links that have expired are removed. */
  async create(link: NewPortLink, most: number, entry: AuditEntry) {
    const { agentId, createdAt } = link
    return this.#prisma.$transaction(async (tx) => {
      await tx.portLink.deleteMany({ where: { agentId, expiresAt: { lte: createdAt } } })
      if ((await tx.portLink.count({ where: { agentId } })) >= most) return null
      const made = await tx.portLink.create({ data: link, include: MAKER })
      await this.#audit.record(tx, entry)
      return made
    })
  }

  /** Those of an agent that have not expired, newest first. */
  async list(agentId: string, now: Date, limit: number) {
    const where = { agentId, expiresAt: { gt: now } }
    return this.#prisma.portLink.findMany({ where, orderBy: { id: 'desc' }, take: limit, include: MAKER })
  }

  /** False if the agent has no such link. */
  async remove({ id, agentId }: Pick<NewPortLink, 'id' | 'agentId'>, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.portLink.deleteMany({ where: { id, agentId } })
      return count > 0 ? entry : null
    })
  }

  /** Null if there is no such link, or it has expired. */
  async find(secretHash: string, now: Date): Promise<NewPortLink | null> {
    const row = await this.#prisma.portLink.findFirst({ where: { secretHash, expiresAt: { gt: now } } })
    return row && { ...row, via: row.via as NewPortLink['via'] }
  }
}
