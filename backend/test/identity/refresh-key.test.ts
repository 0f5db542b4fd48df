/**
 * Browsers send cookies to every port of a host. So a server on another port can get the refresh cookie, but not the
 * refresh key.
 */
import { randomUUID } from 'node:crypto'
import { REFRESH_COOKIE, REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, refreshTokenFrom, setUpAdmin, signIn } from '../support/people/people.ts'

const people = useApp()
const refresh = (refreshToken: string) => call(people().app, 'POST /auth/refresh', { refreshToken })
const refused = { statusCode: 401, code: 'INVALID_REFRESH' }

describe('a refresh cookie that a server on another port has copied', () => {
  it('renews nothing and ends nothing without its key, or with another one, and no Origin', async () => {
    const admin = await setUpAdmin(people())
    const [cookie = '', key = ''] = admin.refreshToken.split(' ')
    const [, othersKey = ''] = (await signIn(people(), admin.email)).refreshToken.split(' ')
    const tries = [
      cookie,
      `${cookie} `,
      `${cookie} ${othersKey}`,
      `${cookie} ${key}x`,
      `${cookie} ${cookie.split('.')[1]}`,
    ]
    for (const halves of tries) {
      const answer = await refresh(halves)
      expect(answer.json()).toMatchObject(refused)
      expect(answer.cookies).toEqual([])
      await call(people().app, 'POST /auth/logout', { refreshToken: halves })
    }
    const next = await refresh(admin.refreshToken)
    expect(next.statusCode).toBe(200)
    // The cookie is a new one, and the key is the same.
    expect(refreshTokenFrom(next)).not.toContain(cookie)
    expect(next.json<SignedIn>().refreshKey).toBe(key)
    // An old copy of both ends the sign-in, as after a theft. A copy of the cookie alone does not.
    expect((await refresh(refreshTokenFrom(next))).statusCode).toBe(200)
    expect((await refresh(cookie)).json()).toMatchObject(refused)
    expect((await call(people().app, 'GET /users/me', { token: admin.token })).statusCode).toBe(200)
  })

  it('signs a victim in as no other user, where the server has put its own there', async () => {
    const admin = await setUpAdmin(people())
    const attacker = await addPerson(people(), admin, 'attacker@example.org')
    const [theirs] = attacker.refreshToken.split(' ')
    const [, victims] = admin.refreshToken.split(' ')
    expect((await refresh(`${theirs} ${victims}`)).json()).toMatchObject(refused)
    // Both sign-ins still work.
    for (const { refreshToken } of [admin, attacker]) expect((await refresh(refreshToken)).statusCode).toBe(200)
  })

  it('does not sign a victim out, where a neighbour below the same domain has put others there before it', async () => {
    const admin = await setUpAdmin(people())
    const attacker = await addPerson(people(), admin, 'neighbour@example.org')
    const forged = Array.from({ length: 100 }, () => `${randomUUID()}.${'a'.repeat(43)}`)
    const tossed = ['x', ...forged, attacker.refreshToken.split(' ')[0]]
    /** All cookies as a browser sends them: those of the neighbour have a longer path. */
    const sent = (refreshToken: string) => {
      const [own, key = ''] = refreshToken.split(' ')
      const cookie = [...tossed, own].map((value) => `${REFRESH_COOKIE}=${value}`).join('; ')
      return { headers: { cookie, [REFRESH_KEY_HEADER]: key } }
    }
    const next = await call(people().app, 'POST /auth/refresh', sent(admin.refreshToken))
    expect(next.json<SignedIn>().user.email).toBe(admin.email)
    const newest = refreshTokenFrom(next)
    expect((await call(people().app, 'POST /auth/logout', sent(newest))).statusCode).toBe(204)
    expect((await refresh(newest)).json()).toMatchObject(refused)
    expect((await refresh(attacker.refreshToken)).statusCode).toBe(200)
  })

  it('is of no use where the sign-in is from before there were keys, and the sign-in is not ended', async () => {
    const admin = await setUpAdmin(people())
    await people().database.prisma.signIn.updateMany({ data: { keyHash: null } })
    for (const halves of [admin.refreshToken, admin.refreshToken.split(' ')[0]!])
      expect((await refresh(halves)).json()).toMatchObject(refused)
    expect((await call(people().app, 'GET /users/me', { token: admin.token })).statusCode).toBe(200)
  })
})

describe('a refresh key', () => {
  it('is worth nothing without the cookie', async () => {
    const admin = await setUpAdmin(people())
    const [, key = ''] = admin.refreshToken.split(' ')
    const headers = { 'slipway-refresh-key': key }
    expect((await call(people().app, 'POST /auth/refresh', { headers })).json()).toMatchObject(refused)
    await call(people().app, 'POST /auth/logout', { headers })
    expect((await refresh(admin.refreshToken)).statusCode).toBe(200)
  })

  it('is stored as a hash', async () => {
    const admin = await setUpAdmin(people())
    const [, key = ''] = admin.refreshToken.split(' ')
    const rows = await people().database.prisma.signIn.findMany()
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})
