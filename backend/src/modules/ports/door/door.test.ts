/** What comes through the door of ports, between a browser and an app that speak HTTP by hand. */
import { text } from 'node:stream/consumers'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { doorScene, HOST, LAST, OK, OWN, SECRET, statusesIn } from '../../../../test/support/ports/door.ts'

describe('request smuggling', () => {
  it.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a coding that hides chunks', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a coding beside chunks', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a coding after chunks', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space before a colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a folded line', 'X: a\r\n Transfer-Encoding: chunked\r\n\r\n'],
    ['a line feed alone', 'X: a\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
  ])('by %s reaches no app', async (_how, rest) => {
    const { send, received } = await doorScene()
    expect(statusesIn(await send(`POST / HTTP/1.1\r\n${OWN}Connection: close\r\n${rest}`))).toEqual(['400'])
    expect(received.join('')).toBe('')
  })

  it('by a size of a chunk that is none ends the request', async () => {
    const { send, received } = await doorScene()
    const head = `POST / HTTP/1.1\r\n${OWN}Transfer-Encoding: chunked\r\n\r\n`
    await send(`${head}0x5\r\nhello\r\n0\r\n\r\n${LAST}`)
    expect(received.join('')).not.toContain('hello')
    expect(received.join('')).not.toContain('/last')
  })

  it.each(['GET', 'DELETE', 'OPTIONS'])('by the body of a %s stays a body', async (method) => {
    const { send, received } = await doorScene({ after: '\r\n0\r\n\r\n' })
    const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const head = `${method} / HTTP/1.1\r\n${OWN}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    expect(statusesIn(await send(head + chunked))).toEqual(['200'])
    expect(received.join('')).toContain('Transfer-Encoding: chunked')
    expect(received.join('').endsWith(`\r\n\r\n${chunked}`)).toBe(true)
  })

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])(
    'by a request whose connection names its length: %s',
    async (method) => {
      const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
      const { send, received } = await doorScene({ after: body })
      const framing = `Content-Length: ${body.length}\r\nConnection: close, Content-Length\r\n`
      expect(statusesIn(await send(`${method} / HTTP/1.1\r\n${OWN}${framing}\r\n${body}`))).toEqual(['200'])
      expect(received.join('')).toContain(`\r\nContent-Length: ${body.length}\r\n`)
    },
  )

  it.each([
    ['with a body', 'GET', 'websocket', 'Content-Length: 5\r\n'],
    ['with chunks', 'GET', 'websocket', 'Transfer-Encoding: chunked\r\n'],
    ['to another protocol', 'GET', 'h2c', ''],
    ['of another method', 'POST', 'websocket', ''],
  ])('by an upgrade %s reaches no app', async (_how, method, protocol, more) => {
    const { send, received } = await doorScene()
    const head = `${method} / HTTP/1.1\r\n${OWN}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`
    expect(statusesIn(await send(head))).toEqual(['400'])
    expect(received).toEqual([])
  })
})

describe('`Host` forgery', () => {
  const open = async (target: string, head: string) => {
    const { send, received } = await doorScene()
    const answer = await send(`GET ${target} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
    return { status: statusesIn(answer)[0], line: received[0]?.split('\r\n')[0] }
  }
  const cookie = `Cookie: slipway_port=${SECRET}\r\n`

  it.each([
    ['two hosts', '/', `Host: ${HOST}\r\nHost: slipway.localhost\r\n`],
    ['two hosts, the other way round', '/', `Host: slipway.localhost\r\nHost: ${HOST}\r\n`],
    ['a list of hosts', '/', `Host: ${HOST}, slipway.localhost\r\n`],
    ['a user', '/', `Host: ada@${HOST}\r\n`],
    ['a final dot', '/', `Host: ${HOST}.\r\n`],
    ['an app below a name of the attacker', '/', 'Host: 5173--atlas--slipway.localhost.evil.example\r\n'],
    ['an address with another host', `http://5174--atlas--slipway.localhost/`, `Host: ${HOST}\r\n`],
    ['an address with the platform', 'http://slipway.localhost/api/agents', `Host: ${HOST}\r\n`],
    ['an address with a user', `http://ada@${HOST}/`, `Host: ${HOST}\r\n`],
  ])('by %s reaches no app', async (_how, target, host) => {
    expect(await open(target, host + cookie)).toEqual({ status: '400', line: undefined })
  })

  it('by the name of another port has no right there', async () => {
    expect((await open('/', `Host: 5174--atlas--slipway.localhost\r\n${cookie}`)).status).toBe('401')
  })

  it.each([
    ['capital letters', '/x?y', `Host: ${HOST.toUpperCase()}\r\n`, 'GET /x?y HTTP/1.1'],
    ['a port', '/x?y', `Host: ${HOST}:4700\r\n`, 'GET /x?y HTTP/1.1'],
    ['an address with the same host', `http://${HOST}:4700/x?y`, `Host: ${HOST}:4700\r\n`, 'GET /x?y HTTP/1.1'],
    ['an address without a path', `http://${HOST}?y`, `Host: ${HOST}\r\n`, 'GET /?y HTTP/1.1'],
  ])('is no suspicion against %s', async (_how, target, host, line) => {
    expect(await open(target, host + cookie)).toEqual({ status: '200', line })
  })
})

