import type { User } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { useApp } from '../support/server/app.ts'
import { auditOf } from '../support/audit.ts'
import { addPerson, call, PASSWORD, setUpAdmin, signIn, type Call, type Person } from '../support/people/people.ts'
import { heard } from '../support/recorder.ts'

const people = useApp()
let admin: Person

beforeEach(async () => {
  admin = await setUpAdmin(people())
})

const asAdmin = (what: Call, body?: object) => call(people().app, what, { token: admin.token, body })
const revocations = () => people().identity.revocations

describe('users', () => {
  it('are added with a password, and may sign in at once', async () => {
    const response = await asAdmin('POST /users', { email: 'New@Example.org', role: 'user', password: PASSWORD })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({ email: 'new@example.org', role: 'user', invited: false, disabledAt: null })
    expect(response.json()).not.toHaveProperty('invitation')
    expect(response.body).not.toContain('argon2')
  })

  it('have one account for an address, in upper or lower case', async () => {
    const response = await asAdmin('POST /users', { email: 'ADMIN@example.org', role: 'user' })
    expect(response.json()).toMatchObject({ statusCode: 409, code: 'EMAIL_TAKEN' })
  })

  it.each([
    [{ email: 'a@example.org', role: 'user', isSystem: true }, 'isSystem'],
    [{ email: 'a@example.org', role: 'user', passwordHash: 'x' }, 'passwordHash'],
    [{ email: 'a@example.org', role: 'root' }, 'role'],
    [{ email: 'no address', role: 'user' }, 'email'],
    [{ role: 'user' }, 'email'],
    [{ email: 'a@example.org', role: 'user', password: 12 }, 'password'],
  ])('are not made of %j', async (body, field) => {
    const response = await asAdmin('POST /users', body)
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION', error: 'Bad Request' })
    expect(response.json<{ message: string }>().message).toContain(field)
  })

  it('are listed by address, page by page, each once', async () => {
    for (const name of ['d', 'b', 'c']) await asAdmin('POST /users', { email: `${name}@example.org`, role: 'user' })
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page = (await asAdmin(`GET /users?limit=2${query}`)).json<{ items: User[]; nextCursor: string | null }>()
      seen.push(...page.items.map((user) => user.email))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(['admin@example.org', 'b@example.org', 'c@example.org', 'd@example.org'])
  })

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=%21', 'cursor=AAAA', 'unknown=1'])(
    'are not listed for a query like %s',
    async (query) => {
      expect((await asAdmin(`GET /users?${query}`)).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    },
  )

  it('are unknown to callers who are no admins', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    for (const what of ['GET /users', `DELETE /users/${admin.id}`, `PATCH /users/${user.id}`] as const) {
      const body = what.startsWith('PATCH') ? { role: 'admin' } : undefined
      const response = await call(people().app, what, { token: user.token, body })
      expect(response.json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
    }
  })

  it.each(['01900000-0000-7000-8000-000000000000', 'x', '%00', "'%20or%201=1"])('are not found by %s', async (id) => {
    expect((await asAdmin(`DELETE /users/${id}`)).json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
    expect((await asAdmin(`PATCH /users/${id}`, { disabled: true })).statusCode).toBe(404)
  })
})

describe('revoking rights', () => {
  it('tells of a user who is disabled, once, and lets them sign in again when enabled', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    const told = await heard(revocations(), async () => {
      const response = await asAdmin(`PATCH /users/${user.id}`, { disabled: true })
      expect(response.json<User>().disabledAt).not.toBeNull()
      await asAdmin(`PATCH /users/${user.id}`, { disabled: true })
    })
    expect(told).toEqual([{ kind: 'user', userId: user.id, because: 'disabled' }])
    expect((await call(people().app, 'GET /users/me', { token: user.token })).statusCode).toBe(401)
    await asAdmin(`PATCH /users/${user.id}`, { disabled: false })
    const again = await signIn(people(), user.email)
    expect((await call(people().app, 'GET /users/me', { token: again.token })).statusCode).toBe(200)
  })

  it('brings no sign-in back when a user is enabled again', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    await asAdmin(`PATCH /users/${user.id}`, { disabled: true })
    const ended = [user.refreshToken.split('.')[0]]
    expect((await auditOf(people(), admin, '&action=user.disabled'))[0]?.detail).toMatchObject({ signInsEnded: ended })
    await asAdmin(`PATCH /users/${user.id}`, { disabled: false })
    expect((await call(people().app, 'GET /users/me', { token: user.token })).statusCode).toBe(401)
    const refreshed = await call(people().app, 'POST /auth/refresh', { refreshToken: user.refreshToken })
    expect(refreshed.json()).toMatchObject({ code: 'INVALID_REFRESH' })
  })

  it('tells of a changed role, which acts at once', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    const told = await heard(revocations(), async () => {
      await asAdmin(`PATCH /users/${user.id}`, { role: 'admin' })
      expect((await call(people().app, 'GET /users', { token: user.token })).statusCode).toBe(200)
      await asAdmin(`PATCH /users/${user.id}`, { role: 'user' })
    })
    const change = { kind: 'user', userId: user.id, because: 'role_changed' }
    expect(told).toEqual([change, change])
    expect((await call(people().app, 'GET /users', { token: user.token })).statusCode).toBe(403)
  })

  it('tells of a user who is deleted, with all of their sign-ins and tokens', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    await call(people().app, 'POST /tokens', { token: user.token, body: { name: 'ci', scopes: ['terminal'] } })
    const told = await heard(revocations(), async () => {
      expect((await asAdmin(`DELETE /users/${user.id}`)).statusCode).toBe(204)
    })
    expect(told).toEqual([{ kind: 'user', userId: user.id, because: 'deleted' }])
    expect((await call(people().app, 'GET /users/me', { token: user.token })).statusCode).toBe(401)
    expect(await people().database.prisma.apiToken.count()).toBe(0)
    expect((await asAdmin(`DELETE /users/${user.id}`)).statusCode).toBe(404)
  })

  it('has told before it answers', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    const order: string[] = []
    const stop = revocations().on(() => order.push('told'))
    await asAdmin(`DELETE /users/${user.id}`).then(() => order.push('answered'))
    stop()
    expect(order).toEqual(['told', 'answered'])
  })

  it('sends no message about a refused change', async () => {
    const told = await heard(revocations(), async () => {
      await asAdmin(`PATCH /users/${admin.id}`, { disabled: true })
      await asAdmin('DELETE /users/01900000-0000-7000-8000-000000000000')
    })
    expect(told).toEqual([])
  })

  it('does not delete a user who owns agents', async () => {
    const user = await addPerson(people(), admin, 'user@example.org')
    await people().database.prisma.agent.create({
      data: { name: 'theirs', ownerId: user.id, runtime: 'codex', cpus: 1, memoryMb: 512 },
    })
    expect((await asAdmin(`DELETE /users/${user.id}`)).json()).toMatchObject({ statusCode: 409, code: 'OWNS_AGENTS' })
    expect((await call(people().app, 'GET /users/me', { token: user.token })).statusCode).toBe(200)
  })
})

