/** Wires the module together. */
import type { Duplex } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { OtherHosts } from '../../plugins/other-hosts.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Dials } from './dial/dials.ts'
import { PortDoor } from './door/door.ts'
import { Entries } from './entries.ts'
import { type PortHost, PortHosts } from './host.ts'
import { PortLinks } from './links/links.ts'
import { PortLinkRepository } from './links/repository.ts'
import { portRoutes } from './routes.ts'
import { PortService } from './service.ts'

/** What {@link createPorts} needs. */
export interface PortModuleDeps {
  readonly config: {
    readonly namespace: string
    readonly portsDomain: string | null
    readonly portsBytesPerSecond: number
    readonly publicUrl: string | null
    readonly secureCookie: boolean
  }
  readonly runtime: ContainerRuntime
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'agents' | 'board'>
  readonly sessions: Pick<Sessions, 'attendance' | 'reinstate'>
  /** Gets the door to the host names of ports. */
  readonly otherHosts: Pick<OtherHosts, 'serveWith'>
  readonly audit: Audit
  readonly losses: Signal<Loss>
  readonly clock: Clock
  readonly newId: NewId
  readonly baseUrl: () => string
  readonly log: Log
}

/** What listens in agents, seen in a browser. */
export const createPorts = ({ config, agents, sessions, prisma, ...deps }: PortModuleDeps) => {
  const { namespace, portsDomain, portsBytesPerSecond, publicUrl, secureCookie: isHttps } = config
  const { baseUrl } = deps
  const hosts = new PortHosts({ namespace, domain: portsDomain })
  /** The port of the server in the address bar, with its colon; none for the usual one. */
  const originOf = (at: PortHost): string => {
    const { protocol, port } = new URL(baseUrl())
    return new URL(`${protocol}//${hosts.nameOf(at)}${port === '' ? '' : `:${port}`}`).origin
  }
  const dials = new Dials({ ...deps, board: agents.board, bytesPerSecond: portsBytesPerSecond })
  const entries = new Entries(deps)
  // Without a domain, names below localhost lead to the machine of the browser.
  const isReachable = portsDomain !== null || publicUrl === null
  const service = new PortService({ ...deps, dials, entries, hosts, originOf: isReachable ? originOf : null })
  const links = new PortLinks({
    ...deps,
    repository: new PortLinkRepository(prisma, deps.audit),
    entries,
    ports: service,
    reinstate: sessions.reinstate,
  })
  sessions.attendance.add((agentId) => dials.attended(agentId))
  deps.otherHosts.serveWith(new PortDoor({ ...deps, dials, entries, hosts, originOf, isHttps }))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(portRoutes, { agents: agents.agents, ports: service, links })
  }
  return {
    routes,
    /** Connects to a port of an agent's loopback. Rejects with `WRONG_STATE`, and with a `DialError`. */
    dial: async (agentId: string, port: number): Promise<Duplex> => (await dials.of(agentId)).connect(port),
    callers: () => entries.callers(),
    end: async (): Promise<void> => {
      entries.stop()
      await dials.stop()
    },
  }
}
