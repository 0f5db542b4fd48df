import { type ApiToken, type CreatedApiToken, type Scope, SCOPES } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, SECOND_MS } from '../../src/lib/time/clock.ts'
import { MAX_TOKENS_PER_USER } from '../../src/modules/identity/api-tokens/service.ts'
import { LAST_USE_EVERY_MS } from '../../src/modules/identity/authenticate.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, type Call, call, setUpAdmin, type Person } from '../support/people/people.ts'
import { heard } from '../support/recorder.ts'

const people = useApp()
let admin: Person

beforeEach(async () => {
  admin = await setUpAdmin(people())
})

const make = (owner: Person, scopes: readonly Scope[], more: object = {}) =>
  call(people().app, 'POST /tokens', { token: owner.token, body: { name: 'ci', scopes, ...more } })
const made = async (owner: Person, scopes: readonly Scope[], more: object = {}) =>
  (await make(owner, scopes, more)).json<CreatedApiToken>()
const list = async (owner: Person) =>
  (await call(people().app, 'GET /tokens', { token: owner.token })).json<{ items: ApiToken[] }>().items
const me = (token: string) => call(people().app, 'GET /users/me', { token })

describe('an API token', () => {
  it('is shown once, stored as a hash, and works', async () => {
    const response = await make(admin, ['agents:read', 'terminal'])
    expect(response.statusCode).toBe(201)
    const { token, id } = response.json<CreatedApiToken>()
    expect(token).toMatch(/^slp_[\w-]{43}$/)
    const listed = await call(people().app, 'GET /tokens', { token: admin.token })
    expect(listed.body).not.toContain(token)
    expect(listed.json()).toMatchObject({ items: [{ id, name: 'ci', scopes: ['agents:read', 'terminal'] }] })
    expect(JSON.stringify(await people().database.prisma.apiToken.findMany())).not.toContain(token)
    expect((await me(token)).json()).toMatchObject({ email: admin.email })
  })

  it('ends when it expires, and never where no end was given', async () => {
    const short = await made(admin, ['terminal'], { expiresInDays: 1 })
    const long = await made(admin, ['terminal'])
    expect(long.expiresAt).toBeNull()
    people().clock.advance(DAY_MS - SECOND_MS)
    expect((await me(short.token)).statusCode).toBe(200)
    people().clock.advance(SECOND_MS)
    expect((await me(short.token)).statusCode).toBe(401)
    expect((await me(long.token)).statusCode).toBe(200)
  })

  it('ends when it is deleted, which is told, and only its owner can do that', async () => {
    const { id, token } = await made(admin, ['terminal'])
    const other = await addPerson(people(), admin, 'other@example.org', 'admin')
    const told = await heard(people().identity.revocations, async () => {
      const foreign = await call(people().app, `DELETE /tokens/${id}`, { token: other.token })
      expect(foreign.json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
      expect((await call(people().app, `DELETE /tokens/${id}`, { token: admin.token })).statusCode).toBe(204)
    })
    expect(told).toEqual([{ kind: 'api_token', tokenId: id, because: 'revoked' }])
    expect((await me(token)).statusCode).toBe(401)
    expect((await call(people().app, 'DELETE /tokens/x', { token: admin.token })).statusCode).toBe(404)
  })

  it('is listed to its owner alone', async () => {
    await make(admin, ['terminal'])
    expect(await list(await addPerson(people(), admin, 'other@example.org', 'admin'))).toEqual([])
  })

  it('notes its last use, at most once a minute', async () => {
    const { token } = await made(admin, ['terminal'])
    expect((await list(admin))[0]?.lastUsedAt).toBeNull()
    const first = people().clock.now()
    await me(token)
    people().clock.advance(LAST_USE_EVERY_MS)
    await me(token)
    expect((await list(admin))[0]?.lastUsedAt).toBe(new Date(first).toISOString())
    people().clock.advance(1)
    await me(token)
    expect((await list(admin))[0]?.lastUsedAt).toBe(new Date(people().clock.now()).toISOString())
  })

  it('does only what its scopes say', async () => {
    const reader = await made(admin, ['agents:read'])
    const manager = await made(admin, ['users:admin'])
    expect((await call(people().app, 'GET /users', { token: reader.token })).json()).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await call(people().app, 'GET /users', { token: manager.token })).statusCode).toBe(200)
    const scraper = await made(admin, ['metrics:read'])
    expect((await call(people().app, 'GET /metrics', { token: scraper.token })).statusCode).toBe(200)
    expect((await call(people().app, 'GET /metrics', { token: reader.token })).statusCode).toBe(403)
    expect((await call(people().app, 'GET /agents', { token: scraper.token })).statusCode).toBe(403)
  })

  it('never does more than its user may', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    const { token } = await made(user, ['users:admin', 'metrics:read'])
    expect((await call(people().app, 'GET /users', { token })).statusCode).toBe(403)
    expect((await call(people().app, 'GET /metrics', { token })).statusCode).toBe(403)
  })

  it('cannot make, list or delete tokens', async () => {
    const { id, token } = await made(admin, ['agents:read', 'agents:write', 'terminal', 'users:admin'])
    const body = { name: 'heir', scopes: ['terminal'] }
    expect((await call(people().app, 'POST /tokens', { token, body })).statusCode).toBe(403)
    expect((await call(people().app, 'GET /tokens', { token })).statusCode).toBe(403)
    expect((await call(people().app, `DELETE /tokens/${id}`, { token })).statusCode).toBe(403)
  })

  it('rests while its user is disabled, and works again when they are enabled', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    const { token } = await made(user, ['terminal'])
    const change = (disabled: boolean) =>
      call(people().app, `PATCH /users/${user.id}`, { token: admin.token, body: { disabled } })
    await change(true)
    expect((await me(token)).statusCode).toBe(401)
    await change(false)
    expect((await me(token)).statusCode).toBe(200)
  })

  it.each([
    { name: '', scopes: ['terminal'] },
    { name: '   ', scopes: ['terminal'] },
    { name: 'a\0b', scopes: ['terminal'] },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['terminal', 'terminal'] },
    { name: 'x', scopes: ['root'] },
    { name: 'x', scopes: ['terminal'], expiresInDays: 0 },
    { name: 'x', scopes: ['terminal'], expiresInDays: 1.5 },
    { name: 'x', scopes: ['terminal'], userId: 'somebody' },
  ])('is not made of %j', async (body) => {
    const response = await call(people().app, 'POST /tokens', { token: admin.token, body })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
  })

  it(`is one of at most ${MAX_TOKENS_PER_USER}, even when the last two are asked for at once`, async () => {
    const rows = Array.from({ length: MAX_TOKENS_PER_USER - 1 }, (_, i) => ({
      userId: admin.id,
      name: `${i}`,
      tokenHash: `${i}`,
      scopes: ['terminal'],
    }))
    await people().database.prisma.apiToken.createMany({ data: rows })
    const answers = await Promise.all([make(admin, ['terminal']), make(admin, ['terminal'])])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 409])
    expect(answers.find((answer) => answer.statusCode === 409)?.json()).toMatchObject({ code: 'TOO_MANY_TOKENS' })
  })

  it('is listed newest first, page by page', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      people().clock.advance(1)
      ids.unshift((await made(admin, ['terminal'])).id)
    }
    const first = await call(people().app, 'GET /tokens?limit=2', { token: admin.token })
    const { items, nextCursor } = first.json<{ items: ApiToken[]; nextCursor: string }>()
    const second = await call(people().app, `GET /tokens?limit=2&cursor=${nextCursor}`, { token: admin.token })
    const rest = second.json<{ items: ApiToken[]; nextCursor: null }>()
    expect([...items, ...rest.items].map((token) => token.id)).toEqual(ids)
    expect(rest.nextCursor).toBeNull()
  })
})

