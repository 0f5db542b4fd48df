/** Ports below a domain of the operator's own, behind a proxy that ends https. */
// In the short form `ports.test.ts` has the door over http, and `backend/src/modules/ports/door/headers.test.ts` and
// `backend/src/modules/ports/host.test.ts` what is different: the cookie, the origin and the names below a domain.
import '@slipway/testing/long'
import { readFileSync } from 'node:fs'
import { type IncomingMessage } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Agent, PortTicket } from '@slipway/protocol'
import { freePort, until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { runIn } from '../support/agent/in-agent.ts'
import { type Client, signInAdmin } from '../support/api.ts'
import { startTlsProxy, type TlsProxy } from '../support/network/tls-proxy.ts'
import { type Server, startServer } from '../support/server.ts'

const PORT = 5173
const APP = readFileSync(new URL('../support/agent/port-app.mjs', import.meta.url))
const DOMAIN = 'apps.example.test'
/** A fifth of what the app sends at once. */
const MB_PER_SECOND = 4

let proxy: TlsProxy
let server: Server
let admin: Client
let agent: Agent
let origin: string
let cookie: string

interface Got {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const get = (url: string, headers: Readonly<Record<string, string>> = {}, options: RequestOptions = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, host, port, pathname, search } = new URL(url)
    const to = { host: '127.0.0.1', port, servername: hostname, path: pathname + search, ca: proxy.ca, agent: false }
    request({ ...to, ...options, headers: { host, ...headers } }, (answer) => {
      text(answer).then((whole) => resolve({ status: answer.statusCode, headers: answer.headers, text: whole }), reject)
    })
      .on('error', reject)
      .end()
  })

beforeAll(async () => {
  const serverPort = await freePort()
  proxy = await startTlsProxy(['slipway.example.test', `*.${DOMAIN}`], serverPort)
  server = await startServer({
    env: {
      SLIPWAY_PORT: String(serverPort),
      SLIPWAY_PUBLIC_URL: `https://slipway.example.test:${proxy.port}`,
      SLIPWAY_PORTS_DOMAIN: DOMAIN,
      SLIPWAY_PORTS_MB_PER_SECOND: String(MB_PER_SECOND),
      SLIPWAY_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  admin = await signInAdmin(`http://127.0.0.1:${serverPort}`)
  agent = await admin.agent({ runtime: 'bash' })
  await admin.upload(agent.name, 'app.mjs', APP)
  await runIn(agent.name, `setsid -f node app.mjs ${PORT} >/dev/null 2>&1`, server.namespace)
  origin = `https://${PORT}--${agent.name}.${DOMAIN}:${proxy.port}`
  const { url } = await admin.ok<PortTicket>('POST', `/agents/${agent.name}/ports/${PORT}/tickets`, { path: '/landed' })
  expect(url.startsWith(`${origin}/.slipway/enter?`)).toBe(true)
  const entered = await get(url)
  expect(entered).toMatchObject({ status: 303, headers: { location: '/landed' } })
  cookie = entered.headers['set-cookie']![0]!
  await until('the app', async () => (await get(`${origin}/`, { cookie: cookie.split(';')[0]! })).status === 200)
})
afterAll(async () => {
  await server.stop()
  await proxy.close()
})

describe('a port below a domain, over https', () => {
  it('has a cookie for https and its own host alone', () => {
    expect(cookie).toMatch(/^__Host-slipway_port=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/)
  })

  it('is closed to the cookie of a server without https', async () => {
    const plain = cookie.split(';')[0]!.replace('__Host-', '')
    expect(await get(`${origin}/`, { cookie: plain })).toMatchObject({ status: 401 })
  })

  it('has its origin, which the app knows as its own', async () => {
    const headers = { cookie: cookie.split(';')[0]!, origin }
    const { text: json } = await get(`${origin}/headers`, headers)
    expect(JSON.parse(json)).toMatchObject({ host: `localhost:${PORT}`, origin: `http://localhost:${PORT}` })
    expect(json).not.toContain('forwarded')
    expect((await get(`${origin}/redirect`, headers)).headers.location).toBe(`${origin}/landed?x=1`)
    for (const other of [origin.replace('https', 'http'), `https://${PORT}--other.${DOMAIN}:${proxy.port}`])
      expect(await get(`${origin}/`, { ...headers, origin: other })).toMatchObject({ status: 403 })
  })

  it('has WebSockets', async () => {
    const { hostname, host } = new URL(origin)
    const headers = { host, cookie: cookie.split(';')[0]! }
    // The types lack the name for TLS, which Node.js takes.
    const options = { headers, origin, servername: hostname, ca: proxy.ca }
    const socket = new WebSocket(`wss://127.0.0.1:${proxy.port}/socket`, options)
    socket.on('open', () => socket.send('hello'))
    expect(await new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(data.toString())))).toBe(
      'hello',
    )
    socket.terminate()
  })
})

describe('the bytes of an agent’s ports', () => {
  it('come no faster than its operator allows', async () => {
    const started = performance.now()
    const { text: body } = await get(`${origin}/big`, { cookie: cookie.split(';')[0]! })
    const seconds = (performance.now() - started) / 1000
    // A second's worth may come at once, and nothing waits for what came last.
    expect(seconds).toBeGreaterThan(body.length / (MB_PER_SECOND * 2 ** 20) - 1.5)
  })
})
