import { type Connector, CONNECTORS_MAX, type SetConnector } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { SECRET_KEY } from '../../../../test/support/server/app.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import type { Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { Signal } from '../../../lib/emitter.ts'
import { createIds } from '../../../lib/ids.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Situation } from '../provision/in-force.ts'
import { Keyring } from '../secret-key/keyring.ts'
import { SecretKeyRepository } from '../secret-key/repository.ts'
import { SecretKeyState } from '../secret-key/state.ts'
import type { SetSecret } from '../service.ts'
import { ConnectorRepository } from './repository.ts'
import { ConnectorService } from './service.ts'

const SECRET = 'canary-of-a-connector'
const team = useTeam()
const by = (person: Person) => as(team(), person)

/** The address of a new agent's connectors. The agent needs no container for them. */
const agent = async (name: string): Promise<`/agents/${string}/connectors`> => {
  expect((await by(team().owner)('POST /agents', newAgent(name))).statusCode).toBe(201)
  return `/agents/${name}/connectors`
}
const http = (more: Partial<SetConnector> = {}): SetConnector => ({
  kind: 'http',
  url: 'https://mcp.example.org/mcp',
  ...more,
})
const put = (path: string, body: object, person = team().owner) => by(person)(`PUT ${path}` as `PUT /${string}`, body)
const listed = async (path: string, person = team().owner) =>
  (await by(person)(`GET ${path}` as `GET /${string}`)).json<{ items: Connector[] }>().items

describe('connectors', () => {
  it.each([
    ['an agent', () => agent('one')],
    ['a user', async () => '/users/me/connectors'],
  ])('of %s are set, listed, switched and removed; no answer holds a secret', async (_what, pathOf) => {
    const path = await pathOf()
    const body = http({ headers: { 'X-Key': '${secret:KEY}' }, secrets: { KEY: SECRET }, oauthToken: SECRET })
    const set = await put(`${path}/tracker`, body)
    expect(set.json()).toEqual({
      name: 'tracker',
      kind: 'http',
      enabled: true,
      ...{ command: null, args: null, env: null },
      url: 'https://mcp.example.org/mcp',
      headers: { 'X-Key': '${secret:KEY}' },
      hasOauthToken: true,
      secrets: ['KEY'],
      readable: true,
      setAt: expect.any(String),
      setBy: team().owner.email,
    })
    const off = await by(team().owner)(`PATCH ${path}/tracker` as `PATCH /${string}`, { enabled: false })
    expect(off.json()).toMatchObject({ name: 'tracker', enabled: false, hasOauthToken: true })
    await put(`${path}/local`, { kind: 'stdio', command: 'npx', args: ['x'] })
    const list = await listed(path)
    expect(list).toMatchObject([
      { name: 'local', kind: 'stdio', command: 'npx', args: ['x'], env: {}, url: null, enabled: true },
      { name: 'tracker', enabled: false },
    ])
    expect(set.body + off.body + JSON.stringify(list)).not.toContain(SECRET)
    for (const name of ['local', 'tracker'])
      expect((await by(team().owner)(`DELETE ${path}/${name}` as `DELETE /${string}`)).statusCode).toBe(204)
    expect((await by(team().owner)(`DELETE ${path}/local` as `DELETE /${string}`)).statusCode).toBe(404)
    expect((await by(team().owner)(`PATCH ${path}/local` as `PATCH /${string}`, { enabled: true })).statusCode).toBe(
      404,
    )
  })

  it('are encrypted, and a row that is given to another owner cannot be read', async () => {
    const path = await agent('encrypted')
    await put(`${path}/tracker`, http({ oauthToken: SECRET }))
    const { prisma } = team().database
    const { sealed, owner } = await prisma.connector.findFirstOrThrow({ where: { name: 'tracker' } })
    expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/canary|example/)
    await agent('other')
    const other = await prisma.agent.findUniqueOrThrow({ where: { name: 'other' } })
    await prisma.connector.updateMany({ where: { owner }, data: { owner: `agent:${other.id}`, agentId: other.id } })
    expect(await listed('/agents/other/connectors')).toMatchObject([
      { name: 'tracker', readable: false, url: null, hasOauthToken: false },
    ])
  })

  it.each(['Tracker', 'a_b', '-a', 'a-', 'a.b', 'a'.repeat(33), '%20'])('may not be called %s', async (name) => {
    expect((await put(`/users/me/connectors/${name}`, http())).statusCode).toBe(400)
  })

  it.each([
    ['an unknown field', { ...http(), tokens: [] }],
    ['a header with a bad name', http({ headers: { 'a b': 'x' } })],
    ['a variable that a login sets', { kind: 'stdio', command: 'x', env: { PATH: '/tmp' } }],
    ['an unknown kind', { kind: 'sse', url: 'https://mcp.example.org/' }],
    ['a value that is no text', { kind: 'stdio', command: 'x', env: { A: 1 } }],
  ])('may not have %s', async (_what, body) => {
    const answer = await put('/users/me/connectors/bad', body)
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([400, 'VALIDATION'])
  })

  it(`are ${CONNECTORS_MAX} at most of one owner, also where two come at once, and not too long together`, async () => {
    const path = await agent('many')
    for (let at = 1; at < CONNECTORS_MAX; at++) await put(`${path}/c${at}`, http())
    const answers = await Promise.all(['x', 'y'].map((name) => put(`${path}/${name}`, http())))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    expect(answers.find(({ statusCode }) => statusCode === 409)!.json()).toMatchObject({ code: 'TOO_MANY_CONNECTORS' })
    // One that is there can still be replaced, if all of them fit.
    expect((await put(`${path}/c1`, http({ oauthToken: 'x'.repeat(4000) }))).statusCode).toBe(200)
    const headers = Object.fromEntries(['A', 'B'].map((name) => [name, 'x'.repeat(8000)]))
    expect((await put(`${path}/c1`, http({ headers }))).json()).toMatchObject({ code: 'TOO_MANY_CONNECTORS' })
  })

  it('of another user keep the owner’s own credential out', async () => {
    const path = await agent('foreign')
    const owner = by(team().owner)
    await owner('PUT /users/me/credentials/openai-api-key', { value: 'sk-of-the-owner' })
    const inForce = async () =>
      (await owner('GET /agents/foreign/credentials-in-force'))
        .json<{ items: { service: string; source: string; because: string | null }[] }>()
        .items.find(({ service }) => service === 'openai')
    await put(`${path}/own`, http())
    expect(await inForce()).toMatchObject({ source: 'user' })
    await put(`${path}/foreign`, { kind: 'stdio', command: 'evil' }, team().admin)
    expect(await inForce()).toMatchObject({ source: 'none', because: 'shared' })
    await owner(`DELETE ${path}/foreign`)
    expect(await inForce()).toMatchObject({ source: 'user' })
    await owner('DELETE /users/me/credentials/openai-api-key')
  })
})