describe('a token makes itself an admin:', () => {
  it('a token that manages users makes no user an admin, demotes no admin, and hands no agents over', async () => {
    const { token } = await made(admin, SCOPES)
    const invited = await call(people().app, 'POST /users', {
      token: admin.token,
      body: { email: 'invited@example.org', role: 'admin' },
    })
    const user = await addPerson(people(), admin, 'user@example.org')
    const password = 'a password of the token’s'
    const refused: [Call, object?][] = [
      ['POST /users', { email: 'heir@example.org', role: 'admin', password }],
      ['POST /users', { email: 'heir@example.org', role: 'admin' }],
      [`PATCH /users/${user.id}`, { role: 'admin' }],
      [`POST /users/${invited.json<{ id: string }>().id}/invitation`],
      [`DELETE /users/${user.id}?agents=handover&to=${admin.id}`],
    ]
    const before = await people().database.prisma.user.findMany()
    for (const [what, body] of refused) {
      const response = await call(people().app, what, { token, body })
      expect([what, response.json<{ code: string }>().code]).toEqual([what, 'FORBIDDEN'])
      expect(response.json<{ message: string }>().message).toContain('Sign in to do it.')
    }
    expect(await people().database.prisma.user.findMany()).toEqual(before)
    const added = { email: 'new@example.org', role: 'user', password }
    expect((await call(people().app, 'POST /users', { token, body: added })).statusCode).toBe(201)
    expect((await call(people().app, `PATCH /users/${user.id}`, { token, body: { disabled: true } })).statusCode).toBe(
      200,
    )
  })
})
