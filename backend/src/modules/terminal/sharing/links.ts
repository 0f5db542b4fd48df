/** Links to live sessions: kept as hashes, each with its end. */
import { createHash, randomBytes } from 'node:crypto'
import {
  type CreateTerminalLink,
  LINK_MINUTES_DEFAULT,
  LINK_PREFIX,
  LINKS_MAX,
  type TerminalLink,
} from '@slipway/protocol'
import { type Clock, MINUTE_MS } from '../../../lib/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { Slot } from '../registry.ts'

/** Of a secret, in bytes: nobody guesses one. */
const SECRET_BYTES = 32

interface Parts {
  readonly prisma: PrismaClient
  readonly audit: Audit
  readonly clock: Clock
  readonly newId: NewId
}

/** Who has made it, as those are told who may revoke it. */
const MAKER = { createdBy: { select: { id: true, email: true } } } as const

export type LinkRow = Awaited<ReturnType<Links['find']>> & object

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export class Links {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws `TOO_MANY_LINKS` where the session has as many as it may have. The secret is told this once. */
  async create(caller: Caller, slot: Slot, wanted: CreateTerminalLink): Promise<TerminalLink & { secret: string }> {
    const { prisma, clock, newId } = this.#parts
    const { access, audience = 'agent', expiresInMinutes = LINK_MINUTES_DEFAULT } = wanted
    const secret = LINK_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
    const now = new Date(clock.now())
    const expiresAt = new Date(now.getTime() + expiresInMinutes * MINUTE_MS)
    const { sessionId } = slot
    const row = await prisma.$transaction(async (tx) => {
      const live = await tx.terminalLink.count({ where: { sessionId, expiresAt: { gt: now } } })
      if (live >= LINKS_MAX)
        throw new AppError('TOO_MANY_LINKS', `This terminal has ${LINKS_MAX} links. Revoke one first.`)
      const data = { id: newId(), sessionId, createdById: caller.userId, access, audience, createdAt: now, expiresAt }
      const made = await tx.terminalLink.create({ data: { ...data, secretHash: hashOf(secret) }, include: MAKER })
      const facts = { linkId: made.id, access, audience, expiresAt: expiresAt.toISOString() }
      await this.#record(tx, caller, slot, { action: 'terminal.link_created', ...facts })
      return made
    })
    return { ...view(row), secret }
  }

  /** Those that still lead somewhere, newest first. */
  async list({ sessionId }: Slot): Promise<TerminalLink[]> {
    const rows = await this.#parts.prisma.terminalLink.findMany({
      where: { sessionId, expiresAt: { gt: new Date(this.#parts.clock.now()) } },
      orderBy: { id: 'desc' },
      take: LINKS_MAX,
      include: MAKER,
    })
    return rows.map(view)
  }

  /** Throws `NOT_FOUND`. */
  async revoke(caller: Caller, slot: Slot, id: string): Promise<void> {
    if (!isUuid(id)) throw notFound()
    await this.#parts.prisma.$transaction(async (tx) => {
      const { count } = await tx.terminalLink.deleteMany({ where: { id, sessionId: slot.sessionId } })
      if (count === 0) throw notFound()
      await this.#record(tx, caller, slot, { action: 'terminal.link_revoked', linkId: id })
    })
  }

  /** Somebody comes by it; a row that is refused refuses them. */
  async watched(actor: AuditEntry['actor'], slot: Slot, { id, access }: LinkRow): Promise<void> {
    await this.#parts.audit.record(this.#parts.prisma, {
      actor,
      action: 'terminal.watched',
      ...agentEvent(slot.row, { sessionId: slot.sessionId, linkId: id, access }),
    })
  }

  /** Null: it never was, or is not any more. */
  find(secret: string) {
    const now = new Date(this.#parts.clock.now())
    return this.#parts.prisma.terminalLink.findFirst({
      where: { secretHash: hashOf(secret), expiresAt: { gt: now }, createdBy: { disabledAt: null } },
      include: { createdBy: { select: { role: true } }, session: { select: { agentId: true, userId: true } } },
    })
  }

  /** The session has ended, and a link to it leads nowhere. */
  async forget(sessionId: string): Promise<void> {
    await this.#parts.prisma.terminalLink.deleteMany({ where: { sessionId } })
  }

  async #record(
    tx: Parameters<Audit['record']>[0],
    caller: Caller,
    slot: Slot,
    { action, ...facts }: { action: 'terminal.link_created' | 'terminal.link_revoked' } & Record<string, string>,
  ): Promise<void> {
    const event = agentEvent(slot.row, { sessionId: slot.sessionId, ...facts })
    await this.#parts.audit.record(tx, { actor: actorOf(caller), action, ...event })
  }
}

const view = ({
  id,
  sessionId,
  access,
  audience,
  createdBy,
  createdAt,
  expiresAt,
}: Pick<LinkRow, 'id' | 'sessionId' | 'access' | 'audience' | 'createdAt' | 'expiresAt'> &
  Pick<TerminalLink, 'createdBy'>): TerminalLink => ({
  id,
  sessionId,
  access: access as TerminalLink['access'],
  audience: audience as TerminalLink['audience'],
  createdBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})
