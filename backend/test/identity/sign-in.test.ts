import { REFRESH_COOKIE } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time/clock.ts'
import { REFRESH_GRACE_MS, SIGN_IN_IDLE_MS } from '../../src/modules/identity/sign-ins/service.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, PASSWORD, refreshTokenFrom, setUpAdmin, signIn } from '../support/people/people.ts'
import { heard } from '../support/recorder.ts'

const people = useApp()

const refresh = (refreshToken?: string) => call(people().app, 'POST /auth/refresh', { refreshToken })
const me = (token: string) => call(people().app, 'GET /users/me', { token })
const signInIdOf = (refreshToken: string) => refreshToken.split('.')[0]

/**
 * Sends the same refresh token twice at once. A quick database may answer the first request before the server sees the
 * second. The second then has its grace period, so the test tries again.
 */
const atOnce = async () => {
  const { email } = await setUpAdmin(people())
  for (let tries = 0; tries < 20; tries++) {
    const { refreshToken } = await signIn(people(), email)
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
    const [won, lost] = answers.toSorted((one, other) => one.statusCode - other.statusCode)
    if (lost!.statusCode !== 200) return { refreshToken, won, lost }
  }
  throw new Error('twenty times one came after the other')
}

describe('signing in', () => {
  it('answers an access token of 15 minutes and the user, and stores the answer nowhere', async () => {
    const admin = await setUpAdmin(people())
    const response = await call(people().app, 'POST /auth/login', { body: { email: admin.email, password: PASSWORD } })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      accessToken: expect.any(String) as string,
      expiresIn: 900,
      refreshKey: expect.stringMatching(/^[\w-]{43}$/) as string,
      user: {
        id: admin.id,
        email: admin.email,
        role: 'admin',
        disabledAt: null,
        invited: false,
        createdAt: expect.any(String) as string,
      },
    })
  })

  it('sets a cookie that no script, no other site and no other route gets', async () => {
    await setUpAdmin(people())
    const response = await call(people().app, 'POST /auth/login', {
      body: { email: 'admin@example.org', password: PASSWORD },
    })
    const cookie = response.cookies.find(({ name }) => name === REFRESH_COOKIE)
    expect(cookie).toMatchObject({ path: '/api/auth', httpOnly: true, sameSite: 'Strict', maxAge: 2_592_000 })
    expect(cookie).not.toHaveProperty('secure')
  })

  it('does not mind the case of the address, nor blanks around it', async () => {
    await setUpAdmin(people(), 'Ada@Example.org')
    expect((await signIn(people(), '  aDA@example.ORG ')).email).toBe('ada@example.org')
  })

  it('answers alike for a wrong password, no account, a disabled and an invited one', async () => {
    const admin = await setUpAdmin(people())
    const disabled = await addPerson(people(), admin, 'disabled@example.org')
    await call(people().app, `PATCH /users/${disabled.id}`, { token: admin.token, body: { disabled: true } })
    await call(people().app, 'POST /users', {
      token: admin.token,
      body: { email: 'invited@example.org', role: 'user' },
    })
    const tries = [
      { email: admin.email, password: 'not this one at all' },
      { email: 'nobody@example.org', password: PASSWORD },
      { email: 'disabled@example.org', password: PASSWORD },
      { email: 'invited@example.org', password: PASSWORD },
      { email: 'no address\0', password: PASSWORD },
    ]
    const answers = await Promise.all(tries.map((body) => call(people().app, 'POST /auth/login', { body })))
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
    expect(answers[0]?.json()).toMatchObject({ statusCode: 401, code: 'INVALID_CREDENTIALS' })
  })
})

describe('an access token', () => {
  it('ends after 15 minutes', async () => {
    const { token } = await setUpAdmin(people())
    people().clock.advance(15 * MINUTE_MS - 1000)
    expect((await me(token)).statusCode).toBe(200)
    people().clock.advance(1000)
    expect((await me(token)).statusCode).toBe(401)
  })

  it('ends with its sign-in', async () => {
    const { token, refreshToken } = await setUpAdmin(people())
    const other = await signIn(people(), 'admin@example.org')
    const response = await call(people().app, 'POST /auth/logout', { refreshToken })
    expect(response.statusCode).toBe(204)
    expect((await me(token)).json()).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect((await me(other.token)).statusCode).toBe(200)
  })
})

