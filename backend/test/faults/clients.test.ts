import { once } from 'node:events'
import { connect } from 'node:net'
import { CloseCode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { useApp } from '../support/server/app.ts'
import { addressOf, listen } from '../support/server/listener.ts'
import { type Person, setUpAdmin } from '../support/people/people.ts'

const team = useApp()
let admin: Person
beforeEach(async () => {
  admin = await setUpAdmin(team())
})

/** How long a quick answer may take, in milliseconds. */
const QUICK_MS = 1_000
/** A busy machine may delay some answers. One must be quick within this time, before other clients are cut off. */
const MEANWHILE_MS = 9_000
/** The protocol's limit for a client's first message, with some slack, in milliseconds. */
const FIRST_MESSAGE_MS = 15_000

/** A client's limit for the headers of a request, in milliseconds. Node's own limit is 60,000. */
const HEADERS_MS = 30_000
/** The same in this test, and until when the requests are cut off: at the next check, with some slack. */
const SHORT_HEADERS_MS = 1_000
const CUT_OFF_MS = 40_000

/** The same process still serves: a user signs in and listens, without delay. */
const stillServes = async (): Promise<void> => {
  const from = performance.now()
  let took = Infinity
  while (took >= QUICK_MS) {
    const asked = performance.now()
    expect((await fetch(`http://${await addressOf(team())}/api/health`)).status).toBe(200)
    took = performance.now() - asked
    expect(performance.now() - from).toBeLessThan(MEANWHILE_MS)
  }
  const listener = await listen(team(), admin.token)
  listener.socket.close()
  await listener.closed
}

/** Sends raw bytes. Answers what the server sent until the connection closed. */
const raw = async (...chunks: (string | Buffer)[]): Promise<string> => {
  const [host = '', port = ''] = (await addressOf(team())).split(':')
  const socket = connect(Number(port), host)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined)
  for (const chunk of chunks) {
    socket.write(chunk)
    // The chunks come one after another, as over a slow line. So the server answers the upgrade before the frames
    // arrive.
    if (chunks.length > 1) await until('an answer', () => text.length > 0 || socket.destroyed)
  }
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}
const upgrade = (path: string): string =>
  [
    `GET /api${path} HTTP/1.1`,
    'host: x',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

const MALFORMED: [string, Buffer][] = [
  ['without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
  ['with an opcode that does not exist', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
  ['with reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
  ['with a length of 2^63', Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  ['with a ping of 300 bytes', Buffer.from([0x89, 0xfe, 0x01, 0x2c, 0, 0, 0, 0])],
  ['that continues nothing', Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
  ['with text that is no text', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])],
  ['with a close of one byte', Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03])],
  ['made of noise', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197 + 91) % 256))],
]

describe('parsers: ws, Fastify, giant or deep JSON, __proto__: the same process serves the next, and', () => {
  it.each(['/events', '/agents/a/terminal?mode=bash'])(
    'malformed frames on %s end that socket and nothing else',
    async (path) => {
      for (const [what, frame] of MALFORMED) {
        const answer = await raw(upgrade(path), frame)
        expect(answer, what).toContain('101 Switching')
      }
      await stillServes()
    },
  )

  it('giant JSON: 50 MB of a body, 2,000 headers and a first message of 2 MB are cut off', async () => {
    const address = await addressOf(team())
    const head = `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
    expect(await raw(`${head}content-length: 50000000\r\n\r\n{"email":"`)).toContain(' 413 ')
    const chunked = await raw(
      `${head}transfer-encoding: chunked\r\n\r\n`.concat(
        '10000\r\n',
        `${'a'.repeat(65_536)}\r\n`.repeat(1),
        '10000\r\n',
        'a'.repeat(65_536),
      ),
    )
    expect(chunked).toContain(' 413 ')
    const headers = Array.from({ length: 2_000 }, (_, index) => `x-${index}: ${'y'.repeat(20)}\r\n`).join('')
    expect(await raw(`GET /api/health HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 4(31|00) /)
    for (const path of ['/events', '/agents/a/terminal?mode=bash']) {
      const socket = new WebSocket(`ws://${address}/api${path}`)
      await once(socket, 'open')
      const closed = once(socket, 'close')
      socket.send(JSON.stringify({ type: 'auth', token: 'x'.repeat(2_000_000) }))
      expect((await closed)[0]).toBe(1009)
    }
    await stillServes()
  })

  it('JSON nested 10,000 deep as a first message is a refusal', async () => {
    const socket = new WebSocket(`ws://${await addressOf(team())}/api/events`)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    socket.send(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)
    expect((await closed)[0]).toBe(CloseCode.UNAUTHENTICATED)
    await stillServes()
  })
})

describe('a stranger’s client', () => {
  it('no first message, on 1,000 idle sockets: all are closed in time, and other clients are served meanwhile', async () => {
    const address = await addressOf(team())
    const codes: number[] = []
    const sockets = Array.from({ length: 1_000 }, (_, index) => {
      const path = index % 2 === 0 ? '/events' : '/agents/a/terminal?mode=bash'
      const socket = new WebSocket(`ws://${address}/api${path}`)
      socket.on('error', () => undefined).once('close', (code: number) => codes.push(code))
      return socket
    })
    await until('all to be open', () => sockets.every(({ readyState }) => readyState !== WebSocket.CONNECTING), 30_000)
    expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length).toBeGreaterThan(0)
    await stillServes()
    await until('all to be closed', () => codes.length === 1_000, FIRST_MESSAGE_MS + 30_000)
    expect(new Set(codes)).toEqual(new Set([CloseCode.UNAUTHENTICATED]))
    await stillServes()
  })

  it('half-open TCP: a request that never comes to its end is cut off, and delays no other client', async () => {
    const half = 'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-le'
    const { server } = team().app
    expect(server.headersTimeout).toBe(HEADERS_MS)
    const cutOff = Promise.all(Array.from({ length: 200 }, () => raw(half)))
    await stillServes()
    server.headersTimeout = SHORT_HEADERS_MS
    const from = performance.now()
    expect(new Set((await cutOff).map((answer) => answer.split('\r\n')[0]))).toEqual(
      new Set(['HTTP/1.1 408 Request Timeout']),
    )
    expect(performance.now() - from).toBeLessThan(CUT_OFF_MS)
    await stillServes()
    server.headersTimeout = HEADERS_MS
  })
})
