/** Links with which anyone may use one port of an agent. They are stored as hashes, and each one expires. */
import {
  type CreatedPortLink,
  type CreatePortLink,
  PORT_LINK_MINUTES_DEFAULT,
  PORT_LINK_PREFIX,
  PORT_LINKS_MAX,
  type PortLink,
  type PortLinks as Links,
  type PortTicket,
} from '@slipway/protocol'
import { type Clock, MINUTE_MS } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { newSecret, sha256 } from '../../../lib/secrets/secrets.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Found } from '../../agents/service.ts'
import { type Source, stranger } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { actorOf, asHandedIn, proofOf } from '../../identity/caller.ts'
import type { reinstater } from '../../sessions/recovery/reinstate.ts'
import type { Entries } from '../entries.ts'
import type { PortService } from '../service.ts'
import type { PortLinkRepository } from './repository.ts'

/** The page to which a link leads. The secret is behind the #, so the browser does not send it with the address. */
const PAGE = '/shared-port'

/** Most revoked links that are remembered. Each is only until the visits that were under way are over. */
const REVOKED_MAX = 1000

export interface PortLinkDeps {
  readonly repository: PortLinkRepository
  readonly entries: Pick<Entries, 'arrive' | 'endLink'>
  readonly ports: Pick<PortService, 'ticketOf'>
  readonly reinstate: ReturnType<typeof reinstater>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly newId: NewId
}

export class PortLinks {
  readonly #deps: PortLinkDeps
  /** Those revoked last. A visitor may have been let in by one before its end. */
  readonly #revoked = new Set<string>()

  constructor(deps: PortLinkDeps) {
    this.#deps = deps
  }

  /** Returns the address with the secret, this once. Throws `TOO_MANY_LINKS` if the agent has {@link PORT_LINKS_MAX}. */
  async create(
    { caller, row }: Found,
    port: number,
    { expiresInMinutes = PORT_LINK_MINUTES_DEFAULT }: CreatePortLink,
  ): Promise<CreatedPortLink> {
    const { repository, baseUrl, clock, newId } = this.#deps
    const secret = PORT_LINK_PREFIX + newSecret()
    const createdAt = new Date(clock.now())
    const expiresAt = new Date(createdAt.getTime() + expiresInMinutes * MINUTE_MS)
    const id = newId()
    // Its user signs out some day, and the link is to last.
    const { kind: via, id: viaId } = proofOf(asHandedIn(caller).via)
    const made = await repository.create(
      {
        ...{ id, agentId: row.id, port, createdById: caller.userId, via, viaId },
        ...{ secretHash: sha256(secret), createdAt, expiresAt },
      },
      PORT_LINKS_MAX,
      {
        actor: actorOf(caller),
        action: 'port.link_created',
        ...agentEvent(row, { linkId: id, port, expiresAt: expiresAt.toISOString() }),
      },
    )
    if (!made)
      throw new AppError('TOO_MANY_LINKS', `This agent has ${PORT_LINKS_MAX} links to its ports. Revoke one first.`)
    return { ...view(made), url: `${baseUrl()}${PAGE}#${secret}` }
  }

  /** Those that have not expired, newest first. */
  async list({ row }: Found): Promise<Links> {
    const { repository, clock } = this.#deps
    return { items: (await repository.list(row.id, new Date(clock.now()), PORT_LINKS_MAX)).map(view) }
  }

  /** Ends what is open by the link, too. Throws `NOT_FOUND`. */
  async revoke({ caller, row }: Found, id: string): Promise<void> {
    const { repository, entries } = this.#deps
    if (!isUuid(id)) throw notFound()
    const entry = { actor: actorOf(caller), action: 'port.link_revoked', ...agentEvent(row, { linkId: id }) } as const
    if (!(await repository.remove({ id, agentId: row.id }, entry))) throw notFound()
    this.#revoked.add(id)
    for (const oldest of this.#revoked) if (this.#revoked.size > REVOKED_MAX) this.#revoked.delete(oldest)
    entries.endLink(id)
  }

  /**
   * A ticket for a visitor with the secret. It has the right of the user who made the link, and ends with it. Throws
   * `NOT_FOUND` for a secret of no link, of one that has expired, and of one whose user may not make it any more.
   */
  async open(secret: string, source: Source): Promise<PortTicket> {
    const { repository, entries, ports, reinstate, audit, clock } = this.#deps
    const arrival = entries.arrive()
    const link = await repository.find(sha256(secret), new Date(clock.now()))
    if (!link) throw isOver()
    const via = { kind: link.via, id: link.viaId }
    const found = await reinstate({ userId: link.createdById, agentId: link.agentId, via }, 'terminal.publish')
    if (!found) throw isOver()
    const { id: linkId, port, expiresAt } = link
    await audit.recordNow({
      actor: stranger(source),
      action: 'port.visited',
      ...agentEvent(found.row, { linkId, port }),
    })
    if (this.#revoked.has(linkId)) throw isOver()
    return ports.ticketOf(found, port, '/', arrival, { id: linkId, expiresAt: expiresAt.getTime() })
  }
}

const isOver = (): AppError =>
  new AppError('NOT_FOUND', 'This link has expired or was revoked. Ask the owner of the agent for another one.')

const view = ({
  id,
  port,
  createdBy,
  createdAt,
  expiresAt,
}: Pick<PortLink, 'id' | 'port' | 'createdBy'> & { readonly createdAt: Date; readonly expiresAt: Date }): PortLink => ({
  ...{ id, port, createdBy },
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})