describe('the last admin', () => {
  it.each([
    ['disabled', 'PATCH', { disabled: true }],
    ['demoted', 'PATCH', { role: 'user' }],
    ['deleted', 'DELETE', undefined],
  ] as const)('cannot be %s', async (_name, method, body) => {
    const response = await asAdmin(`${method} /users/${admin.id}`, body)
    expect(response.json()).toMatchObject({ statusCode: 409, code: 'LAST_ADMIN' })
  })

  it('is still the last when the others are disabled or have not accepted their invitation', async () => {
    const other = await addPerson(people(), admin, 'other@example.org', 'admin')
    await asAdmin(`PATCH /users/${other.id}`, { disabled: true })
    await asAdmin('POST /users', { email: 'invited@example.org', role: 'admin' })
    expect((await asAdmin(`DELETE /users/${admin.id}`)).json()).toMatchObject({ code: 'LAST_ADMIN' })
  })

  it('stays when two admins demote each other at once', async () => {
    const other = await addPerson(people(), admin, 'other@example.org', 'admin')
    const answers = await Promise.all([
      asAdmin(`PATCH /users/${other.id}`, { role: 'user' }),
      call(people().app, `PATCH /users/${admin.id}`, { token: other.token, body: { role: 'user' } }),
    ])
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1)
    expect(await people().database.prisma.user.count({ where: { role: 'admin' } })).toBe(1)
  })
})
