/** Serves the ports of agents: every request and every WebSocket for a host name of a port comes here. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { HostDoor } from '../../../plugins/other-hosts.ts'
import { SYSTEM_AGENT_NAME } from '../../agents/service.ts'
import type { Entries, Entry } from '../entries.ts'
import type { PortHost, PortHosts } from '../host.ts'
import { cookieOf, secretsIn } from './cookie.ts'
import type { Origins } from './headers.ts'
import { foreignPage, nothingPage, PAGE_HEADERS, signInPage, unclearPage } from './pages.ts'
import { Proxy, type ProxyDeps } from './proxy.ts'
import { isWebSocket, targetOf } from './target.ts'

/** The paths of this server's own at the host name of a port. The app gets no request for them. */
const OWN_PATHS = '/.slipway/'
/** Where a ticket is exchanged. */
export const ENTER_PATH = `${OWN_PATHS}enter`

export interface DoorDeps extends ProxyDeps {
  readonly hosts: PortHosts
  readonly entries: Entries
  readonly isHttps: boolean
  /** The browser's origin of a port. */
  readonly originOf: (at: PortHost) => string
  /** The address of Slipway's own pages. */
  readonly baseUrl: () => string
  readonly log: Log
}

/** What this server itself answers at the host name of a port. */
type Own = (request: IncomingMessage, response: ServerResponse, at: PortHost) => void

export class PortDoor implements HostDoor {
  readonly hosts = ':port--:name'
  readonly ownPaths: readonly string[]
  readonly #deps: DoorDeps
  readonly #proxy: Proxy
  /** By their paths below {@link OWN_PATHS}. */
  readonly #own = new Map<string, Own>([[ENTER_PATH, (request, response, at) => this.#enter(request, response, at)]])

  constructor(deps: DoorDeps) {
    this.#deps = deps
    this.ownPaths = [...this.#own.keys()]
    this.#proxy = new Proxy(deps)
  }

  takes(host: string | undefined): boolean {
    return this.#deps.hosts.parse(host) !== null
  }

  request(request: IncomingMessage, response: ServerResponse): void {
    const target = targetOf(request, this.#deps.hosts)
    if (!target) return answer(response, 400, unclearPage())
    const { at, path } = target
    request.url = path
    if (path.startsWith(OWN_PATHS)) return this.#answer(request, response, at)
    const entry = this.#entryOf(request, at)
    if (!entry) return answer(response, 401, signInPage(at.agentName, at.port, this.#openHref(at, request)))
    if (!this.#isFromApp(request, at)) return answer(response, 403, foreignPage())
    hold(entry, response)
    this.#proxy.request(request, response, { at, entry, origins: this.#originsOf(at) })
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The listener for lost connections of the server is not there for these.
    socket.on('error', () => socket.destroy())
    const target = targetOf(request, this.#deps.hosts)
    if (!target || target.path.startsWith(OWN_PATHS) || !isWebSocket(request)) return refuse(socket, '400 Bad Request')
    const { at, path } = target
    request.url = path
    const entry = this.#entryOf(request, at)
    if (!entry) return refuse(socket, '401 Unauthorized')
    if (!this.#isFromApp(request, at)) return refuse(socket, '403 Forbidden')
    hold(entry, socket)
    this.#proxy.upgrade(request, socket, head, { at, entry, origins: this.#originsOf(at) })
  }

  #answer(request: IncomingMessage, response: ServerResponse, at: PortHost): void {
    const own = this.#own.get(request.url?.split('?', 1)[0] ?? '')
    if (own) return own(request, response, at)
    answer(response, 404, nothingPage())
  }

  /** Exchanges a ticket for a cookie, and leads to the path that it was made for. */
  #enter(request: IncomingMessage, response: ServerResponse, at: PortHost): void {
    const { entries, hosts, isHttps } = this.#deps
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket')
    const entered = request.method === 'GET' && ticket !== null ? entries.enter(ticket, hosts.nameOf(at)) : null
    if (!entered) return answer(response, 401, signInPage(at.agentName, at.port, this.#openHref(at, null)))
    response.writeHead(303, {
      location: entered.path,
      'set-cookie': cookieOf(entered.secret, isHttps, Math.floor(entered.ms / SECOND_MS)),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    response.end()
  }

  #entryOf({ headers }: IncomingMessage, at: PortHost): Entry | null {
    const host = this.#deps.hosts.nameOf(at)
    for (const secret of secretsIn(headers.cookie, this.#deps.isHttps)) {
      const entry = this.#deps.entries.of(secret, host)
      if (entry) return entry
    }
    return null
  }

  /**
   * Whether a page of this agent's apps made the request, or a user who followed a link. Other apps below the same domain
   * are of the same site, so the browser sends them this app's cookie.
   */
  #isFromApp({ headers, method }: IncomingMessage, at: PortHost): boolean {
    const { origin } = headers
    // A page without a referrer has it in its forms.
    if (origin === 'null') return headers['sec-fetch-site'] === 'same-origin'
    if (origin !== undefined) return origin === this.#deps.originOf(at) || this.#originsOf(at).inward(origin) !== null
    const site = headers['sec-fetch-site']
    if (site === undefined || site === 'same-origin' || site === 'none') return true
    // In a frame, another app could have it clicked on unseen.
    const isTab = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
    return isTab && (method === 'GET' || method === 'HEAD')
  }

  #originsOf({ agentName }: PortHost): Origins {
    const { hosts, originOf } = this.#deps
    return {
      inward: (origin) => {
        const at = hosts.parse(URL.parse(origin)?.host)
        return at?.agentName === agentName && originOf(at) === origin ? `http://localhost:${at.port}` : null
      },
      outward: (port) => originOf({ agentName, port }),
    }
  }

  /** The page of Slipway that opens the port, with the path that the user wanted. */
  #openHref({ agentName, port }: PortHost, request: IncomingMessage | null): string {
    const isPage = request?.method === 'GET' && request.url?.startsWith('/') === true
    const path = isPage ? `&path=${encodeURIComponent(request.url!)}` : ''
    const page = agentName === SYSTEM_AGENT_NAME ? '/system-agent' : `/agents/${agentName}`
    return `${this.#deps.baseUrl()}${page}/ports?open=${port}${path}`
  }
}

/** Until it is over. A proxy in front may send the requests of many browsers over one connection, one after the other. */
const hold = ({ held }: Entry, one: ServerResponse | Duplex): void => {
  held.add(one)
  one.once('close', () => held.delete(one))
}

const answer = (response: ServerResponse, status: number, page: string): void => {
  response.writeHead(status, PAGE_HEADERS)
  response.end(page)
}

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
