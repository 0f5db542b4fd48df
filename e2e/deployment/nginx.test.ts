// The platform behind nginx, with the configuration from docs/operating/operations.md.
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type Agent, REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import { disconnectAll, freePort, TerminalClient, until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN, type Server, startServer } from '../support/server.ts'
import { PING_SECONDS, type Proxy, startNginx } from './support/nginx.ts'

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

interface Sending {
  readonly body?: object | string
  readonly headers?: Record<string, string>
  /** Address of the client. Every address of 127.0.0.0/8 is this machine's. */
  readonly from?: string
}

let server: Server
let proxy: Proxy
let origin: string
let plainPort: number

beforeAll(async () => {
  const [port, plain, backendPort] = [await freePort(), await freePort(), await freePort()]
  plainPort = plain
  origin = `https://localhost:${port}`
  proxy = await startNginx({ port, plainPort, backendPort })
  server = await startServer({
    env: {
      SLIPWAY_PORT: String(backendPort),
      SLIPWAY_PUBLIC_URL: origin,
      SLIPWAY_TRUSTED_PROXIES: '127.0.0.1',
      SLIPWAY_PING_SECONDS: String(PING_SECONDS),
    },
  })
})
afterEach(disconnectAll)
afterAll(async () => {
  await server.stop()
  await proxy.stop()
})

const call = (method: string, path: string, { body, headers = {}, from = '127.0.0.1' }: Sending = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const content = typeof body === 'object' ? JSON.stringify(body) : body
    const type = content === undefined ? {} : { 'content-type': 'application/json' }
    const all = { ...type, ...headers }
    // A connection for each request. The server may close one with an unread body just when the next request uses it.
    const options = { method, ca: proxy.ca, localAddress: from, headers: all, family: 4, agent: false }
    const sent = request(`${origin}${path}`, options, (response) => {
      void text(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer })
      }, reject)
    })
    sent.on('error', reject).end(content)
  })

const login = (password: string, more: Omit<Sending, 'body'> = {}): Promise<Answer> =>
  call('POST', '/api/auth/login', { ...more, body: { email: ADMIN.email, password } })

const token = async (): Promise<string> => (JSON.parse((await login(ADMIN.password)).body) as SignedIn).accessToken

describe('behind nginx', () => {
  it('people sign in, with a cookie for https alone', async () => {
    const { status, headers, body } = await login(ADMIN.password)
    expect(status).toBe(200)
    const [cookie = ''] = headers['set-cookie'] ?? []
    expect(cookie).toMatch(/; Secure/)
    expect(cookie).toMatch(/; HttpOnly/)
    expect(headers['strict-transport-security']).toMatch(/max-age=\d{8}/)
    const { refreshKey } = JSON.parse(body) as SignedIn
    const own = { cookie: cookie.split(';', 1)[0] ?? '', origin, [REFRESH_KEY_HEADER]: refreshKey }
    expect((await call('POST', '/api/auth/refresh', { headers: own })).status).toBe(200)
    const foreign = { ...own, origin: 'https://evil.example' }
    expect(await call('POST', '/api/auth/refresh', { headers: foreign })).toMatchObject({ status: 403 })
  })

  it('plain http leads to https', async () => {
    const response = await fetch(`http://127.0.0.1:${plainPort}/login`, { redirect: 'manual' })
    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toMatch(/^https:/)
  })

  it('a request has the same id on both sides', async () => {
    const { headers } = await call('GET', '/api/health', { headers: { 'x-request-id': 'chosen-by-client' } })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
  })

  it('what is too large is refused by the platform and in its own words', async () => {
    const body = `{"email":"${'x'.repeat(2 ** 21)}"}`
    const answer = await call('POST', '/api/auth/login', { body })
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'TOO_LARGE' })
  })

  it('a terminal works, pages of others get none, and silence does not end it', async () => {
    const bearer = await token()
    const headers = { authorization: `Bearer ${bearer}` }
    const body = { name: 'proxied', runtime: 'bash', memoryMb: 512 }
    // nginx waits only a few seconds for an answer here, and the start of an agent may take longer.
    expect(await call('POST', '/api/agents', { headers, body })).toMatchObject({ status: 201 })
    const agent = await until('the agent to have started', async () => {
      const { body } = await call('GET', '/api/agents/proxied', { headers })
      const agent = JSON.parse(body) as Agent
      return !['creating', 'starting'].includes(agent.state) && agent
    })
    expect(agent).toMatchObject({ state: 'running' })

    const options = { baseUrl: origin, path: '/agents/proxied/terminal?mode=bash', ca: proxy.ca }
    for (const foreign of ['https://evil.example', origin.replace('https', 'http'), 'null', `${origin}.evil.example`]) {
      const refused = new TerminalClient({ ...options, origin: foreign })
      expect(await refused.refused, foreign).toBe(403)
      refused.cut()
    }
    const terminal = await TerminalClient.open({ ...options, origin }, { type: 'auth', token: bearer })
    await terminal.until('a prompt', () => terminal.text.includes('$ '))
    expect(await terminal.run('echo $((6*7))')).toContain('42')
    // This test is about time itself, so it has to wait.
    await pause(proxy.timeoutMs + 1_000)
    expect(await terminal.run('echo $((7*8))')).toContain('56')
  })

  it('a client that guesses passwords is stopped with any forged address, and no other client is', async () => {
    const claims = (n: number) => ({
      'x-forwarded-for': `198.51.100.${n}`,
      forwarded: `for=198.51.100.${n}`,
      'x-real-ip': `198.51.100.${n}`,
    })
    const guess = (n: number) => login('a wrong password', { from: '127.0.0.9', headers: claims(n) })
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push((await guess(n)).status)
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    expect((await login(ADMIN.password, { from: '127.0.0.9', headers: claims(99) })).status).toBe(429)
    expect((await login(ADMIN.password, { from: '127.0.0.8' })).status).toBe(200)
  })

  it('the audit log knows where people come from', async () => {
    await login('a wrong password', { from: '127.0.0.7', headers: { 'x-forwarded-for': '198.51.100.1' } })
    const headers = { authorization: `Bearer ${await token()}` }
    const { body } = await call('GET', '/api/audit?limit=50', { headers })
    expect(body).toContain('127.0.0.7')
    expect(body).not.toContain('198.51.100')
  })
})
