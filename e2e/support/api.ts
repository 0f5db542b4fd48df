/** The REST API, called by a signed-in user or with an API token. */
import { randomBytes } from 'node:crypto'
import type { Agent, CreateAgent, CreatedApiToken, CreatedUser, Role, Scope, SignedIn } from '@slipway/protocol'
import { inject } from 'vitest'
import { ADMIN } from './server.ts'

export const PASSWORD = 'another horse battery'

export interface Answer<T> {
  readonly status: number
  readonly body: T
}

/** A token. One of a sign-in is renewed by another sign-in before it expires, as a page does. */
interface Held {
  token: string
  /** When it is renewed, by `performance.now()`; never for an API token. */
  renewAt: number
}

/** Less than the 15 minutes for which an access token is valid, in milliseconds. */
const RENEW_AFTER_MS = 600_000
/** When a renewal that failed is tried again, in milliseconds: the server may have been restarting. */
const RENEW_AGAIN_MS = 10_000

export class Client {
  readonly baseUrl: string
  readonly userId: string
  readonly email: string
  readonly #held: Held

  /** @param token one that is a text is never renewed */
  constructor(baseUrl: string, token: Held | string, user: { id: string; email: string }) {
    this.baseUrl = baseUrl
    this.#held = typeof token === 'string' ? { token, renewAt: Infinity } : token
    this.userId = user.id
    this.email = user.email
  }

  get token(): string {
    return this.#held.token
  }

  /** The same client for the server's new address, after a restart. */
  at(baseUrl: string): Client {
    return new Client(baseUrl, this.#held, { id: this.userId, email: this.email })
  }

  /** The same user with another token. */
  with(token: string): Client {
    return new Client(this.baseUrl, token, { id: this.userId, email: this.email })
  }

  /** Only a test that takes long has an old token. If the user may not sign in any more, it stays. */
  async #renew(): Promise<void> {
    if (performance.now() < this.#held.renewAt) return
    this.#held.renewAt = Infinity
    const renewed = await signedIn(this.email, passwordOf(this), this.baseUrl).catch(() => null)
    Object.assign(this.#held, renewed ? heldBy(renewed) : { renewAt: performance.now() + RENEW_AGAIN_MS })
  }

  async call<T = unknown>(method: string, path: string, body?: object): Promise<Answer<T>> {
    await this.#renew()
    const response = await fetch(`${this.baseUrl}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T }
  }

  /** Like {@link call}, but throws if the request fails. */
  async ok<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.call<T>(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /**
   * A running agent with a unique name. Its sessions do not wait for a reconnect, so that one test leaves none to the
   * next.
   */
  async agent(settings: Partial<CreateAgent> = {}): Promise<Agent> {
    const body = { name: uniqueName(), runtime: 'claude-code', memoryMb: 2048, keepSeconds: 0, ...settings }
    const agent = await this.ok<Agent>('POST', '/agents?wait=true', body)
    if (agent.state !== 'running') throw new Error(`agent ${agent.name}: ${JSON.stringify(agent.reason)}`)
    return agent
  }

  /** Uploads a file to an agent's home. */
  async upload(agent: string, path: string, content: Uint8Array | string): Promise<void> {
    await this.#renew()
    const response = await fetch(`${this.baseUrl}/api/agents/${agent}/files?${new URLSearchParams({ path })}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.token}` },
      body: Uint8Array.from(Buffer.from(content)),
    })
    if (response.status !== 204) throw new Error(`upload ${path}: ${response.status} ${await response.text()}`)
  }

  async apiToken(...scopes: Scope[]): Promise<CreatedApiToken> {
    return this.ok('POST', '/tokens', { name: uniqueName(), scopes })
  }
}

/** A unique name, valid for agents and in e-mail addresses. */
export const uniqueName = (): string => `t${randomBytes(4).toString('hex')}`

const signedIn = async (email: string, password: string, baseUrl: string): Promise<SignedIn> => {
  const response = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`login: ${response.status} ${await response.text()}`)
  return (await response.json()) as SignedIn
}

const heldBy = ({ accessToken }: SignedIn): Held => ({
  token: accessToken,
  renewAt: performance.now() + RENEW_AFTER_MS,
})

export const signIn = async (email: string, password: string, baseUrl = inject('baseUrl')): Promise<Client> => {
  const answer = await signedIn(email, password, baseUrl)
  return new Client(baseUrl, heldBy(answer), answer.user)
}

export const signInAdmin = (baseUrl?: string): Promise<Client> => signIn(ADMIN.email, ADMIN.password, baseUrl)

/** A new account, signed in. */
export const newUser = async (admin: Client, role: Role = 'user'): Promise<Client> => {
  const email = `${uniqueName()}@example.org`
  await admin.ok<CreatedUser>('POST', '/users', { email, role, password: PASSWORD })
  return signIn(email, PASSWORD, admin.baseUrl)
}

/** The password of an account from these tests. */
export const passwordOf = ({ email }: Client): string => (email === ADMIN.email ? ADMIN.password : PASSWORD)
