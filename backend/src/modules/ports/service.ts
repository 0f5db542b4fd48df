/** Lists what listens in an agent, and lets a browser in. */
import type { AgentPorts, OpenPort, PortTicket } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { Arrival } from '../access/loss.ts'
import type { Found } from '../agents/service.ts'
import type { Audit } from '../audit/audit.ts'
import { actorOf } from '../identity/caller.ts'
import type { Dials } from './dial/dials.ts'
import { DialError } from './dial/streams.ts'
import { ENTER_PATH } from './door/door.ts'
import { type ByLink, type Entries, noDomain } from './entries.ts'
import type { PortHost, PortHosts } from './host.ts'
import { listeningIn } from './listening.ts'

export interface PortServiceDeps {
  readonly audit: Pick<Audit, 'recordNow'>
  readonly dials: Pick<Dials, 'of'>
  readonly entries: Entries
  readonly hosts: PortHosts
  /** The browser's origin of a port; null: browsers cannot resolve the host names of ports. */
  readonly originOf: ((at: PortHost) => string) | null
}

export class PortService {
  readonly #deps: PortServiceDeps

  constructor(deps: PortServiceDeps) {
    this.#deps = deps
  }

  /** Throws `WRONG_STATE` if the agent does not run. */
  async list({ row }: Found): Promise<AgentPorts> {
    const { dials, originOf } = this.#deps
    const items = listeningIn(await (await dials.of(row.id)).list().catch(unlisted))
    return { items, unavailable: originOf ? null : noDomain().message }
  }

  /** A ticket for a port. Nothing needs to listen on it yet. Throws `WRONG_STATE` where ports have no address. */
  async open(found: Found, port: number, { path = '/' }: OpenPort, arrival: Arrival): Promise<PortTicket> {
    const { audit, originOf } = this.#deps
    if (!originOf) throw noDomain()
    const target = { id: found.row.id, name: found.row.name }
    await audit.recordNow({ actor: actorOf(found.caller), action: 'port.opened', target, detail: { port } })
    return this.ticketOf(found, port, path, arrival)
  }

  /** The same without a record of it, perhaps for a visitor with a link. */
  ticketOf(found: Found, port: number, path: string, arrival: Arrival, link: ByLink | null = null): PortTicket {
    const { entries, hosts, originOf } = this.#deps
    if (!originOf) throw noDomain()
    const at = { agentName: found.row.name, port }
    const place = { port, host: hosts.nameOf(at), path: localPath(path) }
    const { secret, expiresAt } = entries.admit(found, place, arrival, link)
    return { url: `${originOf(at)}${ENTER_PATH}?ticket=${secret}`, expiresAt: expiresAt.toISOString() }
  }
}

const unlisted = (error: unknown): never => {
  if (error instanceof DialError)
    throw new AppError(
      'ENGINE_UNAVAILABLE',
      'The agent does not answer what listens in it. Restart it if this stays.',
      {
        cause: error,
      },
    )
  throw error
}

/** A path never names another host: `//evil.example` and `/\evil.example` do for a browser. */
const localPath = (path: string): string => {
  const base = 'http://app.invalid'
  const url = URL.parse(path, base)
  return url?.origin === base ? url.pathname + url.search + url.hash : '/'
}
