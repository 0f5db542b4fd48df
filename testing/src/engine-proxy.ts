/** The container engine behind a socket of the test, which the test can cut like a cable. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The engine's socket. */
const ENGINE = process.env['DOCKER_HOST']?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock'

/** The head of the engine's answer to a request for its events. */
const EVENTS_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
const END_OF_HEAD = '\r\n\r\n'

/** A proxy to the engine. It accepts no connection before {@link open}. */
export class EngineProxy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-test-engine-'))
  readonly path = join(this.#folder, 'engine.sock')
  readonly #sockets = new Set<Socket>()
  readonly #events = new Set<Socket>()
  #server: Server | null = null
  #frozen = false
  /** Passes on the requests for events that wait; null: none has to wait. */
  #late: (() => void)[] | null = null

  /** Passes on every connection. */
  async open(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#carry(client))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.path, resolve))
  }

  /** Ends every connection and accepts no new ones. */
  async cut(): Promise<void> {
    const server = this.#server
    this.#server = null
    for (const socket of this.#sockets) socket.destroy()
    if (server) await new Promise((resolve) => server.close(resolve))
  }

  /** Ends only the connections that follow the engine's events. */
  cutEvents(): void {
    for (const socket of this.#events) socket.destroy()
  }

  /** From now on it answers requests for events at once, and the engine gets them with {@link passOnEvents}. */
  answerEventsEarly(): void {
    this.#late = []
  }

  passOnEvents(): void {
    for (const passOn of this.#late ?? []) passOn()
    this.#late = null
  }

  /** Accepts connections and requests, and sends no answers. */
  freeze(): void {
    this.#frozen = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** Sends the answers that were due meanwhile, as an engine does that continues after SIGSTOP. */
  thaw(): void {
    this.#frozen = false
    for (const socket of this.#sockets) socket.resume()
  }

  /** Closes the proxy and removes its socket. */
  async remove(): Promise<void> {
    await this.cut()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #carry(client: Socket): void {
    const engine = connect({ path: ENGINE, allowHalfOpen: true })
    this.#keep(client)
    this.#keep(engine)
    client.on('close', () => engine.destroy())
    engine.on('close', () => client.destroy())
    client.once('data', (first: Buffer) => {
      const isForEvents = first.toString('latin1').startsWith('GET /events')
      if (isForEvents) this.#events.add(client)
      if (isForEvents && this.#late) {
        client.write(EVENTS_HEAD)
        this.#late.push(() => passOnLate(first, { client, engine }))
        return
      }
      engine.write(first)
      client.pipe(engine)
      engine.pipe(client)
    })
    if (this.#frozen) this.freeze()
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#events.delete(socket)
    })
  }
}

/** Sends a request whose answer's head the client has. */
const passOnLate = (request: Buffer, { client, engine }: { client: Socket; engine: Socket }): void => {
  let answer = Buffer.alloc(0)
  engine.on('data', (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk])
    const end = answer.indexOf(END_OF_HEAD)
    if (end < 0) return
    engine.removeAllListeners('data')
    client.write(answer.subarray(end + END_OF_HEAD.length))
    engine.pipe(client)
  })
  engine.write(request)
}
