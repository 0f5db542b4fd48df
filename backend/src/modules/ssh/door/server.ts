/** The door: sockets, the proof of each client, and what strangers may cost. */
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { once } from 'node:events'
import ssh2, { type Algorithms, type AuthContext, type Connection as Client, type Server } from 'ssh2'
import type { Clock } from '../../../lib/time/clock.ts'
import { FailureThrottle } from '../../../lib/failure-throttle.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { matcher } from '../../../plugins/agent-peers.ts'
import type { Source } from '../../audit/actor.ts'
import { networkOf } from '../../identity/networks.ts'
import type { Wire } from '../connection.ts'
import type { OfferedKey } from './keys.ts'
import {
  AUTH_REQUESTS_MAX,
  FAILURES,
  HANDSHAKE_MS,
  KEEPALIVE_MISSES,
  KEEPALIVE_MS,
  WAITING_MAX,
  WAITING_PER_NETWORK,
} from '../limits.ts'
import type { Refusal, SshMetrics } from '../metrics.ts'

export interface DoorDeps {
  /** The private key of the server. */
  readonly hostKey: string
  /** The networks of the agents, whose connections are dropped. */
  readonly agentSubnets: () => readonly string[]
  /** Whether a signature with this key would be of use. */
  readonly mayUse: (attempt: Attempt) => Promise<boolean>
  /** Checks the signature, and opens the connection. False for every refusal. */
  readonly open: (wire: Wire, attempt: Attempt) => Promise<boolean>
  readonly metrics: Pick<SshMetrics, 'refused'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

/** A key that a client offers for an agent. */
export interface Attempt {
  readonly agentName: string
  readonly offer: OfferedKey
  readonly source: Source
}

/** A socket whose client has not proven who it is. */
interface Waiting {
  readonly network: string
  readonly source: Source
  readonly timer: NodeJS.Timeout
  requests: number
  /** Whether it tried to prove anything. The first request of a client only asks which methods there are. */
  hasTried: boolean
}

/** What ssh2 offers by default, without algorithms that use SHA-1, and without the slow groups. */
const ALGORITHMS: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
    'diffie-hellman-group16-sha512',
  ],
  serverHostKey: ['ssh-ed25519'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  // Compression before the data is known to be good is a way in, and editors do not ask for it.
  compress: ['none'],
}

export class SshDoor {
  readonly #deps: DoorDeps
  readonly #listener: NetServer
  readonly #ssh: Server
  readonly #isAgent: (address: string | undefined) => boolean
  readonly #throttle: FailureThrottle
  /** By address and port of the client. ssh2 tells a connection only by these. */
  readonly #sockets = new Map<string, Socket>()
  readonly #waiting = new Map<Socket, Waiting>()

  constructor(deps: DoorDeps) {
    this.#deps = deps
    this.#isAgent = matcher(deps.agentSubnets)
    this.#throttle = new FailureThrottle(FAILURES, deps.clock)
    this.#ssh = new ssh2.Server(
      {
        hostKeys: [deps.hostKey],
        ident: 'Slipway',
        algorithms: ALGORITHMS,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: KEEPALIVE_MISSES,
      },
      (client, { ip, port }) => this.#greet(client, this.#sockets.get(`${ip} ${port}`)),
    )
    this.#listener = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#take(socket))
  }

  /** Resolves with the port. Rejects with the error of listening. */
  async listen(host: string, port: number): Promise<number> {
    this.#listener.listen({ host, port })
    await once(this.#listener, 'listening')
    this.#listener.on('error', (error) => this.#deps.log.error({ err: error }, 'the ssh server failed to accept'))
    const address = this.#listener.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  /** Accepts no connection any more, and closes those that have not proven who they are. */
  close(): void {
    this.#listener.close()
    for (const socket of [...this.#waiting.keys()]) socket.destroy()
  }

  #take(socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket
    // Agents run untrusted code, and have no business here.
    if (address === undefined || this.#isAgent(address)) return void socket.resetAndDestroy()
    const name = `${address} ${port}`
    const network = networkOf(address)
    const refusal = this.#refusalOf(network, name)
    if (refusal !== null) {
      this.#deps.metrics.refused(refusal)
      socket.destroy()
      return
    }
    const source = { address, requestId: this.#deps.newId() }
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
    timer.unref()
    this.#sockets.set(name, socket)
    this.#waiting.set(socket, { network, source, timer, requests: 0, hasTried: false })
    socket.once('close', () => {
      this.#sockets.delete(name)
      this.#gone(socket)
    })
    this.#ssh.injectSocket(socket)
  }

  #refusalOf(network: string, name: string): Refusal | null {
    if (this.#throttle.blockedFor(network) > 0) return 'throttled'
    const ofNetwork = [...this.#waiting.values()].filter((other) => other.network === network).length
    const isFull = this.#waiting.size >= WAITING_MAX || ofNetwork >= WAITING_PER_NETWORK
    return isFull || this.#sockets.has(name) ? 'full' : null
  }

  /** A client that tried and proved nothing counts as one failure of its network. */
  #gone(socket: Socket): void {
    const waiting = this.#waiting.get(socket)
    if (!waiting) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(socket)
    if (!waiting.hasTried) return
    this.#throttle.fail(waiting.network)
    this.#deps.metrics.refused('key')
    this.#deps.log.info({ ...waiting.source }, 'a client over ssh proved no key that may use the agent')
  }

  #greet(client: Client, socket: Socket | undefined): void {
    const waiting = socket && this.#waiting.get(socket)
    client.on('error', (error) => {
      this.#deps.log.debug({ err: error }, 'a connection over ssh broke')
      // A peer that is gone does not answer the end of a connection.
      if ((error as { level?: string }).level === 'client-timeout') socket?.destroy()
    })
    if (!socket || !waiting) return void client.end()
    client.on('authentication', (offer) => {
      void this.#decide({ client, socket }, waiting, offer).catch((error: unknown) => {
        this.#deps.log.error({ err: error, ...waiting.source }, 'a key over ssh could not be checked')
        if (!socket.destroyed) offer.reject(['publickey'])
      })
    })
  }

  /** Every refusal is the same answer, whatever its reason. */
  async #decide(wire: Wire, waiting: Waiting, offer: AuthContext): Promise<void> {
    const { mayUse, open } = this.#deps
    waiting.requests += 1
    waiting.hasTried ||= offer.method !== 'none'
    const isTooMany = waiting.requests > AUTH_REQUESTS_MAX
    // Passwords are not even looked at.
    if (offer.method !== 'publickey' || isTooMany) {
      offer.reject(['publickey'])
      if (isTooMany) wire.client.end()
      return
    }
    const attempt = { agentName: offer.username, offer, source: waiting.source }
    if (offer.signature === undefined) {
      if (await mayUse(attempt)) return offer.accept()
    } else if (await open(wire, attempt)) {
      clearTimeout(waiting.timer)
      this.#waiting.delete(wire.socket)
      this.#throttle.clear(waiting.network)
      return offer.accept()
    }
    offer.reject(['publickey'])
  }
}
