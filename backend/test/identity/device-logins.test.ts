import type { CollectedDeviceLogin, CreatedApiToken, CreatedDeviceLogin } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time/clock.ts'
import { MAX_TOKENS_PER_USER } from '../../src/modules/identity/api-tokens/service.ts'
import { CODE_VALID_MS, GUESSES_EACH } from '../../src/modules/identity/codes.ts'
import { COLLECT_WITHIN_MS, WAITING_PER_NETWORK_MAX } from '../../src/modules/identity/device-logins/service.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, setUpAdmin, type Person } from '../support/people/people.ts'

const people = useApp()
let admin: Person
let user: Person
/** The last row of the audit log before the test. */
let before = ''

beforeEach(async () => {
  admin = await setUpAdmin(people())
  user = await addPerson(people(), admin, 'user@example.org')
  const { prisma } = people().database
  await prisma.deviceLogin.deleteMany()
  before = (await prisma.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })).id
})

const ASKED = { name: 'slipway on laptop', scopes: ['agents:read', 'terminal'] }
const TOKEN = { name: 'my laptop', scopes: ['agents:read'], expiresInDays: 30 }
const post = (path: string, body: object, token?: string) =>
  call(people().app, `POST /device-logins${path}`, { body, ...(token !== undefined && { token }) })
const begin = async () => (await post('', ASKED)).json<CreatedDeviceLogin>()
const collect = ({ deviceCode }: CreatedDeviceLogin) => post('/collect', { deviceCode })
const find = (userCode: string, person = user) => post('/lookup', { userCode }, person.token)
const decide = ({ userCode }: CreatedDeviceLogin, token: object | null, person = user) =>
  post('/decision', { userCode, token }, person.token)
const acts = async () =>
  (await people().database.prisma.auditEvent.findMany({ where: { id: { gt: before } }, orderBy: { id: 'asc' } }))
    .filter(({ action }) => /^(device|token)\./.test(action))
    .map(({ action, actorEmail, targetName, detail }) => ({ action, actorEmail, targetName, detail }))
const wrong = { statusCode: 404, code: 'INVALID_CODE' }

