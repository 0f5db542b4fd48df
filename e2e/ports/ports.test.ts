/** The ports of an agent over HTTP and WebSockets, as a browser would use them, and as others must not. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AgentPorts, CreatedPortLink, PortTicket } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { runIn } from '../support/agent/in-agent.ts'
import { useAgent } from '../support/use-agent.ts'

const PORT = 5173
const APP = readFileSync(new URL('../support/agent/port-app.mjs', import.meta.url))

const its = useAgent({ runtime: 'bash' })
let cookie: string
let host: string

interface SentOptions extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests of one browser: names below localhost lead to this machine. */
const send = (path: string, options: SentOptions = {}, body?: Buffer): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(its.owner.baseUrl)
    const headers = { host: `${host}:${port}`, cookie, ...options.headers }
    const sent = httpRequest({ host: '127.0.0.1', port, path, ...options, headers }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await send(path, { headers })
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}
/** How the rest of an answer ends. */
const endOf = (answer: IncomingMessage): Promise<'whole' | 'cut'> =>
  text(answer).then(
    () => 'whole',
    () => 'cut',
  )
const list = async (client = its.owner): Promise<AgentPorts> => client.ok('GET', `${its.path}/ports`)
const ticket = (client = its.owner, port = PORT, path?: string): Promise<PortTicket> =>
  client.ok('POST', `${its.path}/ports/${port}/tickets`, path === undefined ? {} : { path })

/** Opens a port as the browser of a user does, and answers its cookie. */
const enter = async (client: Client): Promise<{ host: string; cookie: string; location: string | undefined }> => {
  const url = new URL((await ticket(client, PORT, '/landed')).url)
  host = url.hostname
  const { status, headers } = await get(url.pathname + url.search, { cookie: '' })
  expect(status).toBe(303)
  return { host, cookie: headers['set-cookie']![0]!.split(';')[0]!, location: headers.location }
}

beforeAll(async () => {
  await its.owner.upload(its.agent.name, 'app.mjs', APP)
  await runIn(its.agent.name, `setsid -f node app.mjs ${PORT} >/dev/null 2>&1`)
  await until('the app to listen', async () => (await list()).items.some(({ port }) => port === PORT))
  const entered = await enter(its.owner)
  cookie = entered.cookie
  expect(entered.location).toBe('/landed')
})

describe('what listens in an agent', () => {
  it('is listed with its process', async () => {
    const { items, unavailable } = await list()
    expect(unavailable).toBeNull()
    const app = items.find(({ port }) => port === PORT)
    expect(app).toMatchObject({ addresses: ['127.0.0.1'], process: { command: `node app.mjs ${PORT}` } })
    expect(Date.parse(app!.process!.startedAt!)).toBeGreaterThan(Date.now() - 600_000)
  })
})

describe('an app', () => {
  it('sees its own host and its own origin, and no secret', async () => {
    const { port } = new URL(its.owner.baseUrl)
    const { text: json } = await get('/headers', { origin: `http://${host}:${port}`, cookie: `${cookie}; own=1` })
    expect(JSON.parse(json)).toEqual({
      host: `localhost:${PORT}`,
      origin: `http://localhost:${PORT}`,
      cookie: 'own=1',
      connection: 'keep-alive',
    })
  })

  it('gets every path as it is', async () => {
    expect((await get('/%zz/..//a?b=%00&c')).text).toBe('GET /%zz/..//a?b=%00&c')
    expect((await get('/api/agents')).text).toBe('GET /api/agents')
  })

  it('gets bodies and gives answers of any length, each as it comes', async () => {
    const body = Buffer.alloc(3_000_000, 'b')
    const echoed = await send('/echo', { method: 'POST' }, body)
    expect(Buffer.byteLength(await text(echoed))).toBe(body.length)
    expect((await get('/big')).text).toHaveLength(20_000_000)
    const events = await send('/events')
    const pieces = events[Symbol.asyncIterator]()
    const next = async (): Promise<string> => String((await pieces.next()).value)
    expect(await next()).toBe('data: first\n\n')
    await get('/next')
    expect(await next()).toBe('data: second\n\n')
  })

  it('leads to its own address', async () => {
    const { status, headers } = await get('/redirect')
    expect(status).toBe(302)
    expect(headers.location).toBe(`http://${host}:${new URL(its.owner.baseUrl).port}/landed?x=1`)
  })

  it('cannot set cookies of other hosts, and clears none', async () => {
    const { headers } = await get('/hostile')
    expect(headers['set-cookie']).toEqual(['own=1'])
    expect(headers).not.toHaveProperty('clear-site-data')
  })

  it('never looks whole when it ended in the middle', async () => {
    await expect(get('/half')).rejects.toThrow()
  })

  it('may close connections that it has promised to keep', async () => {
    for (let at = 0; at < 10; at++) expect((await get('/brief')).text).toBe('brief')
  })

  it('has WebSockets', async () => {
    const { port } = new URL(its.owner.baseUrl)
    const open = (path: string, headers: Record<string, string>) =>
      new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host: `${host}:${port}`, ...headers } })
    const socket = open('/socket', { cookie })
    socket.on('open', () => socket.send('hello'))
    expect(await new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(data.toString())))).toBe(
      'hello',
    )
    socket.terminate()
    const refused = (one: WebSocket) => new Promise((resolve) => one.once('error', ({ message }) => resolve(message)))
    expect(await refused(open('/no-socket', { cookie }))).toContain('403')
    expect(await refused(open('/socket', {}))).toContain('401')
    expect(await refused(open('/socket', { cookie, origin: 'https://evil.example' }))).toContain('403')
  })

  it('that is not up is waited for by a page', async () => {
    const other = new URL((await ticket(its.owner, 9999)).url)
    const before = { host, cookie }
    host = other.hostname
    const { headers } = await get(other.pathname + other.search)
    cookie = headers['set-cookie']![0]!.split(';')[0]!
    const { status, text: page } = await get('/')
    ;({ host, cookie } = before)
    expect(status).toBe(502)
    expect(page).toContain('http-equiv="refresh"')
    expect(page).toContain('No program listens on it.')
  })
})

