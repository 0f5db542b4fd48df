/** A client that comes back: what it was given over all its sockets, in order. */
import type { AuthSuccessFrame } from '@slipway/protocol'
import { TerminalClient } from './terminal.ts'

export class Returning {
  #client: TerminalClient
  readonly #path: string
  readonly #token: string
  #before = Buffer.alloc(0)
  #offset: number
  readonly #session: string

  private constructor(client: TerminalClient, path: string, token: string) {
    this.#client = client
    this.#path = path
    this.#token = token
    const { sessionId = '', offset = 0 } = client.frames[0] as AuthSuccessFrame
    this.#session = sessionId
    this.#offset = offset
  }

  static async begin(baseUrl: string, path: string, token: string): Promise<Returning> {
    const client = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token, v: 2, client: 'returning' })
    return new Returning(client, path, token)
  }

  get client(): TerminalClient {
    return this.#client
  }

  /** Everything that was received. */
  get text(): string {
    return this.#before.toString('utf8') + this.#client.text
  }

  /** Waits for a condition that holds after some output. */
  until(what: string, holds: () => boolean): Promise<void> {
    return this.#client.until(what, holds)
  }

  type(input: string): void {
    this.#client.type(input)
  }

  /** Says what it has over a new socket; fails unless exactly what follows comes. Its old socket is given up, whatever became of it. */
  async comeBack(baseUrl: string): Promise<void> {
    this.#client.socket.terminate()
    await this.#client.closed
    this.#before = Buffer.concat([this.#before, this.#client.output])
    this.#offset += this.#client.received
    const hello = { client: 'returning', session: this.#session, offset: this.#offset }
    const target = { baseUrl, path: this.#path }
    this.#client = await TerminalClient.open(target, { type: 'auth', token: this.#token, v: 2, ...hello })
    const { offset, sessionId } = this.#client.frames[0] as AuthSuccessFrame
    if (offset !== this.#offset || sessionId !== this.#session)
      throw new Error(`came back to ${sessionId} at ${offset}, and not to ${this.#session} at ${this.#offset}`)
  }
}
