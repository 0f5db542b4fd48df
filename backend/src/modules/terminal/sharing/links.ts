/** Links to live sessions. They are stored as hashes, and each one expires. */
import { createHash, randomBytes } from 'node:crypto'
import {
  type CreateTerminalLink,
  LINK_MINUTES_DEFAULT,
  LINK_PREFIX,
  LINKS_MAX,
  type TerminalLink,
} from '@slipway/protocol'
import { type Clock, MINUTE_MS } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Audit, AuditEntry, Facts } from '../../audit/audit.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { Slot } from '../registry.ts'
import type { LinkRow, TerminalLinkRepository } from './repository.ts'

/** Length of a secret, in bytes: too long to guess. */
const SECRET_BYTES = 32

interface Parts {
  readonly repository: TerminalLinkRepository
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  readonly newId: NewId
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export class Links {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the secret, this once. Throws `TOO_MANY_LINKS` if the session has {@link LINKS_MAX} links. */
  async create(caller: Caller, slot: Slot, wanted: CreateTerminalLink): Promise<TerminalLink & { secret: string }> {
    const { repository, clock, newId } = this.#parts
    const { access, audience = 'agent', expiresInMinutes = LINK_MINUTES_DEFAULT } = wanted
    const secret = LINK_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
    const createdAt = new Date(clock.now())
    const expiresAt = new Date(createdAt.getTime() + expiresInMinutes * MINUTE_MS)
    const id = newId()
    const { sessionId } = slot
    const facts = { linkId: id, access, audience, expiresAt: expiresAt.toISOString() }
    const made = await repository.create(
      { id, sessionId, createdById: caller.userId, access, audience, secretHash: hashOf(secret), createdAt, expiresAt },
      LINKS_MAX,
      entryOf(caller, slot, 'terminal.link_created', facts),
    )
    if (!made) throw new AppError('TOO_MANY_LINKS', `This terminal has ${LINKS_MAX} links. Revoke one first.`)
    return { ...view(made), secret }
  }

  /** The links that have not expired, newest first. */
  async list({ sessionId }: Slot): Promise<TerminalLink[]> {
    const { repository, clock } = this.#parts
    return (await repository.list(sessionId, new Date(clock.now()), LINKS_MAX)).map(view)
  }

  /** Throws `NOT_FOUND`. */
  async revoke(caller: Caller, slot: Slot, id: string): Promise<void> {
    if (!isUuid(id)) throw notFound()
    const entry = entryOf(caller, slot, 'terminal.link_revoked', { linkId: id })
    if (!(await this.#parts.repository.remove({ id, sessionId: slot.sessionId }, entry))) throw notFound()
  }

  /**
   * Records that a guest or a user opens the terminal: by a link, or with null by their access to the agent. If this
   * fails, they must not get in.
   */
  async watched(actor: AuditEntry['actor'], { row, sessionId }: Slot, link: LinkRow | null): Promise<void> {
    const by = link === null ? { access: 'control' } : { linkId: link.id, access: link.access }
    await this.#parts.audit.recordNow({ actor, action: 'terminal.watched', ...agentEvent(row, { sessionId, ...by }) })
  }

  /** Null: there is no such link, or it has expired. */
  find(secret: string): Promise<LinkRow | null> {
    const { repository, clock } = this.#parts
    return repository.find(hashOf(secret), new Date(clock.now()))
  }

  /** Removes a session's links after its end. */
  forget(sessionId: string): Promise<void> {
    return this.#parts.repository.removeAll(sessionId)
  }
}

const entryOf = (
  caller: Caller,
  { row, sessionId }: Slot,
  action: 'terminal.link_created' | 'terminal.link_revoked',
  facts: Facts,
): AuditEntry => ({ actor: actorOf(caller), action, ...agentEvent(row, { sessionId, ...facts }) })

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
