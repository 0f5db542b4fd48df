/** A terminal over a real connection, as a client of the protocol's second version. */
import { once } from 'node:events'
import type { Participant, RecordedParts } from '@slipway/protocol'
import { afterEach } from 'vitest'
import { WebSocket } from 'ws'
import type { TestApp } from './app.ts'
import { addressOf } from './listener.ts'
import { until } from './until.ts'

interface Frame {
  readonly you?: string
  readonly people?: readonly Participant[]
  readonly refusal?: string
  readonly recorded?: RecordedParts
  readonly cols?: number
  readonly rows?: number
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

  /** Says its first message, and waits for nothing. */
  static async open(app: Pick<TestApp, 'app'>, path: string, first: object): Promise<Terminal> {
    const socket = new WebSocket(`ws://${await addressOf(app)}/api${path}`)
    const terminal = new Terminal(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', v: 2, ...first }))
    return terminal
  }

  /** A shell in the agent, ready to type into. */
  static async bash(app: Pick<TestApp, 'app'>, agent: string, token: string): Promise<Terminal> {
    const terminal = await Terminal.open(app, `/agents/${agent}/terminal?mode=bash`, { token, cols: 80, rows: 24 })
    await until('the prompt', () => terminal.#text.includes('$ '))
    return terminal
  }

  /** Whatever was left of the session on the server. */
  get sessionId(): string {
    return this.frames[0]?.sessionId ?? ''
  }

  /** Everything that was printed. */
  get text(): string {
    return this.#text
  }

  /** Who is in it, as it was told last: "1 ann@example.org has control". */
  get people(): string[] {
    const { people = [] } = this.frames.findLast(({ type }) => type === 'people') ?? {}
    return people.map(({ id, name, hasControl, asks }) =>
      [id, name, hasControl && 'has control', asks && 'asks'].filter(Boolean).join(' '),
    )
  }

  /** A frame of the protocol. */
  say(frame: object): void {
    this.#socket.send(JSON.stringify(frame))
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

  close(code = 1000): void {
    this.#socket.close(code)
  }
}

/** Call once at the top of a file: what it answers keeps a terminal, which is closed when the test is over. */
export const useTerminals = (): ((terminal: Terminal) => Terminal) => {
  const open: Terminal[] = []
  afterEach(async () => {
    const all = open.splice(0)
    for (const terminal of all) terminal.close()
    await Promise.all(all.map(({ closed }) => closed))
  })
  return (terminal) => {
    open.push(terminal)
    return terminal
  }
}
