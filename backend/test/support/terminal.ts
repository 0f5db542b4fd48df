/** A terminal over a real connection, as a client of the protocol's second version. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { TestApp } from './app.ts'
import { addressOf } from './listener.ts'
import { until } from './until.ts'

interface Frame {
  readonly type: string
  readonly message?: string
  readonly reason?: string
  readonly sessionId?: string
}

export class Terminal {
  readonly frames: Frame[] = []
  /** Settled with the close code. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #text = ''

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#text += data.toString('utf8')
      else this.frames.push(JSON.parse(data.toString('utf8')) as Frame)
    })
    this.closed = once(socket, 'close').then(([code]) => code as number)
  }

  /** A shell in the agent, ready to type into. */
  static async bash(app: Pick<TestApp, 'app'>, agent: string, token: string): Promise<Terminal> {
    const socket = new WebSocket(`ws://${await addressOf(app)}/api/agents/${agent}/terminal?mode=bash`)
    const terminal = new Terminal(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token, v: 2, cols: 80, rows: 24 }))
    await until('the prompt', () => terminal.#text.includes('$ '))
    return terminal
  }

  /** Whatever was left of the session on the server. */
  get sessionId(): string {
    return this.frames[0]?.sessionId ?? ''
  }

  /** Types whether or not anybody listens any more, as a hostile client would. */
  type(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(Buffer.from(text))
  }

  /** Runs a command that is over when it has printed `done`. */
  async run(command: string, deadlineMs?: number): Promise<void> {
    const from = this.#text.length
    this.type(`${command}; echo do''ne\r`)
    await until(`${command} to end`, () => this.#text.includes('done', from), deadlineMs)
  }

  close(): void {
    this.#socket.close(1000)
  }
}
