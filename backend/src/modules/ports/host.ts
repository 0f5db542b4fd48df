/** The host names of ports: each port of each agent has its own, so that its origin is no other app's and not the server's. */
import { createHash } from 'node:crypto'

/** Longest part of a host name between dots, in characters (RFC 1035, 2.3.4). */
const LABEL_MAX = 63
/** Longest name of an installation in a host name, so that every agent and port fit beside it, in characters. */
const INSTALLATION_MAX = LABEL_MAX - '65535--'.length - 40 - '--'.length

/** A port of an agent, by the agent's name. */
export interface PortHost {
  readonly agentName: string
  readonly port: number
}

export interface HostSettings {
  /** The installation's prefix. Cookies ignore ports, so it separates installations on one machine. */
  readonly namespace: string
  /** The domain below which the names of ports are. Null: below `localhost`, for browsers on this machine. */
  readonly domain: string | null
}

const installationOf = (namespace: string): string =>
  namespace.length <= INSTALLATION_MAX
    ? namespace
    : createHash('sha256').update(namespace).digest('hex').slice(0, INSTALLATION_MAX)

export class PortHosts {
  readonly #suffix: string

  constructor({ namespace, domain }: HostSettings) {
    this.#suffix = domain === null ? `--${installationOf(namespace)}.localhost` : `.${domain}`
  }

  /** Without the TCP port of the server. */
  nameOf({ agentName, port }: PortHost): string {
    return `${port}--${agentName}${this.#suffix}`
  }

  /** What the `Host` header of a request names; null for every other host. */
  parse(header: string | undefined): PortHost | null {
    const name = header?.toLowerCase().replace(/:\d{1,5}$/, '')
    if (!name?.endsWith(this.#suffix)) return null
    const [, digits = '', agentName = ''] =
      /^([1-9]\d{0,4})--([a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?)$/.exec(name.slice(0, -this.#suffix.length)) ?? []
    const port = Number(digits)
    return port >= 1 && port <= 65_535 ? { agentName, port } : null
  }
}
