import { once } from 'node:events'
import { duplexPair, type Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aCaller } from '../../../test/support/people/callers.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { type Door, openDoor } from './door.ts'

/** Answers who asks, and for which agent they were taken. */
const routes: FastifyPluginAsync = async (api) => {
  api.post('/who', { config: { action: 'tools.use' }, bodyLimit: 100_000_000 }, async (request) => ({
    address: requireCaller(request).source.address,
  }))
  api.get('/undeclared', async (request) => ({ caller: request.caller }))
}

let door: Door | null = null
afterEach(async () => {
  vi.useRealTimers()
  await door?.close()
})

/** A door through which the programs of agent `open` may go, with a token that has these scopes. */
const doorFor = async (scopes: readonly ('tasks:read' | 'agents:read')[] = ['tasks:read']): Promise<Door> => {
  const via = { kind: 'api_token', tokenId: 'token', scopes } as const
  door = await openDoor({
    routes,
    callerIn: (agentId, requestId) =>
      Promise.resolve(
        agentId === 'open' ? { ...aCaller(), via, source: { address: `agent ${agentId}`, requestId } } : null,
      ),
    log: Fastify().log,
  })
  return door
}

const connect = (to: Door, agentId: string): Duplex => {
  const [program, stream] = duplexPair()
  to.connected(agentId, stream)
  return program
}
const ask = async (to: Door, agentId: string, head: string, body = ''): Promise<string> => {
  const program = connect(to, agentId)
  program.write(`${head}\r\nHost: slipway\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  return text(program)
}
const POST = 'POST /api/who HTTP/1.1\r\nContent-Type: application/json'

describe('the door for programs in agents', () => {
  it('takes each for its agent, whatever they say, and answers one request of a connection', async () => {
    const to = await doorFor()
    const lies = 'Authorization: Bearer slp_x\r\nX-Forwarded-For: 10.0.0.1\r\nX-Agent: other\r\nCookie: slipway=x'
    const program = connect(to, 'open')
    const one = `${POST}\r\n${lies}\r\nHost: slipway\r\nContent-Length: 2\r\n\r\n{}`
    program.write(one + one)
    const answer = await text(program)
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(answer).toContain('{"address":"agent open"}')
    expect(answer.toLowerCase()).toContain('connection: close')
  })

  it('refuses the programs of an agent without the right, and a token without the scope', async () => {
    expect(await ask(await doorFor(), 'closed', POST, '{}')).toMatch(/^HTTP\/1\.1 403 .*"FORBIDDEN"/s)
    await door?.close()
    expect(await ask(await doorFor(['agents:read']), 'open', POST, '{}')).toMatch(/^HTTP\/1\.1 403 .*tasks:read/s)
  })

  it('has only the routes that it was given', async () => {
    const to = await doorFor()
    for (const path of ['/api/agents', '/api/health/live', '/', '/metrics'])
      expect(await ask(to, 'open', `GET ${path} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('hides a route that declares no action', async () => {
    expect(await ask(await doorFor(), 'open', 'GET /api/undeclared HTTP/1.1')).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('takes no body above its bound, whatever the route takes', async () => {
    const to = await doorFor()
    const large = connect(to, 'open')
    large.write(`${POST}\r\nHost: slipway\r\nContent-Length: 1048577\r\n\r\n`)
    expect(await text(large)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('closes a connection that sends no request in time', async () => {
    const to = await doorFor()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const program = connect(to, 'open')
    program.resume()
    program.write(`${POST}\r\nHost: slipway\r\nContent-Length: 100\r\n\r\n{`)
    const ended = once(program, 'end')
    vi.advanceTimersByTime(15_001)
    await ended
  })
})
