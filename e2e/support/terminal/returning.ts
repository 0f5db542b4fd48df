/** A client that reconnects. It collects the output of all its sockets, in order. */
import { TerminalClient } from '@slipway/testing'

export class Returning {
  #client: TerminalClient
  readonly #path: string
  readonly #token: string
  #before = Buffer.alloc(0)
  readonly #session: string

  private constructor(client: TerminalClient, path: string, token: string) {
    this.#client = client
    this.#path = path
    this.#token = token
    this.#session = client.sessionId
  }

  static async begin(baseUrl: string, path: string, token: string): Promise<Returning> {
    const client = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token, v: 2, client: 'returning' })
    return new Returning(client, path, token)
  }

  get client(): TerminalClient {
    return this.#client
  }

  /** All received output. */
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

  /**
   * Reconnects with its offset. Throws unless the output continues exactly there. Closes the old socket in any state.
   */
  async comeBack(baseUrl: string): Promise<void> {
    this.#client.cut()
    await this.#client.closed
    this.#before = Buffer.concat([this.#before, this.#client.output])
    const { offset } = this.#client
    const hello = { client: 'returning', session: this.#session, offset }
    const target = { baseUrl, path: this.#path }
    this.#client = await TerminalClient.open(target, { type: 'auth', token: this.#token, v: 2, ...hello })
    const [welcome] = this.#client.of('auth_success')
    if (welcome?.offset !== offset || welcome.sessionId !== this.#session)
      throw new Error(
        `reconnected to ${welcome?.sessionId} at ${welcome?.offset}, and not to ${this.#session} at ${offset}`,
      )
  }
}