const service = (wasSet = new Signal<SetSecret>(() => undefined)): ConnectorService => {
  const { prisma } = team().database
  const keyring = new Keyring(new TextEncoder().encode(SECRET_KEY))
  const clock = new TestClock()
  return new ConnectorService({
    repository: new ConnectorRepository(prisma, { record: async () => undefined }),
    keyring,
    state: new SecretKeyState(new SecretKeyRepository(prisma), keyring),
    clock,
    newId: createIds(clock),
    wasSet,
  })
}

describe('a connector that is set', () => {
  it('tells each of its secrets, so that running tasks mask them', async () => {
    const { id: userId, email } = team().owner
    const source = { address: '', requestId: null, userAgent: null }
    const caller: Caller = { userId, email, role: 'user', via: { kind: 'user', userId }, source }
    const owner = { type: 'user', id: userId } as const
    const wasSet = new Signal<SetSecret>(() => undefined)
    const told: SetSecret[] = []
    wasSet.on((set) => told.push(set))
    const body = http({ headers: { 'X-Key': '${secret:KEY}' }, secrets: { KEY: SECRET }, oauthToken: 'the-token' })
    await service(wasSet).set(caller, { owner, name: email }, 'tracker', body)
    expect(told).toEqual([
      { owner, secret: SECRET },
      { owner, secret: 'the-token' },
    ])
    await by(team().owner)('DELETE /users/me/connectors/tracker')
  })
})

describe('the connectors in force', () => {
  it('are the agent’s, else the user’s own where only they are, else the platform’s', async () => {
    const path = await agent('in-force')
    const { id } = await team().database.prisma.agent.findUniqueOrThrow({ where: { name: 'in-force' } })
    const { admin, owner } = team()
    const urlOf = (of: string) => `https://${of}.example.org/`
    for (const name of ['a', 'b', 'c'])
      await put(`/platform/connectors/${name}`, http({ url: urlOf('platform') }), admin)
    for (const name of ['a', 'b'])
      await put(`/users/me/connectors/${name}`, http({ url: urlOf('user'), oauthToken: SECRET }))
    await put(`${path}/a`, http({ url: urlOf('agent') }))
    const situation: Situation = {
      ...{ userId: owner.id, signedIn: true, agentId: id, ownerId: owner.id, shares: 0, lent: false },
      ...{ useCredentials: true, useGitToken: false },
    }
    const inForce = async (change: Partial<Situation> = {}) => {
      const { servers, ...rest } = await service().inForce({ ...situation, ...change })
      return { ...rest, urls: servers.map(({ name, transport }) => [name, 'url' in transport && transport.url]) }
    }
    const [OF_AGENT, OF_USER, OF_PLATFORM] = ['agent', 'user', 'platform'].map(urlOf)
    const own = {
      urls: [
        ['a', OF_AGENT],
        ['b', OF_USER],
        ['c', OF_PLATFORM],
      ],
      secrets: [SECRET],
      personal: true,
    }
    expect(await inForce()).toEqual(own)
    // Others may read what programs of this agent have.
    const shared = {
      urls: [
        ['a', OF_AGENT],
        ['b', OF_PLATFORM],
        ['c', OF_PLATFORM],
      ],
      secrets: [],
      personal: false,
    }
    for (const change of [{ shares: 1 }, { lent: true }, { signedIn: false }, { ownerId: admin.id }])
      expect(await inForce(change)).toEqual(shared)
    expect(await inForce({ useCredentials: false })).toEqual({ urls: [], secrets: [], personal: false })
    await by(owner)('PATCH /users/me/connectors/b', { enabled: false })
    expect(await inForce()).toEqual(shared)
    for (const name of ['a', 'b', 'c']) await by(admin)(`DELETE /platform/connectors/${name}`)
    for (const name of ['a', 'b']) await by(owner)(`DELETE /users/me/connectors/${name}`)
  })
})
