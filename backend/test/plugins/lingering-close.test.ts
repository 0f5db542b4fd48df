import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type LingeringCloseOptions, lingeringClosePlugin } from '../../src/plugins/lingering-close.ts'

const MEBIBYTE = Buffer.alloc(2 ** 20, 'x')

let app: FastifyInstance | undefined
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await app?.close()
})

/** A server that reads at most 1,000 bytes of a body. One of its routes iterates over the body and stops. */
const listen = async (options: LingeringCloseOptions = {}): Promise<number> => {
  app = Fastify({ bodyLimit: 1_000 })
  await app.register(lingeringClosePlugin, options)
  app.post('/form', () => 'done')
  app.addContentTypeParser('application/octet-stream', (_request, _body, done) => done(null))
  app.post('/file', async ({ raw }, reply) => {
    const chunks = raw.iterator({ destroyOnReturn: false })
    await chunks.next()
    void chunks.next()
    return reply.code(507).send('full')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** Sends the head, then the bytes that the test gives. It reads nothing until the test asks for the answer. */
const begin = (port: number, path: string, headers: string) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause()
  sockets.add(socket)
  let failure: NodeJS.ErrnoException | undefined
  socket.on('error', (error) => (failure = error))
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`)
  return {
    socket,
    send: (bytes: Buffer | string) => new Promise<void>((resolve) => socket.write(bytes, () => resolve())),
    failure: () => failure,
    answer: async (): Promise<string> => {
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString('latin1'))).resume()
      await once(socket, 'end')
      return text
    },
  }
}

const JSON_OF = (bytes: number) => `content-type: application/json\r\ncontent-length: ${bytes}`
const CHUNKED = 'content-type: application/json\r\ntransfer-encoding: chunked'
const FILE_OF = (bytes: number) => `content-type: application/octet-stream\r\ncontent-length: ${bytes}`

describe('an answer that comes before its request has', () => {
  it.each([
    ['a body that is too large', '/form', JSON_OF(4 * 2 ** 20), '413 '],
    ['a body without end', '/form', CHUNKED, '413 '],
    ['a file that its route no longer reads', '/file', FILE_OF(4 * 2 ** 20), '507 '],
  ])('reaches who is still sending %s', async (_what, path, headers, status) => {
    const client = begin(await listen(), path, headers)
    if (headers === CHUNKED) await client.send('400000\r\n')
    for (let sent = 0; sent < 4; sent++) await client.send(MEBIBYTE)
    expect(client.failure()).toBeUndefined()
    const answer = await client.answer()
    expect(answer).toContain(`HTTP/1.1 ${status}`)
    expect(answer).toMatch(/^connection: close/im)
    expect(client.failure()).toBeUndefined()
  })

  it('leaves the connection to the next request where the rest is small', async () => {
    const client = begin(await listen(), '/form', JSON_OF(2_000))
    const next = once(client.socket.resume(), 'data') as Promise<[Buffer]>
    expect((await next)[0].toString()).toContain('413 ')
  })

  it('ends with the connection, although the client stays', async () => {
    const port = await listen({ ms: 50 })
    const connected = once(app?.server as Server, 'connection') as Promise<[Socket]>
    const client = begin(port, '/form', JSON_OF(4 * 2 ** 20))
    const [theirs] = await connected
    const closed = once(theirs, 'close')
    expect(await client.answer()).toContain('413 ')
    await closed
    expect(client.socket.destroyed).toBe(false)
  })

  it('takes no more than its bound of what is still sent', async () => {
    const client = begin(await listen({ bytes: 2 ** 20 }), '/form', JSON_OF(2 ** 30))
    const closed = once(client.socket, 'close')
    while (!client.socket.destroyed) await Promise.race([client.send(MEBIBYTE), closed])
    expect(client.failure()?.code).toMatch(/^(ECONNRESET|EPIPE)$/)
  })
})
