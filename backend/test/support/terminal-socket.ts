/** A terminal over a real connection, as far as the back end's own tests need one. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from './until.ts'

export class TerminalSocket {
  readonly #socket: WebSocket
  #text = ''
  #isOpen = false
  /** Settled with the close code. */
  readonly closed: Promise<number>

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#text += data.toString('utf8')
      else if ((JSON.parse(data.toString('utf8')) as { type: string }).type === 'auth_success') this.#isOpen = true
    })
  }

  /** Resolves when it is open, or was refused. */
  static async open(url: string, token: string): Promise<TerminalSocket> {
    const socket = new WebSocket(url)
    const terminal = new TerminalSocket(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token }))
    let isClosed = false
    void terminal.closed.then(() => (isClosed = true))
    await until('an answer', () => terminal.#isOpen || isClosed, 30_000)
    return terminal
  }

  type(text: string): void {
    this.#socket.send(Buffer.from(text))
  }

  async shows(text: string): Promise<void> {
    await until(`${text} on the terminal`, () => this.#text.includes(text))
  }

  close(): void {
    this.#socket.close(1000)
  }
}
