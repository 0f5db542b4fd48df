/** A client of the terminal's protocol, written from its description alone. */
import type { ServerFrame } from '@slipway/protocol'
import WebSocket from 'ws'

export interface TerminalOptions {
  readonly baseUrl: string
  /** Below `/api`, with its query. */
  readonly path: string
  readonly origin?: string
  /** The authority to trust, over TLS. */
  readonly ca?: string
}

/** How long one of many terminals may take to do what a test waits for on two busy cores, in milliseconds. */
const PATIENCE_MS = 60_000

const open = new Set<TerminalClient>()

/** Ends what a test left open; for `afterEach`. */
export const disconnectAll = async (): Promise<void> => {
  await Promise.all([...open].map((client) => client.disconnect()))
}

export class TerminalClient {
  readonly socket: WebSocket
  readonly frames: ServerFrame[] = []
  /** Settled with the close code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>
  /** The status of an upgrade that was refused; null once the socket is open. */
  readonly refused: Promise<number | null>
  #chunks: Buffer[] = []
  #received = 0
  #changed = (): void => undefined
  #isClosed = false

  constructor({ baseUrl, path, origin, ca }: TerminalOptions) {
    const options = { ...(origin === undefined ? {} : { origin }), ...(ca === undefined ? {} : { ca }) }
    this.socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api${path}`, options)
    open.add(this)
    this.refused = new Promise((resolve) => {
      this.socket.once('open', () => resolve(null))
      this.socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0)
        response.resume()
      })
    })
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        this.#isClosed = true
        open.delete(this)
        resolve({ code, reason: reason.toString() })
        this.#changed()
      })
    })
    this.socket.on('error', () => undefined)
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        this.#chunks.push(data)
        this.#received += data.length
      } else this.frames.push(JSON.parse(data.toString()) as ServerFrame)
      this.#changed()
    })
  }

  /** Opens the socket and authenticates; fails when the answer is anything but `auth_success`. */
  static async open(options: TerminalOptions, first: object): Promise<TerminalClient> {
    const client = new TerminalClient(options)
    await client.refused
    client.send(first)
    await client.until('auth_success', () => client.frames[0]?.type === 'auth_success')
    return client
  }

  /** Bytes of output so far. */
  get received(): number {
    return this.#received
  }

  get output(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  get text(): string {
    return this.output.toString('utf8')
  }

  /** The last few kilobytes: what to look at after megabytes. */
  get tail(): string {
    return Buffer.concat(this.#chunks.slice(-2)).subarray(-4096).toString('utf8')
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  type(input: string | Buffer): void {
    this.socket.send(Buffer.from(input))
  }

  /** Waits for a condition that holds after some frame or chunk. */
  async until(what: string, holds: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    if (holds()) return
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Error([`${why}: ${what}`, JSON.stringify(this.frames), this.text.slice(-2000)].join('\n')))
      const timer = setTimeout(() => fail('waited in vain'), patienceMs)
      this.#changed = () => {
        if (!holds() && !this.#isClosed) return
        clearTimeout(timer)
        if (holds()) resolve()
        else fail('closed')
      }
    })
  }

  /** Runs a line in a shell and answers what it printed, without the echo. */
  async run(line: string): Promise<string> {
    const mark = `mark${Math.random().toString(36).slice(2)}`
    const from = this.text.length
    // The mark is put together by the shell, so that its echo is not taken for it.
    this.type(`${line}; echo "${mark.slice(0, 6)}""${mark.slice(6)}"\r`)
    await this.until(`${line} to end`, () => this.text.includes(mark, from))
    const all = this.text.slice(from)
    return all.slice(all.indexOf('\n') + 1, all.indexOf(mark)).replaceAll('\r', '')
  }

  /** Disconnect, as the button does it: ends the session. */
  async disconnect(): Promise<void> {
    this.socket.close(1000)
    await this.closed
  }
}