describe('a program of another device', () => {
  it('gets the token that its user has allowed, once', async () => {
    const login = await begin()
    expect((await collect(login)).json()).toEqual({ state: 'pending' })
    expect((await find(login.userCode)).json()).toMatchObject({ ...ASKED, address: '127.0.0.1' })
    expect((await decide(login, TOKEN)).statusCode).toBe(204)
    const collected = (await collect(login)).json<CollectedDeviceLogin>()
    const { token } = collected as { token: CreatedApiToken }
    const expiresAt = new Date(people().clock.now() + 30 * DAY_MS).toISOString()
    expect(collected).toMatchObject({
      state: 'allowed',
      token: { name: 'my laptop', scopes: ['agents:read'], expiresAt },
    })
    expect((await call(people().app, 'GET /users/me', { token: token.token })).json()).toMatchObject({
      email: user.email,
    })
    expect((await collect(login)).json()).toMatchObject(wrong)
    expect((await find(login.userCode)).json()).toMatchObject(wrong)
    expect(await acts()).toMatchObject([
      { action: 'device.allowed', actorEmail: user.email, detail: { name: 'my laptop', scopes: ['agents:read'] } },
      { action: 'token.created', actorEmail: user.email, targetName: 'my laptop' },
    ])
  })

  it('gets one token, however often it asks at the same time', async () => {
    const login = await begin()
    await decide(login, TOKEN)
    const answers = await Promise.all(Array.from({ length: 5 }, () => collect(login)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect(await people().database.prisma.apiToken.count()).toBe(1)
  })

  it('learns that its user denies it, and gets no token', async () => {
    const login = await begin()
    expect((await decide(login, null)).statusCode).toBe(204)
    expect((await collect(login)).json()).toEqual({ state: 'denied' })
    expect((await collect(login)).json()).toMatchObject(wrong)
    expect(await people().database.prisma.apiToken.count()).toBe(0)
    expect(await acts()).toMatchObject([
      { action: 'device.denied', actorEmail: user.email, detail: { name: ASKED.name } },
    ])
  })

  it('gets nothing after its code has expired, nor for a user who was disabled meanwhile', async () => {
    const late = await begin()
    people().clock.advance(CODE_VALID_MS)
    expect((await decide(late, TOKEN)).json()).toMatchObject(wrong)
    expect((await collect(late)).json()).toMatchObject(wrong)
    const login = await begin()
    await decide(login, TOKEN)
    await call(people().app, `PATCH /users/${user.id}`, { token: admin.token, body: { disabled: true } })
    expect((await collect(login)).json()).toMatchObject(wrong)
    expect(await people().database.prisma.apiToken.count()).toBe(0)
  })

  it('has a minute to collect its token, also if its user decides in the last second', async () => {
    const login = await begin()
    people().clock.advance(CODE_VALID_MS - 1)
    await decide(login, TOKEN)
    people().clock.advance(COLLECT_WITHIN_MS - 1)
    expect((await collect(login)).json()).toMatchObject({ state: 'allowed' })
  })

  it('is refused if too many wait in its network, and the expired ones do not count', async () => {
    for (let at = 0; at < WAITING_PER_NETWORK_MAX; at += 1) await begin()
    const refused = await post('', ASKED)
    expect(refused.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_REQUESTS' })
    expect(refused.headers['retry-after']).toBe(String(CODE_VALID_MS / 1000))
    people().clock.advance(CODE_VALID_MS)
    expect((await post('', ASKED)).statusCode).toBe(201)
    expect(await people().database.prisma.deviceLogin.count()).toBe(1)
  })

  it('cannot ask with an empty name, a scope that does not exist, or a character that cannot be stored', async () => {
    for (const body of [
      { ...ASKED, name: ' ' },
      { ...ASKED, scopes: ['root'] },
      { ...ASKED, scopes: [] },
      { ...ASKED, name: 'a\0' },
    ])
      expect((await post('', body)).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    expect(await people().database.prisma.deviceLogin.count()).toBe(0)
  })
})

describe('a code', () => {
  it('may be typed in small letters, with spaces, and with letters that look like digits', async () => {
    const { userCode } = await begin()
    const typed = userCode.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    expect((await find(typed)).json()).toMatchObject(ASKED)
  })

  it('is stored as a hash, as the secret of the program is', async () => {
    const { userCode, deviceCode } = await begin()
    const stored = JSON.stringify(await people().database.prisma.deviceLogin.findMany())
    expect(stored).not.toContain(deviceCode)
    expect(stored).not.toContain(userCode.replace('-', ''))
  })

  it('can be guessed a few times only, by each user for themselves', async () => {
    const login = await begin()
    for (let at = 0; at < GUESSES_EACH; at += 1) expect((await find('00000-00000')).json()).toMatchObject(wrong)
    expect((await find(login.userCode)).json()).toMatchObject({ statusCode: 429 })
    expect((await decide(login, TOKEN)).json()).toMatchObject({ statusCode: 429 })
    expect((await find(login.userCode, admin)).statusCode).toBe(200)
    people().clock.advance(CODE_VALID_MS)
    expect((await find((await begin()).userCode)).statusCode).toBe(200)
  })

  it('is decided by the first of two users', async () => {
    const login = await begin()
    const answers = await Promise.all([decide(login, TOKEN), decide(login, TOKEN, admin)])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([204, 404])
  })

  it('is nothing for an API token, which cannot create tokens', async () => {
    const login = await begin()
    const scopes = ['agents:read', 'users:admin']
    const made = await call(people().app, 'POST /tokens', { token: admin.token, body: { name: 'ci', scopes } })
    const token = made.json<CreatedApiToken>().token
    for (const path of ['/lookup', '/decision'])
      expect(
        (await post(path, { userCode: login.userCode, ...(path === '/decision' && { token: TOKEN }) }, token)).json(),
      ).toMatchObject({
        statusCode: 403,
        code: 'FORBIDDEN',
      })
  })

  it('gives no token to a user who has the maximum of tokens', async () => {
    const login = await begin()
    const row = { userId: user.id, name: 'one', scopes: [] }
    await people().database.prisma.apiToken.createMany({
      data: Array.from({ length: MAX_TOKENS_PER_USER }, (_, at) => ({ ...row, tokenHash: String(at) })),
    })
    expect((await decide(login, TOKEN)).json()).toMatchObject({ statusCode: 409, code: 'TOO_MANY_TOKENS' })
    expect((await decide(login, null)).statusCode).toBe(204)
  })
})
