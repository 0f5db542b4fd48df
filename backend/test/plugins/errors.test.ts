import { ERROR_STATUS, type ErrorCode } from '@slipway/protocol'
import { connect, type AddressInfo } from 'node:net'
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import Type from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/lib/errors.ts'
import { errorsPlugin } from '../../src/plugins/errors.ts'
import { serverOptions } from '../../src/plugins/server-options.ts'
import { validationPlugin } from '../../src/plugins/validation.ts'

let app: FastifyInstance
let lines: string[]

beforeEach(async () => {
  lines = []
  const logStream = { write: (line: string) => void lines.push(line) }
  app = Fastify(serverOptions({ logLevel: 'info', logStream, trustedProxies: [] }))
  await app.register(errorsPlugin)
  await app.register(validationPlugin)
})
afterEach(() => app.close())

function failWith(error: unknown): void {
  app.get('/fail', () => Promise.reject(error as Error))
}
const get = (url: string) => app.inject({ url })

describe('a failure', () => {
  it.each(Object.keys(ERROR_STATUS) as ErrorCode[])('with the code %s answers the one shape', async (code) => {
    failWith(new AppError(code, 'A sentence.'))
    const response = await get('/fail')
    expect(response.statusCode).toBe(ERROR_STATUS[code])
    expect(response.json()).toEqual({
      statusCode: ERROR_STATUS[code],
      code,
      error: expect.any(String) as string,
      message: 'A sentence.',
    })
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it('that is unexpected shows no details, and is logged with the id of its request', async () => {
    failWith(new Error('the secret inside'))
    const response = await get('/fail')
    expect(response.json()).toMatchObject({ statusCode: 500, code: 'INTERNAL', error: 'Internal Server Error' })
    expect(response.body).not.toContain('secret inside')
    const line = lines.map((text) => JSON.parse(text) as Record<string, unknown>).find(({ level }) => level === 50)
    expect(line).toMatchObject({ reqId: expect.any(String) as string, err: { message: 'the secret inside' } })
  })

  it.each([
    ['is no Error', 'text'],
    ['is nothing', undefined],
    ['claims a status of its own', Object.assign(new Error('x'), { statusCode: 500 })],
  ])('that %s is an internal one', async (_name, error) => {
    failWith(error)
    expect((await get('/fail')).json()).toMatchObject({ statusCode: 500, code: 'INTERNAL' })
  })

  it.each([
    Object.assign(new Error('x'), { code: 'P1001' }),
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    new Error('Connection terminated unexpectedly'),
    new Error('the embedded database has stopped'),
    new Error('wrapped', { cause: Object.assign(new Error('x'), { code: '57P01' }) }),
  ])('of the database is one that may pass: %s', async (error) => {
    failWith(error)
    expect((await get('/fail')).json()).toMatchObject({ statusCode: 503, code: 'DATABASE_UNAVAILABLE' })
  })

  it('by too many requests says when to try again', async () => {
    failWith(new AppError('TOO_MANY_REQUESTS', 'Wait.', { retryAfterSeconds: 7 }))
    expect((await get('/fail')).headers['retry-after']).toBe('7')
  })
})

describe('parsers: ws, Fastify, giant or deep JSON, __proto__: a request that cannot be read', () => {
  beforeEach(() => {
    const body = Type.Object(
      { name: Type.String(), deep: Type.Optional(Type.Object({ n: Type.Integer() })) },
      { additionalProperties: false },
    )
    app.post('/things', { schema: { body } }, () => Promise.resolve({ ok: true }))
    app.get(
      '/query',
      { schema: { querystring: Type.Object({ n: Type.Integer() }) }, validatorCompiler: TypeBoxValidatorCompiler },
      (request) => Promise.resolve(request.query),
    )
  })
  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/things', payload, headers: { 'content-type': type } })

  it.each([
    ['{', 'application/json'],
    ['', 'application/json'],
    ['name=x', 'application/x-www-form-urlencoded'],
    ['{"name":"x"}', 'text/plain'],
    ['null', 'application/json'],
    ['[]', 'application/json'],
    ['{"__proto__":{"name":"x"}}', 'application/json'],
    ['{"constructor":{"prototype":{"x":1}}}', 'application/json'],
  ])('%j as %s is refused', async (payload, type) => {
    expect((await post(payload, type)).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
  })

  it.each([
    ['{"name":1}', 'body.name'],
    ['{"name":"x","color":"red"}', 'color'],
    ['{}', 'name'],
    ['{"name":"x","deep":{"n":"1"}}', 'body.deep.n'],
  ])('%s is refused with the name of the field', async (payload, field) => {
    const body = (await post(payload)).json<{ message: string }>()
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    expect(body.message).toContain(field)
  })

  it('because of a thousand fields is refused in a few words', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}${'x'.repeat(40)}`, 1]))
    expect((await post(JSON.stringify(fields))).body.length).toBeLessThan(1000)
  })

  it('for its size is refused without being read', async () => {
    const response = await post(JSON.stringify({ name: 'x'.repeat(70_000) }))
    expect(response.json()).toMatchObject({ statusCode: 413, code: 'TOO_LARGE' })
  })

  it('nested a thousand deep is refused', async () => {
    expect((await post('{"deep":'.repeat(1000) + '1' + '}'.repeat(1000))).statusCode).toBe(400)
  })

  it('by address or method is not found', async () => {
    for (const response of [await get('/nowhere'), await app.inject({ method: 'PUT', url: '/things' })]) {
      expect(response.json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND', error: 'Not Found' })
    }
    expect((await get('/%ff')).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
  })

  it('is converted in its query only', async () => {
    expect((await get('/query?n=5')).json()).toEqual({ n: 5 })
    expect((await get('/query?n=five')).statusCode).toBe(400)
  })
})

/** Sends these bytes on a new connection. Answers everything that the server sends until it closes. */
const exchange = async (bytes: string): Promise<string> => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => (received += data.toString('latin1'))).on('error', () => undefined)
  socket.end(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return received
}
const bodyIn = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4))

describe('what is no request', () => {
  beforeEach(() => app.listen({ port: 0, host: '127.0.0.1' }))

  it.each([
    ['no HTTP at all', 'nonsense\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'MALFORMED_REQUEST',
    ],
    ['a header without end', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(70_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ])('is answered in the one shape: %s', async (_what, bytes, statusCode, code) => {
    const response = await exchange(bytes)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${statusCode} `))
    expect(bodyIn(response)).toEqual({
      statusCode,
      code,
      error: expect.any(String) as string,
      message: expect.any(String) as string,
    })
  })

  it.each(['h2c', 'HTTP/3.0', 'tls/1.0'])(
    'is not an upgrade to anything but a WebSocket, which is answered plainly: %s',
    async (offer) => {
      const head = `GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: ${offer}\r\n\r\n`
      expect(bodyIn(await exchange(head))).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
    },
  )
})