describe('a refresh token', () => {
  it('is exchanged for the next one and a new access token', async () => {
    const admin = await setUpAdmin(people())
    people().clock.advance(15 * MINUTE_MS)
    const response = await refresh(admin.refreshToken)
    expect(response.statusCode).toBe(200)
    expect(refreshTokenFrom(response)).not.toBe(admin.refreshToken)
    expect((await me(response.json<{ accessToken: string }>().accessToken)).statusCode).toBe(200)
  })

  it('ends the sign-in when it is used again later, tells so, and leaves the other sign-ins alone', async () => {
    const admin = await setUpAdmin(people())
    const other = await signIn(people(), admin.email)
    const next = refreshTokenFrom(await refresh(admin.refreshToken))
    people().clock.advance(REFRESH_GRACE_MS)
    const told = await heard(people().identity.revocations, async () => {
      expect((await refresh(admin.refreshToken)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_REFRESH' })
    })
    expect(told).toEqual([{ kind: 'sign_in', signInId: signInIdOf(admin.refreshToken), because: 'token_reused' }])
    expect((await refresh(next)).statusCode).toBe(401)
    expect((await me(admin.token)).statusCode).toBe(401)
    expect((await refresh(other.refreshToken)).statusCode).toBe(200)
  })

  it('is taken once more right after it was replaced, since the answer may have been lost on the way', async () => {
    const admin = await setUpAdmin(people())
    await refresh(admin.refreshToken)
    people().clock.advance(REFRESH_GRACE_MS - 1)
    const again = await refresh(admin.refreshToken)
    expect(again.statusCode).toBe(200)
    expect((await me(again.json<{ accessToken: string }>().accessToken)).statusCode).toBe(200)
    expect((await refresh(refreshTokenFrom(again))).statusCode).toBe(200)
  })

  it('that an attacker copied and used first is found out when the user’s copy is used, even within the grace period', async () => {
    const admin = await setUpAdmin(people())
    const thief = refreshTokenFrom(await refresh(admin.refreshToken))
    const owner = refreshTokenFrom(await refresh(admin.refreshToken))
    expect((await refresh(thief)).json()).toMatchObject({ code: 'INVALID_REFRESH' })
    expect((await refresh(owner)).statusCode).toBe(401)
    expect((await me(admin.token)).statusCode).toBe(401)
  })

  it('has its grace once: using it again does not make that longer', async () => {
    const admin = await setUpAdmin(people())
    await refresh(admin.refreshToken)
    people().clock.advance(REFRESH_GRACE_MS - 1)
    await refresh(admin.refreshToken)
    people().clock.advance(1)
    expect((await refresh(admin.refreshToken)).json()).toMatchObject({ code: 'INVALID_REFRESH' })
  })

  it('two steps old ends the sign-in, however recent', async () => {
    const admin = await setUpAdmin(people())
    const next = refreshTokenFrom(await refresh(admin.refreshToken))
    await refresh(next)
    expect((await refresh(admin.refreshToken)).statusCode).toBe(401)
    expect((await refresh(next)).statusCode).toBe(401)
  })

  it.each(['with what the first was answered', 'as it is, where that was lost'])(
    'lets one of two win that come at once, and the other when it asks again %s',
    async (how) => {
      const { refreshToken, won, lost } = await atOnce()
      expect(won!.statusCode).toBe(200)
      expect(lost!.json()).toMatchObject({ statusCode: 409, code: 'REFRESH_CONFLICT' })
      const token = how.startsWith('with') ? refreshTokenFrom(won!) : refreshToken
      expect((await refresh(token)).statusCode).toBe(200)
    },
  )

  it('slides: the sign-in ends thirty days after its last use', async () => {
    const admin = await setUpAdmin(people())
    people().clock.advance(SIGN_IN_IDLE_MS - 1000)
    const next = refreshTokenFrom(await refresh(admin.refreshToken))
    people().clock.advance(SIGN_IN_IDLE_MS - 1000)
    const last = refreshTokenFrom(await refresh(next))
    people().clock.advance(SIGN_IN_IDLE_MS)
    expect((await refresh(last)).statusCode).toBe(401)
  })

  it.each([
    undefined,
    '',
    'x',
    '.',
    'a.b',
    '00000000-0000-7000-8000-000000000000.x',
    'a'.repeat(5000),
    '\u0000.\u0000',
  ])('is refused when it is none of ours: %j', async (token) => {
    expect((await refresh(token)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_REFRESH' })
  })

  it('is of no use to a disabled user', async () => {
    const admin = await setUpAdmin(people())
    const user = await addPerson(people(), admin, 'user@example.org')
    await call(people().app, `PATCH /users/${user.id}`, { token: admin.token, body: { disabled: true } })
    expect((await refresh(user.refreshToken)).statusCode).toBe(401)
    expect((await me(user.token)).statusCode).toBe(401)
  })
})

describe('signing out', () => {
  it('clears the cookie, tells so, and accepts a user who is signed out already', async () => {
    const admin = await setUpAdmin(people())
    const told = await heard(people().identity.revocations, async () => {
      const response = await call(people().app, 'POST /auth/logout', { refreshToken: admin.refreshToken })
      expect(response.cookies).toMatchObject([{ name: REFRESH_COOKIE, value: '', path: '/api/auth' }])
      expect((await call(people().app, 'POST /auth/logout', { refreshToken: admin.refreshToken })).statusCode).toBe(204)
      expect((await call(people().app, 'POST /auth/logout')).statusCode).toBe(204)
    })
    expect(told).toEqual([{ kind: 'sign_in', signInId: signInIdOf(admin.refreshToken), because: 'signed_out' }])
  })

  it('works with the access token alone, for clients without cookies', async () => {
    const admin = await setUpAdmin(people())
    expect((await call(people().app, 'POST /auth/logout', { token: admin.token })).statusCode).toBe(204)
    expect((await refresh(admin.refreshToken)).statusCode).toBe(401)
  })

  it('leaves no row of a sign-in that is over once its user signs in again', async () => {
    const admin = await setUpAdmin(people())
    await call(people().app, 'POST /auth/logout', { refreshToken: admin.refreshToken })
    await signIn(people(), admin.email)
    expect(await people().database.prisma.signIn.count()).toBe(1)
  })
})
