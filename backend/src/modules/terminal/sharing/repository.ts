/** Links to live sessions in the database. */
import type { TerminalLink } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { recorded } from '../../audit/recorded-repository.ts'

/** A link that is not stored yet. */
export interface NewTerminalLink extends Pick<TerminalLink, 'access' | 'audience'> {
  readonly id: string
  readonly sessionId: string
  readonly createdById: string
  readonly secretHash: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The user who created the link, for those who may revoke it. */
const MAKER = { createdBy: { select: { id: true, email: true } } } as const

/** A link that has not expired, with what decides whether its creator still has the right. */
export type LinkRow = Awaited<ReturnType<TerminalLinkRepository['find']>> & object

/** Each change is recorded in the same transaction. */
export class TerminalLinkRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit

  constructor(prisma: PrismaClient, audit: Audit) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Null if the session has `most` links already; then nothing is stored. */
  async create(link: NewTerminalLink, most: number, entry: AuditEntry) {
    const { sessionId, createdAt } = link
    return this.#prisma.$transaction(async (tx) => {
      const live = await tx.terminalLink.count({ where: { sessionId, expiresAt: { gt: createdAt } } })
      if (live >= most) return null
      const made = await tx.terminalLink.create({ data: link, include: MAKER })
      await this.#audit.record(tx, entry)
      return made
    })
  }

  /** A session's links that have not expired, newest first. */
  async list(sessionId: string, now: Date, limit: number) {
    return this.#prisma.terminalLink.findMany({
      where: { sessionId, expiresAt: { gt: now } },
      orderBy: { id: 'desc' },
      take: limit,
      include: MAKER,
    })
  }

  /** False if the session has no such link. */
  async remove({ id, sessionId }: Pick<NewTerminalLink, 'id' | 'sessionId'>, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.terminalLink.deleteMany({ where: { id, sessionId } })
      return count > 0 ? entry : null
    })
  }

  /** Null if there is no such link, it has expired, or its creator is disabled. */
  find(secretHash: string, now: Date) {
    return this.#prisma.terminalLink.findFirst({
      where: { secretHash, expiresAt: { gt: now }, createdBy: { disabledAt: null } },
      include: { createdBy: { select: { role: true } }, session: { select: { agentId: true, userId: true } } },
    })
  }

  /** Removes all links of a session. */
  async removeAll(sessionId: string): Promise<void> {
    await this.#prisma.terminalLink.deleteMany({ where: { sessionId } })
  }
}
