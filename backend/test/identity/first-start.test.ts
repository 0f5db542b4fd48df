import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time/clock.ts'
import { SETUP_LINK_MS } from '../../src/modules/identity/setup/service.ts'
import { useApp } from '../support/server/app.ts'
import { call, PASSWORD, setUpAdmin, signIn } from '../support/people/people.ts'

/** A first start usually has the embedded database. */
const people = useApp({ embedded: true })

async function newToken(): Promise<string> {
  const link = await people().identity.setup.createSetupLink('http://localhost:4700')
  return link?.url.split('#token=')[1] ?? ''
}

const setUp = (token: string, email = 'ada@example.org') =>
  call(people().app, 'POST /auth/setup', { body: { token, email, password: PASSWORD } })

describe('the first start', () => {
  it('tells a stranger only that it is not set up', async () => {
    expect((await call(people().app, 'GET /auth/status')).json()).toEqual({ setUp: false })
    await setUpAdmin(people())
    expect((await call(people().app, 'GET /auth/status')).json()).toEqual({ setUp: true })
  })

  it('says of an origin whether its pages may sign in', async () => {
    const allowed = async (origin: string) => {
      const answer = await call(people().app, `GET /auth/status?origin=${encodeURIComponent(origin)}`)
      return answer.json<{ originAllowed: boolean }>().originAllowed
    }
    for (const name of ['127.0.0.1', 'localhost', 'slipway.localhost'])
      expect(await allowed(`http://${name}:4700`)).toBe(true)
    for (const origin of ['http://192.168.1.5:4700', 'http://[::1]:4700', 'null', '', 'http://127.0.0.1:4701'])
      expect(await allowed(origin)).toBe(false)
  })

  it('prints a link whose token is in the fragment, where no server sees it', async () => {
    const link = await people().identity.setup.createSetupLink('http://localhost:4700')
    expect(link?.url).toMatch(/^http:\/\/localhost:4700\/setup#token=[\w-]{43}$/)
  })

  it('makes the first admin and signs them in', async () => {
    const response = await setUp(await newToken(), ' Ada@Example.org'.trim())
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      expiresIn: 900,
      user: { email: 'ada@example.org', role: 'admin', invited: false },
    })
    expect((await signIn(people(), 'ADA@example.org')).email).toBe('ada@example.org')
  })

  it('lets a link be used once', async () => {
    const token = await newToken()
    expect((await setUp(token)).statusCode).toBe(200)
    const again = await setUp(token, 'eve@example.org')
    expect(again.json()).toMatchObject({ statusCode: 409, code: 'ALREADY_SET_UP' })
  })

  it('answers every token alike once it is set up', async () => {
    await setUpAdmin(people())
    expect((await setUp('never existed')).json()).toMatchObject({ code: 'ALREADY_SET_UP' })
    expect(await people().identity.setup.createSetupLink('http://localhost')).toBeNull()
  })

  it('voids the link of an earlier start', async () => {
    const earlier = await newToken()
    const newest = await newToken()
    expect((await setUp(earlier)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_LINK' })
    expect((await setUp(newest)).statusCode).toBe(200)
  })

  it('refuses an expired link', async () => {
    const token = await newToken()
    people().clock.advance(SETUP_LINK_MS)
    expect((await setUp(token)).json()).toMatchObject({ code: 'INVALID_LINK' })
  })

  it('lets exactly one of several win who use the link at once', async () => {
    const token = await newToken()
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => setUp(token, `${name}@example.org`)))
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 409, 409, 409])
    expect(await people().database.prisma.user.count()).toBe(1)
  })

  it('makes the admin of an unattended start once', async () => {
    expect(await people().identity.setup.createAdmin('Ops@example.org', PASSWORD)).toBe(true)
    expect(await people().identity.setup.createAdmin('other@example.org', PASSWORD)).toBe(false)
    expect((await signIn(people(), 'ops@example.org')).email).toBe('ops@example.org')
  })

  it('stores no token and no password', async () => {
    const token = await newToken()
    const rows = JSON.stringify(await people().database.prisma.link.findMany())
    expect(rows).not.toContain(token)
    await setUp(token)
    expect(JSON.stringify(await people().database.prisma.user.findMany())).not.toContain(PASSWORD)
  })
})

describe('an invitation', () => {
  async function invite(email = 'grace@example.org') {
    const admin = await setUpAdmin(people())
    const response = await call(people().app, 'POST /users', { token: admin.token, body: { email, role: 'user' } })
    const body = response.json<{ id: string; invited: boolean; invitation: { url: string } }>()
    return { admin, id: body.id, body, token: body.invitation.url.split('#token=')[1] ?? '' }
  }
  const accept = (token: string) => call(people().app, 'POST /auth/invitation', { body: { token, password: PASSWORD } })

  it('lets the invited user choose a password, once', async () => {
    const { token, body } = await invite()
    expect(body.invited).toBe(true)
    expect(body.invitation.url).toMatch(/\/invitation#token=/)
    expect((await accept(token)).json()).toMatchObject({ user: { email: 'grace@example.org', invited: false } })
    expect((await accept(token)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_LINK' })
    await signIn(people(), 'grace@example.org')
  })

  it('says whom it is for, as long as it works, and to no other secret', async () => {
    const { admin, id, token } = await invite('Heidi@example.org')
    const lookUp = (asked: string) => call(people().app, 'POST /auth/invitation/lookup', { body: { token: asked } })
    // A lookup does not use up the invitation.
    for (let count = 0; count < 2; count += 1)
      expect((await lookUp(token)).json()).toEqual({ email: 'heidi@example.org' })
    for (const other of ['x', id, token.slice(1), `${token}0`, token.toUpperCase(), 'heidi@example.org'])
      expect((await lookUp(other)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_LINK' })
    await call(people().app, `PATCH /users/${id}`, { token: admin.token, body: { disabled: true } })
    expect((await lookUp(token)).statusCode).toBe(401)
    await call(people().app, `PATCH /users/${id}`, { token: admin.token, body: { disabled: false } })
    expect((await accept(token)).statusCode).toBe(200)
    expect((await lookUp(token)).statusCode).toBe(401)
  })

  it('is void after a week, after another, and for a disabled user', async () => {
    const { admin, id, token } = await invite()
    const next = await call(people().app, `POST /users/${id}/invitation`, { token: admin.token })
    expect(next.statusCode).toBe(201)
    const newest = next.json<{ url: string }>().url.split('#token=')[1] ?? ''
    expect((await accept(token)).statusCode).toBe(401)
    await call(people().app, `PATCH /users/${id}`, { token: admin.token, body: { disabled: true } })
    expect((await accept(newest)).statusCode).toBe(401)
    await call(people().app, `PATCH /users/${id}`, { token: admin.token, body: { disabled: false } })
    people().clock.advance(7 * DAY_MS)
    expect((await accept(newest)).statusCode).toBe(401)
  })

  it('is not made again for a user who accepted one', async () => {
    const { admin, id, token } = await invite()
    await accept(token)
    const again = await call(people().app, `POST /users/${id}/invitation`, { token: admin.token })
    expect(again.json()).toMatchObject({ code: 'WRONG_STATE' })
  })

  it('lets one of two win who use it at once', async () => {
    const { token } = await invite()
    const answers = await Promise.all([accept(token), accept(token)])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 401])
  })
})
