import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { ACK_EVERY_BYTES } from '@slipway/protocol'
import { afterAll, afterEach, beforeAll, expect, describe, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { disconnectAll, TerminalClient } from './terminal-client.ts'

/** A server that sends what the tests tell it to. The tests look at what the client makes of it. */
let server: WebSocketServer
let baseUrl: string

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(disconnectAll)
afterAll(() => new Promise((resolve) => server.close(resolve)))

const WELCOME = { type: 'auth_success', sessionId: 'one', offset: 1000 }

/** What the server received, with text frames parsed. */
const receivedBy = (socket: WebSocket): unknown[] => {
  const received: unknown[] = []
  socket.on('message', (data: Buffer, isBinary) =>
    received.push(isBinary ? data.toString() : JSON.parse(data.toString())),
  )
  return received
}
/** A client, the server's end of its socket, and what the server received over it. */
const connect = async (acknowledges = false) => {
  const connected = once(server, 'connection') as Promise<[WebSocket]>
  const client = new TerminalClient({ baseUrl, path: '/agents/a/terminal', acknowledges })
  const [socket] = await connected
  const send = (...frames: (object | Buffer)[]): void => {
    for (const frame of frames) socket.send(Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }
  return { client, socket, send, received: receivedBy(socket) }
}
const enter = async (acknowledges = false) => {
  const there = await connect(acknowledges)
  there.send(WELCOME)
  await there.client.enter({ type: 'auth', v: 2 })
  return there
}

describe('a client of a terminal', () => {
  it('says who it is, and knows its session', async () => {
    const { client, received, send } = await connect()
    const entered = client.enter({ type: 'auth', v: 2, token: 'secret' })
    send(WELCOME)
    expect(await entered).toEqual(WELCOME)
    expect(client.sessionId).toBe('one')
    await client.disconnect()
    expect(received).toEqual([{ type: 'auth', v: 2, token: 'secret' }])
  })

  it('rejects with the sentence of a server that refuses', async () => {
    const { client, socket, send } = await connect()
    const entered = client.enter({ type: 'auth' })
    send({ type: 'error', message: 'Token required', close: true })
    socket.close(4001)
    await expect(entered).rejects.toThrow('Token required')
    expect((await client.closed).code).toBe(4001)
  })

  it('rejects when the server closes without a word, and when there is none', async () => {
    const { client, socket } = await connect()
    const entered = client.enter({ type: 'auth' })
    socket.close(1011)
    await expect(entered).rejects.toThrow('the terminal closed with 1011')
    const options = { baseUrl: 'http://127.0.0.1:1', path: '' }
    await expect(TerminalClient.open(options, { type: 'auth' })).rejects.toThrow('ECONNREFUSED')
  })

  it('counts output from the offset that it is given, in pieces of any size, and no byte of a screen', async () => {
    const { client, send } = await enter()
    send(Buffer.alloc(10))
    await client.until('the output', () => client.received === 10)
    expect(client.offset).toBe(1010)
    send({ type: 'snapshot', bytes: 30, offset: 5000, cols: 80, rows: 24 }, Buffer.alloc(20), Buffer.alloc(15))
    await client.until('the screen', () => client.received === 45)
    expect(client.offset).toBe(5005)
  })

  it('hands on what it receives once it is counted', async () => {
    const { client, send } = await enter()
    const seen: unknown[] = []
    client.onOutput((bytes) => seen.push([bytes.toString(), client.offset]))
    client.onFrame(({ type }) => seen.push(type))
    send(Buffer.from('abc'), { type: 'alive' }, Buffer.from('de'))
    await client.until('all of it', () => client.text === 'abcde')
    expect(seen).toEqual([['abc', 1003], 'alive', ['de', 1005]])
  })

  it('fails to wait when the connection ends first, and says what had come', async () => {
    const { client, socket, send } = await enter()
    send(Buffer.from('the last words'))
    const waiting = client.until('more', () => client.text.includes('more'))
    socket.close(4003)
    await expect(waiting).rejects.toThrow(/^closed: more\n.*auth_success.*\nthe last words$/)
    await expect(client.until('more', () => false)).rejects.toThrow('closed: more')
  })

  it('lets several wait at once', async () => {
    const { client, send } = await enter()
    const waiting = ['one', 'two'].map((word) => client.until(word, () => client.text.includes(word)))
    send(Buffer.from('one two'))
    await Promise.all(waiting)
  })
})

describe('a client that acknowledges', () => {
  it('does so at each step of bytes, and for the rest after a silence', async () => {
    const { client, send, received } = await enter(true)
    send(Buffer.alloc(ACK_EVERY_BYTES - 1), Buffer.alloc(1), Buffer.alloc(5))
    const acks = () => received.slice(1)
    await expect.poll(acks).toEqual([
      { type: 'ack', offset: 1000 + ACK_EVERY_BYTES },
      { type: 'ack', offset: 1005 + ACK_EVERY_BYTES },
    ])
    expect(client.offset).toBe(1005 + ACK_EVERY_BYTES)
  })

  it('says nothing of a screen, nor twice the same', async () => {
    const { client, send, received } = await enter(true)
    send({ type: 'snapshot', bytes: ACK_EVERY_BYTES, offset: 5000, cols: 80, rows: 24 }, Buffer.alloc(ACK_EVERY_BYTES))
    await client.until('the screen', () => client.received === ACK_EVERY_BYTES)
    client.acknowledge()
    send(Buffer.alloc(ACK_EVERY_BYTES))
    await client.until('the output', () => client.received === 2 * ACK_EVERY_BYTES)
    client.acknowledge()
    client.type('end')
    await expect.poll(() => received.at(-1)).toBe('end')
    expect(received.slice(1)).toEqual([{ type: 'ack', offset: 5000 + ACK_EVERY_BYTES }, 'end'])
  })

  it('acknowledges nothing by itself unless it is told to', async () => {
    const { client, send, received } = await enter()
    send(Buffer.alloc(2 * ACK_EVERY_BYTES))
    await client.until('the output', () => client.received === 2 * ACK_EVERY_BYTES)
    client.acknowledge(1500)
    client.type('end')
    await expect.poll(() => received.at(-1)).toBe('end')
    expect(received.slice(1)).toEqual([{ type: 'ack', offset: 1500 }, 'end'])
  })
})
