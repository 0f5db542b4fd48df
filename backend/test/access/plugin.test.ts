import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Signal } from '../../src/lib/emitter.ts'
import { accessPlugin, requireArrival, requireCaller } from '../../src/modules/access/plugin.ts'
import { byDeletion, type Loss } from '../../src/modules/access/loss.ts'
import type { Caller } from '../../src/modules/identity/caller.ts'
import { errorsPlugin } from '../../src/plugins/errors.ts'
import { NOWHERE } from '../support/people/callers.ts'

const user: Caller = {
  userId: 'u',
  email: 'u@example.org',
  role: 'user',
  via: { kind: 'sign_in', signInId: 's' },
  source: NOWHERE,
}
let app: FastifyInstance
let losses: Signal<Loss>
let lookedUp: () => void

beforeEach(async () => {
  app = Fastify()
  losses = new Signal()
  await app.register(errorsPlugin)
  lookedUp = () => undefined
  const authenticate = async (token: string) => {
    lookedUp()
    return Promise.resolve(token === 'good' ? user : null)
  }
  const authenticator = { authenticate, again: () => Promise.resolve(null) }
  await app.register(accessPlugin, { authenticator, losses })
  await app.register(websocket)
})
afterEach(() => app.close())

const handler = () => Promise.resolve({ ok: true })
const get = (url: string, token?: string) =>
  app.inject({ url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })

describe('a route', () => {
  it('that does not declare what it does keeps the server from starting', async () => {
    app.get('/forgotten', handler)
    await expect(app.ready()).rejects.toThrow('GET /forgotten')
  })

  it('may leave the caller to its first message only as a WebSocket', async () => {
    app.get('/plain', { config: { action: 'events.listen', firstMessage: true } }, handler)
    await expect(app.ready()).rejects.toThrow('GET /plain')
  })

  it('that leaves it to the first message shows nothing to a plain request', async () => {
    const config = { action: 'events.listen', firstMessage: true } as const
    app.get('/socket', { websocket: true, config }, (socket) => socket.close())
    await app.ready()
    expect((await get('/socket', 'good')).statusCode).toBe(404)
  })

  it('that is public needs no caller', async () => {
    app.get('/open', { config: { action: 'public' } }, handler)
    expect((await get('/open')).statusCode).toBe(200)
    expect((await get('/open', 'bad')).statusCode).toBe(200)
  })

  it('that is not public refuses a request without a caller, before it reads the body', async () => {
    const schema = { querystring: { type: 'object', required: ['x'] } }
    app.get('/mine', { config: { action: 'account.view' }, schema }, handler)
    expect((await get('/mine')).json()).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' })
    expect((await get('/mine', 'bad')).statusCode).toBe(401)
    expect((await get('/mine?x=1', 'good')).statusCode).toBe(200)
  })

  it('for admins is forbidden to others', async () => {
    app.get('/admins', { config: { action: 'users.list' } }, handler)
    expect((await get('/admins', 'good')).json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
  })

  it('knows its caller', async () => {
    app.get('/who', { config: { action: 'account.view' } }, (request) => Promise.resolve(requireCaller(request)))
    expect((await get('/who', 'good')).json()).toEqual(user)
  })

  it('knows what is revoked from its caller while the caller is looked up', async () => {
    const right = byDeletion({ id: 'agent', name: 'docs' })
    lookedUp = () => losses.emit(right)
    app.get('/who', { config: { action: 'account.view' } }, async (request) => {
      expect(requireArrival(request).settle(() => true)).toBe(right)
    })
    expect((await get('/who', 'good')).statusCode).toBe(200)
  })

  it('that is public has no caller to ask for', async () => {
    app.get('/open', { config: { action: 'public' } }, (request) => Promise.resolve(requireCaller(request)))
    expect((await get('/open', 'good')).statusCode).toBe(401)
  })

  it('that does not exist is not found by any caller', async () => {
    await app.ready()
    expect((await get('/nowhere')).json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
  })
})
