import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { TerminalLink } from './link.ts'
import { WAITING_BYTES_MAX } from './typed.ts'

/** Most bytes that the server takes of a client. It never takes more. */
const WINDOW = 10

/** A link to a server that takes no input, and all calls of it. */
const setUp = async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const sockets: WebSocket[] = []
  const calls: string[] = []
  const { promise: isBack, resolve: back } = Promise.withResolvers<null>()
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return
      if ((JSON.parse(data.toString()) as { type: string }).type !== 'auth') return
      const session = { sessionId: 'one', offset: 0, replay: 0, resumed: sockets.length > 1, inputWindow: WINDOW }
      socket.send(JSON.stringify({ type: 'auth_success', ...session }))
    })
  })
  await once(server, 'listening')
  const { promise: isConnected, resolve: connected } = Promise.withResolvers<null>()
  const link = new TerminalLink({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'token',
    takesOver: false,
    size: () => ({ cols: 80, rows: 24 }),
    draw: (_bytes, drawn) => drawn(),
    onLost: (isLost) => {
      calls.push(isLost ? 'lost' : 'back')
      if (isLost) return
      if (sockets.length > 1) back(null)
      else connected(null)
    },
    onRoom: () => calls.push('room'),
  })
  onTestFinished(async () => {
    link.detach()
    await new Promise((closed) => server.close(closed))
  })
  await isConnected
  return { link, calls, isBack, lose: () => sockets[0]?.terminate() }
}

test('a keyboard that waits is read again after a lost connection, whose input is gone', async () => {
  const { link, calls, isBack, lose } = await setUp()
  expect(link.type(Buffer.alloc(WINDOW + WAITING_BYTES_MAX))).toBe(false)
  lose()
  await isBack
  expect([calls, link.hasLostInput]).toEqual([['back', 'lost', 'room', 'back'], true])
})

test('a lost connection on which no input waited has cut none', async () => {
  const { link, calls, isBack, lose } = await setUp()
  expect(link.type(Buffer.alloc(WINDOW))).toBe(true)
  lose()
  await isBack
  expect([calls, link.hasLostInput]).toEqual([['back', 'lost', 'room', 'back'], false])
})
