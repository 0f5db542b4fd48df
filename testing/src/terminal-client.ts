/** A client of the terminal's WebSocket that keeps what it receives, for tests that look at it. */
import type { ServerFrame } from '@slipway/protocol'
import { type SocketOptions, TerminalSocket } from './terminal-socket.ts'

export interface ClientOptions extends SocketOptions {
  /** Address of the server: `http://…` or `https://…`. */
  readonly baseUrl: string
  /** Path below `/api`, with its query. */
  readonly path: string
}

/** How long a test waits for one of many terminals on two busy cores, in milliseconds. */
const PATIENCE_MS = 120_000
/** At most so much of the output is repeated in an error, in characters. */
const REPEATED_CHARACTERS = 2000

type Frame<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>

const connected = new Set<TerminalClient>()

/** Disconnects every client that a test left connected; for `afterEach`. */
export const disconnectAll = async (): Promise<void> => {
  await Promise.all([...connected].map((client) => client.disconnect()))
}

export class TerminalClient extends TerminalSocket {
  /** Every text frame, in order. */
  readonly frames: ServerFrame[] = []
  #chunks: Buffer[] = []
  #received = 0
  /** Functions that check a condition again, called after each frame, each piece of output, and the end. */
  readonly #waiting = new Set<() => void>()

  /** Connects, and sends nothing yet. */
  constructor({ baseUrl, path, ...options }: ClientOptions) {
    super(`${baseUrl.replace('http', 'ws')}/api${path}`, options)
    connected.add(this)
    this.onFrame((frame) => {
      this.frames.push(frame)
      this.#changed()
    })
    this.onOutput((bytes) => {
      this.#chunks.push(bytes)
      this.#received += bytes.length
      this.#changed()
    })
    void this.closed.then(() => {
      connected.delete(this)
      this.#changed()
    })
  }

  /** Connects and authenticates; rejects when the server's answer is anything but `auth_success`. */
  static async open(options: ClientOptions, first: object): Promise<TerminalClient> {
    const client = new TerminalClient(options)
    await client.enter(first)
    return client
  }

  /** Connects and sends the first message. The server may refuse it. */
  static async say(options: ClientOptions, first: object): Promise<TerminalClient> {
    const client = new TerminalClient(options)
    await client.refused
    client.send(first)
    return client
  }

  /** Resolves when the server has sent `auth_success`, or has refused the client and closed. */
  answered(): Promise<void> {
    return this.until('an answer', () => this.isClosed || this.of('auth_success').length > 0)
  }

  /** The frames of one type, in order. */
  of<T extends ServerFrame['type']>(type: T): Frame<T>[] {
    return this.frames.filter((frame): frame is Frame<T> => frame.type === type)
  }

  /** The session's id. Empty before `auth_success`, and always in version 1. */
  get sessionId(): string {
    return this.of('auth_success')[0]?.sessionId ?? ''
  }

  /** The people in the session, by the server's last frame about them: "1 ann@example.org has control". */
  get people(): string[] {
    const { people = [] } = this.of('people').at(-1) ?? {}
    return people.map(({ id, name, hasControl, asks }) =>
      [id, name, hasControl && 'has control', asks && 'asks'].filter(Boolean).join(' '),
    )
  }

  /** Bytes received so far, screens included. */
  get received(): number {
    return this.#received
  }

  /** All bytes received, screens included. */
  get output(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  get text(): string {
    return this.output.toString('utf8')
  }

  /** The last few kilobytes. After megabytes of output, tests look only at these. */
  get tail(): string {
    return Buffer.concat(this.#chunks.slice(-2)).subarray(-4096).toString('utf8')
  }

  /**
   * Waits until a condition holds, and checks it after each frame and each piece of output. Rejects when the connection
   * ends first.
   */
  async until(what: string, holds: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(look)
      }
      const fail = (why: string): void => {
        stop()
        const seen = [JSON.stringify(this.frames), this.text.slice(-REPEATED_CHARACTERS)]
        reject(new Error([`${why}: ${what}`, ...seen].join('\n')))
      }
      const look = (): void => {
        if (holds()) {
          stop()
          resolve()
        } else if (this.isClosed) fail('closed')
      }
      const timer = setTimeout(() => fail(`waited ${patienceMs} ms in vain`), patienceMs)
      this.#waiting.add(look)
      look()
    })
  }

  /** Runs a line in a shell. Resolves with what the line printed, without its echo. */
  async run(line: string, patienceMs = PATIENCE_MS): Promise<string> {
    const mark = `mark${Math.random().toString(36).slice(2)}`
    const from = this.text.length
    // The shell puts the mark together, so that its echo does not contain it.
    this.type(`${line}; echo "${mark.slice(0, 6)}""${mark.slice(6)}"\r`)
    await this.until(`${line} to end`, () => this.text.includes(mark, from), patienceMs)
    const all = this.text.slice(from)
    return all.slice(all.indexOf('\n') + 1, all.indexOf(mark)).replaceAll('\r', '')
  }

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}
