/** What a hostile app in an agent, and a hostile client of it, can do over HTTP. */
import { readFileSync } from 'node:fs'
import { until } from '@slipway/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { runIn } from '../support/agent/in-agent.ts'
import { openPort, type PortBrowser } from '../support/port-browser.ts'
import { useAgent } from '../support/use-agent.ts'

const PORT = 5180
const APP = readFileSync(new URL('../support/agent/hostile-app.mjs', import.meta.url))

const its = useAgent({ runtime: 'bash' })
const other = useAgent({ runtime: 'bash' })
let browser: PortBrowser

beforeAll(async () => {
  await its.owner.upload(its.agent.name, 'hostile.mjs', APP)
  await runIn(its.agent.name, `setsid -f node hostile.mjs ${PORT} >/dev/null 2>&1`)
  browser = await openPort(its.owner, its.path, PORT)
  await until('the app', async () => (await browser.get('/')).status === 200)
})

/** Where the app answers with these bytes. */
const raw = (bytes: string): string => `/raw?bytes=${Buffer.from(bytes, 'latin1').toString('base64url')}`
const received = async (): Promise<string[]> => JSON.parse((await browser.get('/received')).text) as string[]
const statusesIn = (answers: string): string[] => answers.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []

describe('response splitting by the app', () => {
  it.each([
    ['a status that is none', raw('HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n'), 502],
    ['a reason with a control character', raw('HTTP/1.1 200 \x07\r\nContent-Length: 0\r\n\r\n'), 502],
    ['a line feed alone', raw('HTTP/1.1 200 OK\r\nX: a\nSet-Cookie: b=1\r\nContent-Length: 0\r\n\r\n'), 502],
    [
      'a length and chunks',
      raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      502,
    ],
    ['oversized headers', '/large', 502],
    ['an early hint that is none', raw('HTTP/1.1 103 E\r\nLink: </a>; b c\r\n\r\nHTTP/1.1 204 OK\r\n\r\n'), 204],
  ])('with %s leaves the server as it was', async (_what, path, status) => {
    expect((await browser.get(path)).status).toBe(status)
    expect((await browser.get('/')).status).toBe(200)
    expect(await its.owner.call('GET', its.path)).toMatchObject({ status: 200 })
  })
})

describe('DNS rebinding, and `Host` forgery', () => {
  it('reach no app, whatever the request says beside a name that is not its own', async () => {
    const name = browser.host.split(':')[0]!
    const own = `Host: ${browser.host}\r\n`
    const heads: [line: string, host: string][] = [
      ['/forged', 'Host: rebound.example\r\n'],
      ['/forged', `Host: ${name}.rebound.example\r\n`],
      ['/forged', `Host: ${name}.\r\n`],
      ['/forged', `Host: ada@${browser.host}\r\n`],
      ['/forged', `${own}Host: rebound.example\r\n`],
      ['/forged', `Host: ${browser.host.replace(its.agent.name, other.agent.name)}\r\n`],
      ['http://rebound.example/forged', own],
    ]
    for (const [target, host] of heads) {
      const answer = await browser.raw(
        `GET ${target} HTTP/1.1\r\n${host}Cookie: ${browser.cookie}\r\nConnection: close\r\n\r\n`,
      )
      expect(statusesIn(answer), target + host).toHaveLength(1)
    }
    expect((await received()).filter((line) => line.includes('forged'))).toEqual([])
  })

  it('are no matter of capital letters and of a whole address', async () => {
    const ways = [
      ['/same', browser.host.toUpperCase()],
      [`http://${browser.host}/same`, browser.host],
    ]
    for (const [target, host] of ways)
      await browser.raw(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${browser.cookie}\r\nConnection: close\r\n\r\n`,
      )
    expect((await received()).filter((line) => line.includes('same'))).toEqual(
      Array<string>(2).fill(`GET /same localhost:${PORT}`),
    )
  })
})

describe('request smuggling', () => {
  it('reaches no app behind a request that is passed on', async () => {
    const own = `Host: ${browser.host}\r\nCookie: ${browser.cookie}\r\nConnection: close\r\n`
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const chunks = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
    const requests = [
      `GET / HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
      `POST / HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunks}`,
      `POST / HTTP/1.1\r\n${own}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `POST / HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${smuggled}`,
      `GET / HTTP/1.1\r\n${own.replace('close', 'Upgrade')}Upgrade: websocket\r\nContent-Length: 0\r\n\r\n${smuggled}`,
    ]
    const statuses = []
    for (const request of requests) statuses.push(statusesIn(await browser.raw(request)).length)
    expect(statuses).toEqual([1, 1, 1, 1, 1])
    expect((await received()).filter((line) => line.includes('smuggled'))).toEqual([])
  })
})

describe('a port of an agent', () => {
  it('leads neither to the platform nor to another agent', async () => {
    const { port } = new URL(its.owner.baseUrl)
    for (const way of [
      await openPort(its.owner, its.path, Number(port)),
      await openPort(other.owner, other.path, PORT),
    ])
      expect(await way.get('/')).toMatchObject({ status: 502 })
  })

  it('is not opened by the right to another', async () => {
    const foreign = await openPort(other.owner, other.path, PORT)
    expect(await browser.get('/', { cookie: foreign.cookie })).toMatchObject({ status: 401 })
  })
})
