/** HTTP to a port of an agent. Connections are kept open between requests, as between a browser and a server. */
import { Agent, type ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** Most connections that wait for another request. */
const IDLE_MAX = 8
/** How long they wait, in milliseconds: shorter than the servers of most programs wait, which is five seconds in Node.js. */
const IDLE_MS = 4000

/** What Node.js calls on a socket, and a stream from a container does not have. */
const SOCKET_CALLS = ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'] as const

/** Completes a stream to what `http.Agent` expects of a socket. These calls change nothing. */
const asSocket = (stream: Duplex): Duplex => {
  // Like a socket, it ends its own side when the other one has ended.
  stream.allowHalfOpen = false
  for (const name of SOCKET_CALLS) Object.defineProperty(stream, name, { value: () => stream })
  return stream
}

export class PortPool extends Agent {
  readonly #connect: () => Promise<Duplex>
  #isRetired = false
  /** How a connection that waits is made to wait no more. */
  readonly #waiting = new WeakMap<Duplex, () => void>()

  /** `connect` makes a new connection. */
  constructor(connect: () => Promise<Duplex>) {
    super({ keepAlive: true, maxFreeSockets: IDLE_MAX })
    this.#connect = connect
  }

  override createConnection(_options: object, created?: (error: Error | null, stream: Duplex) => void): undefined {
    this.#connect().then(
      (stream) => created?.(null, asSocket(stream)),
      (error: unknown) => created?.(error instanceof Error ? error : new Error(String(error)), null as never),
    )
  }

  /** Until it is used again: an app that closes it, or sends what was not asked for, ends it. Otherwise that went unseen. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#isRetired) return false
    const end = (): void => void socket.destroy()
    const timer = setTimeout(end, IDLE_MS)
    timer.unref()
    socket.once('end', end).once('data', end)
    this.#waiting.set(socket, () => {
      clearTimeout(timer)
      socket.off('end', end).off('data', end)
    })
    return true
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#waiting.get(socket)?.()
    // Removes the listener that Node.js adds each time a connection becomes free.
    super.reuseSocket(socket, request)
  }

  /** Closes each connection when it is free. */
  retire(): void {
    this.#isRetired = true
    this.closeWaiting()
  }

  /** Closes the connections that wait, so that the next request gets a new one. */
  closeWaiting(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}
