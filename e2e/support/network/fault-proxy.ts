/** A network between a client and a server. A test can inject any fault that keeps the order of bytes. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The network's condition, for each direction. */
export interface Weather {
  /** Bytes wait, and neither side gets an error. */
  readonly isStalled: boolean
  /** In milliseconds. */
  readonly delayMs: number
  readonly bytesPerSecond: number
}

const FAIR: Weather = { isStalled: false, delayMs: 0, bytesPerSecond: Infinity }
/** Most bytes in flight in one direction. Beyond that the sender's own socket fills. */
const ON_ITS_WAY_BYTES = 65_536
/** Interval of a slow link, in milliseconds. */
const TICK_MS = 10

/** One direction of one connection. */
class Way {
  readonly #from: Socket
  readonly #to: Socket
  readonly #weather: () => Weather
  #queue: { bytes: Buffer; readonly at: number }[] = []
  #bytes = 0
  /** Bytes that a slow link may carry now: those since the last check, for at most a tenth of a second. */
  #allowed = 0
  #lookedAt = performance.now()
  #timer: NodeJS.Timeout | null = null

  constructor(from: Socket, to: Socket, weather: () => Weather) {
    this.#from = from
    this.#to = to
    this.#weather = weather
    from.on('data', (bytes: Buffer) => {
      this.#queue.push({ bytes, at: performance.now() })
      this.#bytes += bytes.length
      if (this.#bytes > ON_ITS_WAY_BYTES) from.pause()
      this.move()
    })
    from.on('end', () => this.move())
    to.on('drain', () => this.move())
  }

  /** Forwards bytes that have waited long enough. Call it again after a change of the weather. */
  move(): void {
    const { isStalled, delayMs, bytesPerSecond } = this.#weather()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (isStalled || this.#to.destroyed) return
    const now = performance.now()
    const carried = bytesPerSecond === Infinity ? Infinity : (bytesPerSecond * (now - this.#lookedAt)) / 1000
    this.#allowed = Math.min(this.#allowed + carried, bytesPerSecond / 10)
    this.#lookedAt = now
    for (let first = this.#queue[0]; first && this.#allowed >= 1 && !this.#to.writableNeedDrain;) {
      const waitMs = first.at + delayMs - now
      if (waitMs > 0) return this.#later(waitMs)
      const piece = first.bytes.subarray(0, Math.floor(this.#allowed))
      this.#allowed -= piece.length
      this.#bytes -= piece.length
      if (piece.length === first.bytes.length) this.#queue.shift()
      else first.bytes = first.bytes.subarray(piece.length)
      this.#to.write(piece)
      first = this.#queue[0]
    }
    if (this.#bytes <= ON_ITS_WAY_BYTES) this.#from.resume()
    if (this.#queue.length > 0 && !this.#to.writableNeedDrain) this.#later(TICK_MS)
    if (this.#queue.length === 0 && this.#from.readableEnded) this.#to.end()
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => this.move(), ms)
  }
}

/** A connection through the proxy. */
interface Link {
  readonly client: Socket
  readonly server: Socket
  readonly ways: readonly Way[]
}

export class FaultProxy {
  readonly #links = new Set<Link>()
  #weather = FAIR
  readonly #listener = createServer({ allowHalfOpen: true }, (client) => this.#join(client))
  readonly #target: URL

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  /** Opens a proxy in front of `target`, an address with a port. */
  static async before(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target)
    await new Promise<void>((resolve) => proxy.#listener.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`
  }

  /** Number of connections that the server has not closed. */
  get connections(): number {
    return [...this.#links].filter(({ server }) => !server.destroyed && !server.readableEnded).length
  }

  /** Changes the weather, also for bytes in flight. Fields that are not named return to normal. */
  become(weather: Partial<Weather> = {}): void {
    this.#weather = { ...FAIR, ...weather }
    for (const { ways } of this.#links) for (const way of ways) way.move()
  }

  /** Resets every connection at both sides. Bytes in flight are lost. */
  drop(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }

  /** Ends the stream to one side. The other direction stays open. */
  halfClose(side: 'client' | 'server'): void {
    for (const link of this.#links) link[side].end()
  }

  async close(): Promise<void> {
    this.drop()
    await new Promise((resolve) => this.#listener.close(resolve))
  }

  #join(client: Socket): void {
    const server = connect({ host: this.#target.hostname, port: Number(this.#target.port), allowHalfOpen: true })
    const weather = (): Weather => this.#weather
    const link = { client, server, ways: [new Way(client, server, weather), new Way(server, client, weather)] }
    this.#links.add(link)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // The tests are about small frames.
      socket.setNoDelay()
      socket.on('error', () => undefined)
      socket.on('close', (hadError) => {
        // During a stall, neither side learns that the other has closed.
        if (hadError && !this.#weather.isStalled) other.destroy()
        if (!client.destroyed || !server.destroyed) return
        for (const way of link.ways) way.stop()
        this.#links.delete(link)
      })
    }
  }
}
