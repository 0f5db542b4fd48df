import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CREDENTIAL_KINDS, CREDENTIAL_KIND_NAMES, type Credential } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditOf, whileAuditIsRefused } from '../../../test/support/audit.ts'
import { call } from '../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

const SECRET = 'sk-ant-canary-0123456789abcd'
let provider: Server
let gateway = ''

beforeAll(async () => {
  provider = createServer((request, response) => {
    response.writeHead(request.headers.authorization === `Bearer ${SECRET}` ? 200 : 401).end()
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  gateway = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(() => provider.close())

const team = useTeam({ config: { privateGateways: ['127.0.0.1'] } })
const key = { value: SECRET }

/** An agent without a container: its credentials need none. */
const agent = async (name: string): Promise<`/agents/${string}/credentials`> => {
  const { owner, colleague } = team()
  expect((await as(team(), owner)('POST /agents', newAgent(name))).statusCode).toBe(201)
  await as(team(), owner)(`POST /agents/${name}/shares`, { email: colleague.email })
  return `/agents/${name}/credentials`
}

describe('credentials', () => {
  it('are set, shown without the secret, replaced and removed', async () => {
    const path = await agent('one')
    const owner = as(team(), team().owner)
    const set = await owner(`PUT ${path}/anthropic-api-key`, key)
    expect(set.statusCode).toBe(200)
    expect(set.json()).toEqual({
      kind: 'anthropic-api-key',
      address: null,
      hint: 'abcd',
      readable: true,
      setAt: expect.any(String),
      setBy: 'owner@example.org',
    })
    const admin = as(team(), team().admin)
    await admin(`PUT ${path}/anthropic-api-key`, { value: `${SECRET}-second` })
    const list = await owner(`GET ${path}`)
    expect(list.json<{ items: Credential[] }>().items).toMatchObject([{ hint: 'cond', setBy: 'admin@example.org' }])
    expect(list.body + set.body).not.toContain('canary')
    expect((await owner(`DELETE ${path}/anthropic-api-key`)).statusCode).toBe(204)
    expect((await owner(`DELETE ${path}/anthropic-api-key`)).statusCode).toBe(404)
    expect((await owner(`GET ${path}`)).json()).toEqual({ items: [], nextCursor: null })
  })

  it('are recorded with who set, tested and removed them, and without their secrets', async () => {
    const path = await agent('recorded')
    const { owner, admin, database } = team()
    const body = { value: SECRET, address: 'https://git.example.org' }
    const put = () => as(team(), owner)(`PUT ${path}/git-token`, body)
    await put()
    await as(team(), owner)(`POST ${path}/git-token/test`)
    await as(team(), owner)(`DELETE ${path}/git-token`)
    const events = await auditOf(team(), admin, '&action=credential&target=recorded')
    expect(events.map(({ action, actor, detail }) => [action, actor.email, detail['of'], detail['kind']])).toEqual([
      ['credential.removed', owner.email, 'agent', 'git-token'],
      ['credential.tested', owner.email, 'agent', 'git-token'],
      ['credential.set', owner.email, 'agent', 'git-token'],
    ])
    expect(events[2]?.detail['changes']).toMatchObject({
      address: { after: 'https://git.example.org' },
      sealed: { secret: 'set' },
    })
    expect(JSON.stringify(events)).not.toContain('canary')

    expect((await whileAuditIsRefused(database, put)).json()).toMatchObject({ code: 'AUDIT_REFUSED' })
    expect((await as(team(), owner)(`GET ${path}`)).json()).toMatchObject({ items: [] })
  })

  it('are in the database as ciphertext', async () => {
    await as(team(), team().admin)('PUT /platform/credentials/gemini-api-key', key)
    const rows = await team().database.prisma.$queryRaw<object[]>`SELECT c::text AS row FROM "Credential" c`
    expect(rows.length).toBeGreaterThan(0)
    const text = JSON.stringify(rows)
    expect(text).not.toContain('canary')
    expect(text).not.toContain(Buffer.from('canary').toString('hex'))
  })

  it('have exactly one owner, also for a client that writes to the database itself', async () => {
    const { prisma } = team().database
    const id = team().owner.id
    const insert = (owner: string, userId: string | null) =>
      prisma.$executeRaw`INSERT INTO "Credential" ("id", "owner", "userId", "kind", "sealed", "keyId")
        VALUES (gen_random_uuid(), ${owner}, ${userId}::uuid, 'git-token', ''::bytea, '')`
    await expect(insert('platform', id)).rejects.toThrow('Credential_owner_check')
    await expect(insert(`user:${id}`, null)).rejects.toThrow('Credential_owner_check')
    await expect(insert(`agent:${id}`, id)).rejects.toThrow('Credential_owner_check')
  })

  it('of an agent are set by its owner and by admins; a colleague sees only which one is in force', async () => {
    const path = await agent('two')
    const { owner, colleague, stranger, admin } = team()
    await as(team(), owner)(`PUT ${path}/anthropic-api-key`, key)
    for (const what of [`GET ${path}`, `PUT ${path}/ai-gateway`, `DELETE ${path}/anthropic-api-key`] as const) {
      expect((await as(team(), colleague)(what, what.startsWith('PUT') ? key : undefined)).statusCode).toBe(403)
      const body = what.startsWith('PUT') ? key : undefined
      const missing = what.replace('/two/', '/nobody-has-this/') as typeof what
      const [theirs, none] = [await as(team(), stranger)(what, body), await as(team(), stranger)(missing, body)]
      expect([theirs.statusCode, theirs.body]).toEqual([404, none.body])
    }
    expect((await as(team(), admin)(`GET ${path}`)).statusCode).toBe(200)
    const inForce = await as(team(), colleague)('GET /agents/two/credentials-in-force')
    expect(inForce.json<{ items: object[] }>().items[0]).toEqual({
      service: 'anthropic',
      source: 'agent',
      kind: 'anthropic-api-key',
      because: null,
    })
    expect((await as(team(), stranger)('GET /agents/two/credentials-in-force')).statusCode).toBe(404)
  })

  it('of a person are for that person alone, and of the platform for admins', async () => {
    const { owner, admin, stranger } = team()
    await as(team(), owner)('PUT /users/me/credentials/openai-api-key', key)
    expect((await as(team(), admin)('GET /users/me/credentials')).json()).toMatchObject({ items: [] })
    expect((await as(team(), stranger)('GET /users/me/credentials')).json()).toMatchObject({ items: [] })
    expect((await as(team(), owner)('GET /platform/credentials')).statusCode).toBe(403)
    expect((await as(team(), owner)('PUT /platform/credentials/git-token', key)).statusCode).toBe(403)
    expect((await as(team(), owner)('GET /platform/secret-key')).statusCode).toBe(403)
    expect((await as(team(), admin)('GET /platform/secret-key')).json()).toEqual({ state: 'current' })
  })

  it.each(CREDENTIAL_KIND_NAMES)(
    'of the kind %s can be set by a token that may not open terminals, unless it has an address',
    async (kind) => {
      const path = await agent(`scopes-of-${kind}`)
      const owner = as(team(), team().owner)
      const { address } = CREDENTIAL_KINDS[kind]
      const body = address === null ? key : { ...key, address: 'https://elsewhere.example.org' }
      const put = async (target: string, scopes: readonly string[]) => {
        const { token } = (await owner('POST /tokens', { name: 'ci', scopes })).json<{ token: string }>()
        return (await call(team().app, `PUT ${target}/${kind}` as 'PUT /', { token, body })).statusCode
      }
      expect(await put(path, ['terminal'])).toBe(403)
      expect(await put(path, ['agents:write'])).toBe(address === null ? 200 : 403)
      // Neither answer reveals whether such an agent exists.
      expect(await put('/agents/nowhere/credentials', ['agents:write'])).toBe(address === null ? 404 : 403)
      expect(await put(path, ['agents:write', 'terminal'])).toBe(200)
      expect((await owner(`PUT ${path}/${kind}`, body)).statusCode).toBe(200)
    },
  )

  it('of a person and of the platform are out of reach of any API token', async () => {
    const { app, admin } = team()
    const scopes = ['agents:read', 'agents:write', 'terminal', 'users:admin']
    const created = await as(team(), admin)('POST /tokens', { name: 'ci', scopes })
    const { token } = created.json<{ token: string }>()
    for (const path of ['/users/me/credentials', '/platform/credentials', '/system-agent/credentials']) {
      expect((await call(app, `GET ${path}` as 'GET /', { token })).statusCode).toBe(403)
      expect((await call(app, `PUT ${path}/openai-api-key` as 'PUT /', { token, body: key })).statusCode).toBe(403)
    }
  })

  it('go with the agent, and with the person', async () => {
    const path = await agent('gone')
    const { owner, admin } = team()
    await as(team(), owner)(`PUT ${path}/anthropic-api-key`, key)
    await team().database.prisma.agent.delete({ where: { name: 'gone' } })
    const left = await team().database.prisma.credential.count({
      where: { owner: { startsWith: 'agent:' }, agent: null },
    })
    expect(left).toBe(0)
    expect((await as(team(), admin)(`PUT ${path}/anthropic-api-key`, key)).statusCode).toBe(404)
  })

  it.each([
    ['a blank', { value: 'sk ant canary' }],
    ['a line end', { value: 'sk-ant-canary\n' }],
    ['too few characters', { value: 'canary' }],
    ['too many', { value: 'canary'.repeat(2000) }],
    ['an address that its kind has not', { value: SECRET, address: 'https://example.org' }],
    ['an unknown field', { value: SECRET, owner: 'platform' }],
    ['nothing', {}],
  ])('with %s are refused, and the refusal does not repeat them', async (_what, body) => {
    const response = await as(team(), team().admin)('PUT /platform/credentials/anthropic-api-key', body)
    expect(response.statusCode).toBe(400)
    expect(response.body).not.toContain('canary')
  })

  it.each([
    ['ai-gateway', undefined],
    ['ai-gateway', 'ftp://example.org'],
    ['ai-gateway', 'https://me:canary@example.org'],
    ['ai-gateway', 'https://example.org/?key=canary'],
    ['ai-gateway', 'not an address'],
    ['git-token', 'http://git.example.org'],
    ['git-token', 'https://me:canary@git.example.org'],
    ['git-token', 'https://git.example.org/team'],
  ] as const)('of kind %s are refused with the address %s', async (kind, address) => {
    const body = { value: SECRET, ...(address === undefined ? {} : { address }) }
    const response = await as(team(), team().admin)(`PUT /platform/credentials/${kind}`, body)
    expect(response.statusCode).toBe(400)
    expect(response.body).not.toContain('canary')
  })

  it('of an unknown kind are refused', async () => {
    const admin = as(team(), team().admin)
    expect((await admin('PUT /platform/credentials/aws-key', key)).statusCode).toBe(400)
    expect((await admin('PUT /platform/credentials/constructor', key)).statusCode).toBe(400)
    expect(CREDENTIAL_KIND_NAMES).not.toContain('constructor')
  })

  it('are tested with the service that they are for', async () => {
    const admin = as(team(), team().admin)
    const test = async () => (await admin('POST /platform/credentials/ai-gateway/test')).json<object>()
    await admin('PUT /platform/credentials/ai-gateway', { value: SECRET, address: gateway })
    expect(await test()).toMatchObject({ result: 'valid' })
    await admin('PUT /platform/credentials/ai-gateway', { value: `${SECRET}-wrong`, address: gateway })
    expect(await test()).toMatchObject({ result: 'refused', message: expect.stringContaining('401') })
    await admin('PUT /platform/credentials/ai-gateway', { value: SECRET, address: 'http://127.0.0.1:1' })
    expect(await test()).toMatchObject({ result: 'unreachable' })
    await admin('DELETE /platform/credentials/ai-gateway')
    expect((await admin('POST /platform/credentials/ai-gateway/test')).statusCode).toBe(404)
  })

  it('are not tested more often than a person presses a button', async () => {
    const { stranger } = team()
    const body = { value: SECRET, address: 'https://git.example.org' }
    await as(team(), stranger)('PUT /users/me/credentials/git-token', body)
    const statuses = []
    for (let i = 0; i < 32; i++)
      statuses.push((await as(team(), stranger)('POST /users/me/credentials/git-token/test')).statusCode)
    expect(statuses.indexOf(429)).toBe(30)
  })

  it('that were moved to another row of the database are unreadable, and say so', async () => {
    const path = await agent('target')
    const { owner, admin } = team()
    await as(team(), admin)('PUT /platform/credentials/openai-api-key', key)
    await as(team(), owner)(`PUT ${path}/openai-api-key`, { value: 'sk-of-the-agent-itself-000' })
    await team().database.prisma.$executeRaw`
      UPDATE "Credential" SET "sealed" = (SELECT "sealed" FROM "Credential" WHERE "owner" = 'platform' AND "kind" = 'openai-api-key')
      WHERE "owner" LIKE 'agent:%' AND "kind" = 'openai-api-key'`
    const { items } = (await as(team(), owner)(`GET ${path}`)).json<{ items: Credential[] }>()
    expect(items).toMatchObject([{ kind: 'openai-api-key', readable: false, hint: null }])
    const test = await as(team(), owner)(`POST ${path}/openai-api-key/test`)
    expect(test.json()).toMatchObject({ result: 'unclear', message: expect.stringContaining('Set it again') })
    const inForce = (await as(team(), owner)('GET /agents/target/credentials-in-force')).json<{ items: object[] }>()
    expect(inForce.items[1]).toEqual({
      service: 'openai',
      source: 'agent',
      kind: 'openai-api-key',
      because: 'unreadable',
    })
  })
})
