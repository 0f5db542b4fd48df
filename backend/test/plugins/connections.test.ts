import { connect, type AddressInfo, type Socket } from 'node:net'
import websocket from '@fastify/websocket'
import { until } from '@slipway/testing'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectionOptions, connectionsPlugin } from '../../src/plugins/connections.ts'

let app: FastifyInstance | undefined
afterEach(() => app?.close())

const UPGRADE = [
  'host: localhost',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

const HALF_A_BODY = 'host: x\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n1'

/** A server whose limits are so short that a test can wait for them. */
const listen = async (more: ConnectionOptions = {}): Promise<number> => {
  app = Fastify()
  await app.register(connectionsPlugin, { upgradeMs: 200, bodyMs: 200, stopGraceMs: 200, ...more })
  // Registered before the WebSocket plugin, so the plugin's hooks do not apply to it.
  app.get('/refused', { websocket: true } as object, (_request, reply) => reply.code(401).send({}))
  await app.register(websocket)
  app.get('/socket', { websocket: true }, (socket) => void socket.on('message', (data: Buffer) => socket.send(data)))
  app.get('/plain', () => 'plain')
  app.post('/form', () => 'done')
  app.post('/file', { config: { longBody: true } }, () => 'done')
  await app.listen({ port: 0 })
  return (app.server.address() as AddressInfo).port
}

const send = (port: number, text: string): { socket: Socket; received: () => string; closed: Promise<void> } => {
  const socket = connect(port, 'localhost')
  let received = ''
  socket.on('data', (data: Buffer) => (received += data.toString('latin1'))).on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(text)
  return { socket, received: () => received, closed }
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a connection', () => {
  it('ends when its upgrade was refused', async () => {
    const { closed, received } = send(await listen(), `GET /refused HTTP/1.1\r\n${UPGRADE}`)
    await closed
    expect(received()).toContain('401 Unauthorized')
  })

  it.each(['GET /plain', 'GET /nowhere', 'POST /form', 'HEAD /plain'])(
    'with an upgrade to what is no WebSocket is answered plainly, and ends: %s',
    async (what) => {
      const began = performance.now()
      const body = 'content-type: text/plain\r\ncontent-length: 5\r\n'
      const { closed, received } = send(
        await listen({ upgradeMs: 60_000, bodyMs: 60_000 }),
        `${what} HTTP/1.1\r\n${body}${UPGRADE}`,
      )
      await closed
      expect(received()).toMatch(/^HTTP\/1.1 404 /)
      // Less than either limit, and less than the 30 s for which the library waits until a client closes.
      expect(performance.now() - began).toBeLessThan(10_000)
    },
  )

  it('stays when it became a WebSocket, however long it is silent', async () => {
    const { socket, received } = send(await listen(), `GET /socket HTTP/1.1\r\n${UPGRADE}`)
    await until('the upgrade', () => received().includes('101 Switching'))
    await pause(500)
    // A masked text frame "hi" (RFC 6455, 5.2) with a mask of zeros.
    socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
    await until('the answer', () => received().includes('hi'))
    socket.destroy()
  })

  it('ends when the body of its request does not come', async () => {
    const { closed } = send(await listen(), `POST /form HTTP/1.1\r\n${HALF_A_BODY}`)
    await closed
  })

  it('has the time that a file takes where the route says so', async () => {
    const { socket, received } = send(await listen(), `POST /file HTTP/1.1\r\n${HALF_A_BODY}`)
    await pause(500)
    socket.write('2')
    await until('the answer', () => received().includes('200 OK'))
    socket.destroy()
  })

  it.each([
    [
      'a body that does not come',
      'POST /form HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\n1',
    ],
    ['headers that do not come', 'GET /form HTTP/1.1\r\nhost: x\r\n'],
    ['an upgrade that was refused', `GET /refused HTTP/1.1\r\n${UPGRADE}`],
  ])('with %s does not keep the server from stopping', async (_what, text) => {
    const { closed } = send(await listen(), text)
    await pause(50)
    await app?.close()
    await closed
  })
})
