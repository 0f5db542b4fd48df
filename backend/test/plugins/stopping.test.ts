import { connect } from 'node:net'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { connectionsPlugin } from '../../src/plugins/connections.ts'
import { errorsPlugin } from '../../src/plugins/errors.ts'
import { requestIdPlugin } from '../../src/plugins/request-id.ts'
import { serverOptions } from '../../src/plugins/server-options.ts'
import { stoppingPlugin } from '../../src/plugins/stopping.ts'

let app: FastifyInstance | undefined
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
afterEach(async () => {
  agent.destroy()
  await app?.close()
})

/** A server with a request that waits for `answer`, and with a plugin whose stop waits for `stopped`. */
const listen = async () => {
  const answer = Promise.withResolvers<string>()
  const stopped = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<undefined>()
  const server = Fastify(serverOptions({ logLevel: 'silent', trustedProxies: [] }))
  app = server
  await server.register(requestIdPlugin)
  await server.register(stoppingPlugin)
  await server.register(connectionsPlugin)
  await server.register(errorsPlugin)
  server.addHook('preClose', () => stopped.promise)
  server.get('/slow', () => {
    begun.resolve(undefined)
    return answer.promise
  })
  server.get('/ready', () => 'yes')
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as { port: number }
  return { server, port, answer, stopped, begun: begun.promise }
}

const get = (port: number, path: string) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    request({ port, path, agent, host: '127.0.0.1' }, (response) => {
      void text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
      .on('error', reject)
      .end()
  })

describe('a server that stops', () => {
  it('finishes what has begun, takes nothing new and says so, and then is gone', async () => {
    const { server, port, answer, stopped, begun } = await listen()
    expect((await get(port, '/ready')).status).toBe(200)
    const slow = get(port, '/slow')
    await begun
    const closed = server.close()
    const refused = await get(port, '/ready')
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
    expect(JSON.parse(refused.body)).toMatchObject({ statusCode: 503, code: 'SERVER_STOPPING' })
    stopped.resolve(undefined)
    answer.resolve('finished')
    // The server closes the connection after the answer. A connection that stays open would block the stop for as long
    // as the client likes.
    expect(await slow).toMatchObject({ status: 200, body: 'finished', headers: { connection: 'close' } })
    await closed
    const gone = await new Promise<string>((resolve) => {
      connect(port, '127.0.0.1').on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(gone).toBe('ECONNREFUSED')
  })
})
