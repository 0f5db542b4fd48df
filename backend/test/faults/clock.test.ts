import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time/clock.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, PASSWORD, refreshTokenFrom, setUpAdmin, signIn } from '../support/people/people.ts'

const OFF_MS = 10 * MINUTE_MS
const team = useApp()

describe.each([
  ['ahead', OFF_MS],
  ['back', -OFF_MS],
])('clock off by 10 minutes: it jumps %s', (_direction, jump) => {
  it('and every user who is signed in stays so, with access token, cookie and API token', async () => {
    const admin = await setUpAdmin(team())
    const { app, clock } = team()
    const body = { name: 'ci', scopes: ['agents:read'], expiresInDays: 1 }
    const created = await call(app, 'POST /tokens', { token: admin.token, body })
    const apiToken = created.json<{ token: string }>().token
    clock.advance(jump)
    expect((await call(app, 'GET /users/me', { token: admin.token })).statusCode).toBe(200)
    expect((await call(app, 'GET /agents', { token: apiToken })).statusCode).toBe(200)
    const refreshed = await call(app, 'POST /auth/refresh', { refreshToken: admin.refreshToken })
    expect(refreshed.statusCode).toBe(200)
    // The server still knows the used token, so the jump allows no second use.
    const again = await call(app, 'POST /auth/refresh', { refreshToken: refreshTokenFrom(refreshed) })
    expect(again.statusCode).toBe(200)
    clock.advance(-jump)
    expect(
      (await call(app, 'GET /users/me', { token: again.json<{ accessToken: string }>().accessToken })).statusCode,
    ).toBe(200)
  })

  it('and expiry goes on: a link works, and a token of 15 minutes ends, is renewed, and does not last for ever', async () => {
    const admin = await setUpAdmin(team())
    const { app, clock, identity } = team()
    const person = await addPerson(team(), admin, 'person@example.org')
    const invited = await call(app, 'POST /users', {
      token: admin.token,
      body: { email: 'new@example.org', role: 'user' },
    })
    const url = invited.json<{ invitation: { url: string } }>().invitation.url
    clock.advance(jump)
    const body = { token: url.split('#token=')[1], password: PASSWORD }
    expect((await call(app, 'POST /auth/invitation', { body })).statusCode).toBe(200)
    clock.advance(15 * MINUTE_MS - Math.min(jump, 0) + 1_000)
    expect((await call(app, 'GET /users/me', { token: person.token })).statusCode).toBe(401)
    expect((await call(app, 'POST /auth/refresh', { refreshToken: person.refreshToken })).statusCode).toBe(200)
    expect((await signIn(team(), 'new@example.org')).email).toBe('new@example.org')
    expect(await identity.setup.createSetupLink('http://localhost')).toBeNull()
  })
})