describe('a link to a port', () => {
  it('lets in a browser without a sign-in, until it is revoked', async () => {
    const body = { expiresInMinutes: 60 }
    const link = await its.owner.ok<CreatedPortLink>('POST', `${its.path}/ports/${PORT}/links`, body)
    const opened = await fetch(`${its.owner.baseUrl}/api/port-links/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: new URL(link.url).hash.slice(1) }),
    })
    const { url } = (await opened.json()) as PortTicket
    const { pathname, search } = new URL(url)
    const { headers } = await get(pathname + search, { cookie: '' })
    const visitor = { cookie: headers['set-cookie']![0]!.split(';')[0]! }
    expect((await get('/x', visitor)).text).toBe('GET /x')
    const events = await send('/events', { headers: visitor })
    await once(events, 'data')
    const end = endOf(events)
    await its.owner.ok('DELETE', `${its.path}/port-links/${link.id}`)
    expect(await end).toBe('cut')
    expect((await get('/x', visitor)).status).toBe(401)
    expect((await get('/x')).text).toBe('GET /x')
  })
})

describe('a port is closed', () => {
  it('to a browser without a right, with the way to it', async () => {
    const { status, text: page, headers } = await get('/secret?x=1', { cookie: '' })
    expect(status).toBe(401)
    expect(page).toContain(`${its.path}/ports?open=${PORT}&#38;path=%2Fsecret%3Fx%3D1`)
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  it('to a ticket that was used', async () => {
    const url = new URL((await ticket()).url)
    expect((await get(url.pathname + url.search)).status).toBe(303)
    expect((await get(url.pathname + url.search)).status).toBe(401)
  })

  it('to the right for another port, and to a forged host', async () => {
    const own = host
    host = own.replace(`${PORT}--`, '5174--')
    expect((await get('/')).status).toBe(401)
    host = own.replace(its.agent.name, 'other')
    expect((await get('/')).status).toBe(401)
    host = own
  })

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['an image in a page of a neighbour', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['a form of another site', { origin: 'https://evil.example', 'sec-fetch-mode': 'navigate' }],
  ])('to %s', async (_who, headers) => expect((await get('/', headers)).status).toBe(403))

  it('to users without a right to the agent', async () => {
    const stranger = await newUser(await signInAdmin())
    expect((await stranger.call('GET', `${its.path}/ports`)).status).toBe(404)
    expect((await stranger.call('POST', `${its.path}/ports/80/tickets`, {})).status).toBe(404)
  })

  it('to a path that names another host', async () => {
    const url = new URL((await ticket(its.owner, PORT, '//evil.example/x')).url)
    expect((await get(url.pathname + url.search)).headers.location).toBe('/')
  })

  it('to a user whose share is revoked, at once, also in the middle of an answer', async () => {
    const sharee = await newUser(await signInAdmin())
    await its.owner.ok('POST', `${its.path}/shares`, { email: sharee.email })
    const before = { host, cookie }
    ;({ host, cookie } = await enter(sharee))
    const events = await send('/events')
    expect(events.statusCode).toBe(200)
    const end = endOf(events)
    await its.owner.ok('DELETE', `${its.path}/shares/${sharee.userId}`)
    expect(await end).toBe('cut')
    expect((await get('/')).status).toBe(401)
    ;({ host, cookie } = before)
    // The owner keeps the right. The app may be gone: with a share end the programs that its user may have left.
    expect([200, 502]).toContain((await get('/')).status)
  })
})