describe('response splitting by the app', () => {
  it.each([
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['a line feed alone', 'X: a\nY: b\r\nContent-Length: 2\r\n\r\nok'],
    ['a carriage return alone', 'X: a\rY: b\r\nContent-Length: 2\r\n\r\nok'],
    ['a folded line', 'X: a\r\n Y: b\r\nContent-Length: 2\r\n\r\nok'],
    ['a null character', 'X: a\0b\r\nContent-Length: 2\r\n\r\nok'],
    ['oversized headers', `X: ${'a'.repeat(20_000)}\r\nContent-Length: 2\r\n\r\nok`],
  ])('with %s is no answer', async (_how, rest) => {
    const { send } = await doorScene({ answer: `HTTP/1.1 200 OK\r\n${rest}` })
    expect(statusesIn(await send(LAST))).toEqual(['502'])
  })

  it('with more than it has announced gives its rest to no other request', async () => {
    const { send } = await doorScene({ answer: OK + OK.replace('ok', 'no') })
    const answers = await send(`GET / HTTP/1.1\r\n${OWN}\r\n${LAST}`)
    expect(answers).not.toContain('no')
    expect(answers.match(/\r\n\r\n(?:2\r\n)?ok/g)).toHaveLength(2)
  })
})

describe('an answer that Node.js reads and does not write', () => {
  it.each([
    ['status 000', 'HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok', '502'],
    ['status 099', 'HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nok', '502'],
    ['a reason with a control character', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok', '502'],
    ['an early hint that is none', `HTTP/1.1 103 Early Hints\r\nLink: </a>; evil evil\r\n\r\n${OK}`, '200'],
    ['an early hint without a link', `HTTP/1.1 103 Early Hints\r\n\r\n${OK}`, '200'],
  ])('such as %s breaks nothing', async (_what, answer, status) => {
    const { send } = await doorScene({ answer })
    expect(statusesIn(await send(LAST))).toEqual([status])
  })

  it('is passed on otherwise, also an early hint', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
    const { send } = await doorScene({ answer: hint + OK.replace('200 OK', '299 Caf\xe9') })
    const answer = await send(LAST)
    expect(statusesIn(answer)).toEqual(['103', '299'])
    expect(answer).toContain('Link: </a.css>; rel=preload')
  })

  it('is hinted at a few times, however often the app does', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
    const { send } = await doorScene({ answer: hint.repeat(20) + OK })
    expect(statusesIn(await send(LAST))).toEqual([...Array<string>(8).fill('103'), '200'])
  })
})

