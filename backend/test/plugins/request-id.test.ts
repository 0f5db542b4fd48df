import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { withRequestId } from '../../src/lib/request-scope.ts'
import { errorsPlugin } from '../../src/plugins/errors.ts'
import { requestIdPlugin } from '../../src/plugins/request-id.ts'
import { serverOptions } from '../../src/plugins/server-options.ts'

interface Line {
  readonly msg: string
  readonly reqId?: string
  readonly route?: string
}

let app: FastifyInstance | undefined
afterEach(() => app?.close())

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const boot = async (trustedProxies: readonly string[] = []) => {
  const lines: Line[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line)
  const server = Fastify(serverOptions({ logLevel: 'debug', logStream: { write }, trustedProxies }))
  app = server
  const log = withRequestId(server.log)
  await server.register(requestIdPlugin)
  await server.register(errorsPlugin)
  server.get('/work/:what', async () => {
    await pause(1)
    log.info({ agentId: 'a' }, 'a service did something')
    log.info('and something else')
    setTimeout(() => log.info('later'), 5)
    return 'done'
  })
  server.post('/body', () => {
    log.info('after the body')
    return 'done'
  })
  server.get('/broken', () => Promise.reject(new Error('canary')))
  return { server, lines, log }
}

const of = (lines: readonly Line[], id: unknown): string[] =>
  lines.filter(({ reqId }) => reqId === id).map(({ msg }) => msg)

describe('a request', () => {
  it('has an id in its answer and on every line that is logged because of it', async () => {
    const { server, lines, log } = await boot()
    const [one, other] = await Promise.all([server.inject('/work/canary'), server.inject('/work/canary')])
    await expect.poll(() => lines.filter(({ msg }) => msg === 'later')).toHaveLength(2)
    const ids = [one.headers['x-request-id'], other.headers['x-request-id']]
    expect(ids[0]).not.toBe(ids[1])
    for (const id of ids) {
      expect(id).toMatch(UUID)
      expect(of(lines, id)).toEqual([
        'request began',
        'a service did something',
        'and something else',
        'request answered',
        'later',
      ])
    }
    expect(lines.find(({ msg }) => msg === 'request answered')).toMatchObject({ route: '/work/:what' })
    expect(JSON.stringify(lines)).not.toContain('canary')
    log.info('outside')
    expect(lines.at(-1)).not.toHaveProperty('reqId')
  })

  it('keeps its id when its body comes in pieces', async () => {
    const { server, lines } = await boot()
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const pieces = async function* () {
      yield new TextEncoder().encode('{"a":')
      await pause(20)
      yield new TextEncoder().encode('1}')
    }
    const answer = await fetch(`${address}/body`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    })
    expect(of(lines, answer.headers.get('x-request-id'))).toContain('after the body')
  })

  it('has an id with every outcome', async () => {
    const { server, lines } = await boot()
    for (const url of ['/nothing', '/work/%zz', '/broken']) {
      const { headers } = await server.inject(url)
      expect(headers['x-request-id']).toMatch(UUID)
    }
    const broken = lines.find(({ msg }) => msg === 'a request failed unexpectedly')
    expect(broken?.reqId).toMatch(UUID)
  })

  it('does not get its id from a client', async () => {
    const { server } = await boot()
    const headers = { 'x-request-id': 'chosen-by-client' }
    expect((await server.inject({ url: '/body', headers })).headers['x-request-id']).toMatch(UUID)
  })

  it('keeps the id that a trusted proxy gave it, if that is one', async () => {
    const { server } = await boot(['127.0.0.0/8'])
    const idOf = async (id: string) =>
      (await server.inject({ url: '/body', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idOf('4bf92f3577b34da6a3ce929d0e0e4736')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    for (const bad of ['', 'short', 'x'.repeat(65), 'with space', 'line\tbreak', '{"json":1}', 'aaaaaaaa,bbbbbbbb'])
      expect(await idOf(bad), bad).toMatch(UUID)
  })
})
