/** The part of the platform's HTTP API that the measurements need. */

export class Api {
  readonly base: string
  readonly token: string

  constructor(base: string, token: string) {
    this.base = base
    this.token = token
  }

  static async signIn(base: string, email: string, password: string): Promise<Api> {
    const { accessToken } = await new Api(base, '').post<{ accessToken: string }>('/auth/login', { email, password })
    return new Api(base, accessToken)
  }

  get<T>(path: string): Promise<T> {
    return this.#send<T>('GET', path)
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.#send<T>('POST', path, body)
  }

  put(path: string, body: unknown): Promise<unknown> {
    return this.#send('PUT', path, body)
  }

  patch(path: string, body: unknown): Promise<unknown> {
    return this.#send('PATCH', path, body)
  }

  /** The address of an agent's terminal. */
  terminalUrl(agent: string): string {
    return `${this.base.replace('http', 'ws')}/api/agents/${agent}/terminal?mode=bash`
  }

  async #send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.base}/api${path}`, {
      method,
      headers: {
        // Connections that stay open would count as the server's.
        connection: 'close',
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }
}
