/**
 * A client of the terminal's WebSocket. It counts, acknowledges and passes on what it receives, and keeps none of it.
 */
import { ACK_EVERY_BYTES, type AuthSuccessFrame, type ServerFrame } from '@slipway/protocol'
import WebSocket from 'ws'

/** If no output comes for so long, the client acknowledges what it has received, in milliseconds. */
const IDLE_ACK_MS = 100
/** Longest time for the server's answer to the first message on two busy cores, in milliseconds. */
const ENTERED_WITHIN_MS = 120_000

/** How a connection ended. */
export interface Closed {
  readonly code: number
  readonly reason: string
}

export interface SocketOptions {
  /** The `Origin` header, which a browser sends for the page that opens the socket. */
  readonly origin?: string
  /** The certificate authority that the client trusts, over TLS. */
  readonly ca?: string
  /**
   * Acknowledges output as soon as it is received. Only for version 2: version 1 would type the acknowledgement into
   * the terminal.
   */
  readonly acknowledges?: boolean
}

export class TerminalSocket {
  readonly socket: WebSocket
  /** Settles when the connection ends. */
  readonly closed: Promise<Closed>
  /** The HTTP status with which the server refused the upgrade, or null once the socket is open. */
  readonly refused: Promise<number | null>
  readonly #onOutput: ((bytes: Buffer) => void)[] = []
  readonly #onFrame: ((frame: ServerFrame) => void)[] = []
  /** Fires after {@link IDLE_ACK_MS} without output. Null for a client that acknowledges nothing by itself. */
  readonly #idle: NodeJS.Timeout | null
  #offset = 0
  #acknowledged = 0
  /** Bytes of a screen that are still to come. They are not part of the output. */
  #screenLeft = 0
  #failure: Error | null = null

  /** Connects, and sends nothing yet. */
  constructor(url: string, { origin, ca, acknowledges = false }: SocketOptions = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, origin, ca })
    this.#idle = acknowledges ? setTimeout(() => this.acknowledge(), IDLE_ACK_MS) : null
    this.refused = new Promise((resolve) => {
      this.socket.once('open', () => resolve(null))
      this.socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0)
        response.resume()
      })
    })
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        if (this.#idle) clearTimeout(this.#idle)
        resolve({ code, reason: reason.toString() })
      })
    })
    this.socket.on('error', (error) => (this.#failure = error))
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#receive(data)
      else this.#hear(JSON.parse(data.toString()) as ServerFrame)
    })
  }

  /** Offset of the next byte in the session's output. Screens do not count. */
  get offset(): number {
    return this.#offset
  }

  get isClosed(): boolean {
    return this.socket.readyState === WebSocket.CLOSED
  }

  /** Calls the listener with each piece of output and of screens, after it was counted. */
  onOutput(listener: (bytes: Buffer) => void): void {
    this.#onOutput.push(listener)
  }

  onFrame(listener: (frame: ServerFrame) => void): void {
    this.#onFrame.push(listener)
  }

  /**
   * Sends the first message as soon as the socket is open, and resolves with the server's `auth_success`. Rejects with
   * the server's message if the server refuses. Rejects, too, if the connection fails or ends.
   */
  async enter(first: object): Promise<AuthSuccessFrame> {
    const { promise, resolve, reject } = Promise.withResolvers<AuthSuccessFrame>()
    const timer = setTimeout(() => reject(new Error('the server did not answer')), ENTERED_WITHIN_MS)
    this.onFrame((frame) => {
      if (frame.type === 'auth_success') resolve(frame)
      else if (frame.type === 'error') reject(new Error(frame.message))
    })
    void this.closed.then(({ code }) => reject(this.#failure ?? new Error(`the terminal closed with ${code}`)))
    void this.refused.then((status) => {
      if (status === null) this.send(first)
      else reject(new Error(`the server answered the upgrade with ${status}`))
    })
    return promise.finally(() => clearTimeout(timer))
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** Sends input, whether or not the server still reads it, as a hostile client would. */
  type(input: string | Buffer): void {
    this.socket.send(Buffer.from(input))
  }

  resize(cols: number, rows: number): void {
    this.send({ type: 'resize', cols, rows })
  }

  /**
   * Acknowledges the output before `upTo`. Does nothing if it is acknowledged already, or if the socket is not open.
   */
  acknowledge(upTo = this.#offset): void {
    if (upTo <= this.#acknowledged || this.socket.readyState !== WebSocket.OPEN) return
    this.#acknowledged = upTo
    this.send({ type: 'ack', offset: upTo })
  }

  /** Closes the socket. The code 1000 ends the session. With any other code the session is kept and waits. */
  close(code = 1000): void {
    this.socket.close(code)
  }

  /** Disconnects, and resolves when the connection has ended. */
  async disconnect(): Promise<void> {
    this.close()
    await this.closed
  }

  /** Drops the connection without a close frame, as a laptop does when its lid is closed. */
  cut(): void {
    this.socket.terminate()
  }

  #receive(bytes: Buffer): void {
    const ofScreen = Math.min(this.#screenLeft, bytes.length)
    this.#screenLeft -= ofScreen
    this.#offset += bytes.length - ofScreen
    for (const listener of this.#onOutput) listener(bytes)
    if (this.#idle === null) return
    if (this.#offset - this.#acknowledged >= ACK_EVERY_BYTES) this.acknowledge()
    else this.#idle.refresh()
  }

  #hear(frame: ServerFrame): void {
    if (frame.type === 'auth_success' || frame.type === 'snapshot') {
      this.#offset = this.#acknowledged = frame.offset ?? 0
      this.#screenLeft = frame.type === 'snapshot' ? frame.bytes : 0
    }
    for (const listener of this.#onFrame) listener(frame)
  }
}
