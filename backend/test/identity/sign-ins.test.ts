import type { SignIn } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { SIGN_IN_IDLE_MS } from '../../src/modules/identity/sign-ins/service.ts'
import { deviceIn } from '../../src/modules/identity/sign-ins/present.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, type Call, call, PASSWORD, type Person, setUpAdmin, signIn } from '../support/people/people.ts'
import { heard } from '../support/recorder.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

const people = useApp()
let admin: Person

beforeEach(async () => {
  admin = await setUpAdmin(people())
})

const as = ({ token }: Person, what: Call) => call(people().app, what, { token })
const list = async (person: Person): Promise<SignIn[]> =>
  (await as(person, 'GET /users/me/sign-ins')).json<{ items: SignIn[] }>().items
const idOf = ({ refreshToken }: Person) => refreshToken.split('.')[0]
const isSignedIn = async (person: Person) => (await as(person, 'GET /users/me')).statusCode === 200

describe('my sign-ins', () => {
  it('are listed newest first with device and last use, and the current one is marked', async () => {
    people().clock.advance(1000)
    const body = { email: admin.email, password: PASSWORD }
    await call(people().app, 'POST /auth/login', { body, headers: { 'user-agent': FIREFOX } })
    const [firefox, first, ...others] = await list(admin)
    const now = new Date(people().clock.now()).toISOString()
    expect(firefox).toMatchObject({ device: 'Firefox 143 on Linux', current: false, createdAt: now, lastUsedAt: now })
    expect(first).toMatchObject({ id: idOf(admin), current: true })
    expect(others).toEqual([])
    people().clock.advance(1000)
    await call(people().app, 'POST /auth/refresh', { refreshToken: admin.refreshToken })
    expect((await list(admin))[1]?.lastUsedAt).toBe(new Date(people().clock.now()).toISOString())
  })

  it('are the user’s alone to see and to end', async () => {
    const other = await addPerson(people(), admin, 'other@example.org', 'admin')
    expect((await list(other)).map(({ id }) => id)).toEqual([idOf(other)])
    const response = await as(other, `DELETE /users/me/sign-ins/${idOf(admin)}`)
    expect(response.json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
    expect(await isSignedIn(admin)).toBe(true)
  })

  it('are not listed once they are over', async () => {
    const second = await signIn(people(), admin.email)
    await call(people().app, 'POST /auth/logout', { refreshToken: second.refreshToken })
    expect(await list(admin)).toHaveLength(1)
    people().clock.advance(SIGN_IN_IDLE_MS)
    const third = await signIn(people(), admin.email)
    expect((await list(third)).map(({ id }) => id)).toEqual([idOf(third)])
  })

  it('can be ended one by one, which tells so', async () => {
    const [second, third] = [await signIn(people(), admin.email), await signIn(people(), admin.email)]
    const told = await heard(people().identity.revocations, async () => {
      expect((await as(admin, `DELETE /users/me/sign-ins/${idOf(second)}`)).statusCode).toBe(204)
    })
    expect(told).toEqual([{ kind: 'sign_in', signInId: idOf(second), because: 'signed_out' }])
    expect(await isSignedIn(second)).toBe(false)
    expect(await isSignedIn(third)).toBe(true)
    expect((await as(admin, `DELETE /users/me/sign-ins/${idOf(second)}`)).statusCode).toBe(404)
  })

  it('can all be ended but this one', async () => {
    const others = [await signIn(people(), admin.email), await signIn(people(), admin.email)]
    const told = await heard(people().identity.revocations, async () => {
      expect((await as(admin, 'DELETE /users/me/sign-ins')).statusCode).toBe(204)
    })
    expect(told.map((revocation) => revocation.kind === 'sign_in' && revocation.signInId).sort()).toEqual(
      others.map(idOf).sort(),
    )
    for (const other of others) expect(await isSignedIn(other)).toBe(false)
    expect(await list(admin)).toMatchObject([{ id: idOf(admin), current: true }])
  })

  it('can all be ended, this one too', async () => {
    const other = await signIn(people(), admin.email)
    expect((await as(admin, 'DELETE /users/me/sign-ins?all=true')).statusCode).toBe(204)
    expect([await isSignedIn(admin), await isSignedIn(other)]).toEqual([false, false])
  })

  it.each(['x', '%00', '01900000-0000-7000-8000-000000000000'])('are not found by %s', async (id) => {
    expect((await as(admin, `DELETE /users/me/sign-ins/${id}`)).json()).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a device', () => {
  it.each([
    [FIREFOX, 'Firefox 143 on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Safari/604.1',
      'Safari 17 on iOS',
    ],
    ['curl/8.14.1', 'curl 8.14'],
    ['node', 'Unknown device'],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
    ['<script>alert(1)</script>', 'Unknown device'],
    ['x'.repeat(256), 'Unknown device'],
  ])('that says %j is called %s', (userAgent, device) => {
    expect(deviceIn(userAgent)).toBe(device)
  })
})