describe('an app that closes a connection at its second request', () => {
  it('gets it again on a new one', async () => {
    const { send, streams } = await doorScene({ brief: [1] })
    expect(statusesIn(await send(LAST))).toEqual(['200'])
    expect(statusesIn(await send(LAST))).toEqual(['200'])
    expect(streams).toHaveLength(2)
  })

  it('gets a WebSocket again on a new one', async () => {
    const { send, streams } = await doorScene({ brief: [1] })
    expect(statusesIn(await send(LAST))).toEqual(['200'])
    const upgrade = `GET / HTTP/1.1\r\n${OWN}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    expect(statusesIn(await send(upgrade))).toEqual(['200'])
    expect(streams).toHaveLength(2)
  })

  it('gets no body twice', async () => {
    const { send, streams } = await doorScene({ brief: [1] })
    expect(statusesIn(await send(LAST))).toEqual(['200'])
    const post = `POST / HTTP/1.1\r\n${OWN}Connection: close\r\nContent-Length: 2\r\n\r\nhi`
    expect(statusesIn(await send(post))).toEqual(['502'])
    expect(streams).toHaveLength(1)
  })
})

describe('an app that answers before it has read a body', () => {
  it('does not hold up the next request of the browser', async () => {
    const { send } = await doorScene({ isDeaf: true })
    const body = 'x'.repeat(4_000_000)
    const answers = await send(`POST / HTTP/1.1\r\n${OWN}Content-Length: ${body.length}\r\n\r\n${body}${LAST}`)
    expect(statusesIn(answers)).toEqual(['200', '200'])
  })
})

describe('a cookie of the app', () => {
  it('never takes the place of the platform’s', async () => {
    const cookies = ['slipway_port=x; Path=/', ' __Host-slipway_port =x', 'slipway_portal=kept']
    const { send } = await doorScene({
      answer: `HTTP/1.1 200 OK\r\n${cookies.map((one) => `Set-Cookie: ${one}\r\n`).join('')}Content-Length: 0\r\n\r\n`,
    })
    expect((await send(LAST)).match(/set-cookie: .*/gi)).toEqual(['Set-Cookie: slipway_portal=kept'])
  })
})

describe('the paths of this server at the host of an app', () => {
  it.each(['/.slipway/', '/.slipway/sw.js', '/.slipway/enter/x'])('%s never reach the app', async (path) => {
    const { send, received } = await doorScene()
    expect(statusesIn(await send(`GET ${path} HTTP/1.1\r\n${OWN}Connection: close\r\n\r\n`))).toEqual(['404'])
    expect(received).toEqual([])
  })
})

describe('a page of another app of the same site', () => {
  it.each([
    ['frame', 'navigate', 'iframe', '403'],
    ['object', 'navigate', 'object', '403'],
    ['image', 'no-cors', 'image', '403'],
    ['link', 'navigate', 'document', '200'],
  ])('with a %s of this app', async (_what, mode, destination, status) => {
    const { send } = await doorScene()
    const how = `Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: ${mode}\r\nSec-Fetch-Dest: ${destination}\r\n`
    expect(statusesIn(await send(`GET / HTTP/1.1\r\n${OWN}${how}Connection: close\r\n\r\n`))).toEqual([status])
  })
})

describe('a form of an app that asks for no referrer', () => {
  it.each([
    ['same-origin', '200'],
    ['same-site', '403'],
    ['cross-site', '403'],
  ])('with a page that is %s gets %s', async (site, status) => {
    const { send } = await doorScene()
    const how = `Origin: null\r\nSec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n`
    const post = `POST / HTTP/1.1\r\n${OWN}${how}Content-Length: 0\r\nConnection: close\r\n\r\n`
    expect(statusesIn(await send(post))).toEqual([status])
  })

  it('from a browser that does not say where it comes from is refused', async () => {
    const { send } = await doorScene()
    const post = `POST / HTTP/1.1\r\n${OWN}Origin: null\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
    expect(statusesIn(await send(post))).toEqual(['403'])
  })
})

describe('a browser that was not let in', () => {
  it.each([
    ['atlas', '/agents/atlas/ports?open=5173&#38;path=%2Fx'],
    ['system', '/system-agent/ports?open=5173&#38;path=%2Fx'],
  ])('is led to the page of %s that opens the port', async (agent, href) => {
    const { send } = await doorScene()
    const page = await send(`GET /x HTTP/1.1\r\nHost: 5173--${agent}--slipway.localhost\r\nConnection: close\r\n\r\n`)
    expect(statusesIn(page)).toEqual(['401'])
    expect(page).toContain(href)
  })
})

describe('a connection of a browser', () => {
  const SILENCE_MS = 300

  it('on which nothing moves is closed, on both sides, while an answer is waited for', async () => {
    const { send, streams } = await doorScene({ answer: '' }, SILENCE_MS)
    expect(await send(LAST)).toBe('')
    await vi.waitUntil(() => streams[0]?.readableEnded === true || streams[0]?.destroyed === true, PATIENTLY)
  })

  it('on which nothing moves is closed, on both sides, after an upgrade', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello'
    const { browser, streams } = await doorScene({ answer }, SILENCE_MS)
    const socket = browser()
    socket.write(`GET / HTTP/1.1\r\n${OWN}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    expect(await text(socket)).toContain('hello')
    await vi.waitUntil(() => streams[0]?.readableEnded === true || streams[0]?.destroyed === true, PATIENTLY)
  })

  it('ends with an app that breaks off its refusal of a WebSocket', async () => {
    const { browser, streams } = await doorScene({ answer: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno' })
    const socket = browser()
    socket.write(`GET / HTTP/1.1\r\n${OWN}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    socket.once('data', () => streams[0]!.end())
    expect(await text(socket)).toContain('403 Forbidden')
  })

  it('is held by its right as long as an answer is on its way, and no longer', async () => {
    const { browser, held, received, streams } = await doorScene({
      answer: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok',
    })
    const socket = browser()
    socket.write(`GET / HTTP/1.1\r\n${OWN}\r\n`)
    await vi.waitUntil(() => received.length === 1, PATIENTLY)
    expect(held.size).toBe(1)
    streams[0]!.write('ok')
    await vi.waitUntil(() => held.size === 0, PATIENTLY)
    expect(socket.destroyed).toBe(false)
  })
})
