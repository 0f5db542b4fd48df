import { REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { createIdentity } from '../../src/modules/identity/identity.ts'
import { networkOf } from '../../src/modules/identity/networks.ts'
import { createPasswords, type Argon2 } from '../../src/modules/identity/passwords.ts'
import { silentLog } from '../../src/lib/log.ts'
import { useApp } from '../support/server/app.ts'
import { aCaller } from '../support/people/callers.ts'
import { TestClock } from '../support/clock.ts'
import { addPerson, call, PASSWORD, setUpAdmin, signIn } from '../support/people/people.ts'
import { heard } from '../support/recorder.ts'

const people = useApp()

const login = (email: string, password: string, address = '203.0.113.1') =>
  people().app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password }, remoteAddress: address })
const WRONG = 'certainly not this'

describe('a password', () => {
  it('is stored as argon2id with 19 MiB, two passes and one lane', async () => {
    await setUpAdmin(people())
    const user = await people().database.prisma.user.findFirst()
    expect(user?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('costs the same work whether the account exists, is disabled, invited, or not there', async () => {
    const compared: string[] = []
    const argon2: Argon2 = {
      hash: (password) => Promise.resolve(`hash of ${password}`),
      verify: (hash) => Promise.resolve(compared.push(hash) === 0),
    }
    const clock = new TestClock()
    const identity = createIdentity({
      prisma: people().database.prisma,
      audit: createAudit({ prisma: people().database.prisma, clock, newId: createIds(clock), log: silentLog }),
      secretKey: new Uint8Array(32),
      clock,
      newId: createIds(clock),
      log: silentLog,
      belongings: { handOver: () => Promise.resolve(true), deleteAll: () => Promise.resolve([]) },
      endWithUser: () => Promise.resolve([]),
      passwords: createPasswords(argon2),
    })
    await identity.setup.createAdmin('admin@example.org', PASSWORD)
    const admin = aCaller({ role: 'admin' })
    await identity.users.create(admin, { email: 'invited@example.org', role: 'user' }, 'http://localhost')
    const off = { email: 'off@example.org', role: 'user', password: PASSWORD } as const
    const { id } = await identity.users.create(admin, off, '')
    await identity.users.update(admin, id, { disabled: true })
    const device = { address: '203.0.113.1', requestId: null, userAgent: null }
    for (const email of ['admin@example.org', 'invited@example.org', 'off@example.org', 'nobody@example.org']) {
      await expect(identity.signIns.login(email, PASSWORD, device)).rejects.toMatchObject({
        code: 'INVALID_CREDENTIALS',
      })
    }
    expect(compared).toHaveLength(4)
    // Three of the accounts have no password to compare with. The server compares with a random one that is unknown.
    expect(new Set(compared).size).toBe(2)
    expect(compared[0]).toBe(`hash of ${PASSWORD}`)
  })

  it('must have twelve characters', async () => {
    const admin = await setUpAdmin(people())
    const body = { email: 'short@example.org', role: 'user', password: 'eleven char' }
    const response = await call(people().app, 'POST /users', { token: admin.token, body })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
  })
})

describe('guessing', () => {
  it('is heard ten times for one account from one address, and again after a quarter of an hour', async () => {
    await setUpAdmin(people())
    for (let i = 0; i < 10; i++) expect((await login('admin@example.org', WRONG)).statusCode).toBe(401)
    const response = await login('admin@example.org', PASSWORD)
    expect(response.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_REQUESTS' })
    expect(Number(response.headers['retry-after'])).toBe(900)
    people().clock.advance(15 * MINUTE_MS)
    expect((await login('admin@example.org', PASSWORD)).statusCode).toBe(200)
  })

  it('does not shut out the owner, who comes from another address', async () => {
    await setUpAdmin(people())
    for (let i = 0; i < 11; i++) await login('admin@example.org', WRONG)
    expect((await login('admin@example.org', PASSWORD, '203.0.113.2')).statusCode).toBe(200)
  })

  it('is throttled for accounts that do not exist just the same', async () => {
    for (let i = 0; i < 10; i++) expect((await login('nobody@example.org', WRONG)).statusCode).toBe(401)
    expect((await login('nobody@example.org', WRONG)).statusCode).toBe(429)
  })

  it('is heard no more often when all guesses are sent at once', async () => {
    await setUpAdmin(people())
    const answers = await Promise.all(Array.from({ length: 40 }, () => login('admin@example.org', WRONG)))
    const heardOnes = answers.filter((answer) => answer.statusCode === 401).length
    // The server compares two passwords at once, so the eleventh may be under way when the tenth fails.
    expect(heardOnes).toBeGreaterThanOrEqual(10)
    expect(heardOnes).toBeLessThanOrEqual(11)
  })

  it('is heard a hundred times from one address, for any accounts', async () => {
    const tries = Array.from({ length: 110 }, (_, i) => login(`user${i}@example.org`, WRONG, '203.0.113.9'))
    const answers = await Promise.all(tries)
    const heardOnes = answers.filter((answer) => answer.statusCode === 401).length
    expect(heardOnes).toBeGreaterThanOrEqual(100)
    expect(heardOnes).toBeLessThanOrEqual(101)
  })

  // The next test counts addresses as networks, and the test before as many guesses from one.
  longIt('is not heard more often from the other addresses of one IPv6 network', async () => {
    const tries = (accounts: number, network: string) =>
      Promise.all(
        Array.from({ length: 110 }, (_, i) => login(`user${i % accounts}@example.org`, WRONG, `${network}::${i + 1}`)),
      )
    const heardOnes = (answers: { statusCode: number }[]) =>
      answers.filter(({ statusCode }) => statusCode === 401).length
    expect(heardOnes(await tries(1, '2001:db8:1:2'))).toBeLessThanOrEqual(11)
    expect(heardOnes(await tries(110, '2001:db8:1:3'))).toBeLessThanOrEqual(101)
    expect(heardOnes([await login('user0@example.org', WRONG, '2001:db8:1:4::1')])).toBe(1)
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:DB8:0001:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['1:2:3:4:5::', '1:2:3:4'],
    ['1::5:6:7:8', '1:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['unknown', 'unknown'],
  ])('counts %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  // A hundred passwords are hashed, which takes two busy cores half a minute.
  it('for one account from many networks is heard a hundred times, which shuts out strangers alone', async () => {
    const email = 'often-guessed@example.org'
    const admin = await setUpAdmin(people())
    await addPerson(people(), admin, email)
    const signedIn = await login(email, PASSWORD, '198.51.100.1')
    const { accessToken, refreshKey } = signedIn.json<SignedIn>()
    const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]))
    for (let from = 0; from < 10; from++)
      for (let i = 0; i < 10; i++) expect((await login(email, WRONG, `192.0.2.${from}`)).statusCode).toBe(401)

    for (const address of ['192.0.2.100', '2001:db8:9::1']) {
      const response = await login(email, PASSWORD, address)
      expect(response.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_REQUESTS' })
      expect(Number(response.headers['retry-after'])).toBe(900)
    }
    expect((await login(admin.email, PASSWORD, '192.0.2.100')).statusCode).toBe(200)

    // An address with a sign-in, or with a renewed one, still has ten guesses.
    const halves = { cookies, headers: { [REFRESH_KEY_HEADER]: refreshKey } }
    const renewal = { method: 'POST', url: '/api/auth/refresh', ...halves, remoteAddress: '2001:db8:7:7::1' } as const
    expect((await people().app.inject(renewal)).statusCode).toBe(200)
    for (const address of ['198.51.100.1', '2001:db8:7:7::2']) {
      expect((await login(email, PASSWORD, address)).statusCode).toBe(200)
      for (let i = 0; i < 10; i++) expect((await login(email, WRONG, address)).statusCode).toBe(401)
      expect((await login(email, PASSWORD, address)).statusCode).toBe(429)
    }

    // The server knows a signed-in user at every address. Here the sign-in has ten guesses, and not the address.
    const change = (currentPassword: string, remoteAddress: string) =>
      people().app.inject({
        method: 'PATCH',
        url: '/api/users/me',
        headers: { authorization: `Bearer ${accessToken}` },
        payload: { currentPassword, newPassword: PASSWORD },
        remoteAddress,
      })
    expect((await change(PASSWORD, '192.0.2.100')).statusCode).toBe(200)
    for (let i = 0; i < 10; i++) expect((await change(WRONG, `192.0.2.${101 + i}`)).statusCode).toBe(401)
    expect((await change(PASSWORD, '192.0.2.111')).statusCode).toBe(429)

    people().clock.advance(15 * MINUTE_MS)
    expect((await login(email, PASSWORD, '192.0.2.200')).statusCode).toBe(200)
  })

  // The test before has an account, and the tests above what does not exist and what is sent at once.
  longIt(
    'is heard no more often for an account that does not exist, and when all guesses are sent at once',
    async () => {
      const guesses = Array.from({ length: 150 }, (_, i) => login('nobody-at-all@example.org', WRONG, `192.0.2.${i}`))
      const heardOnes = (await Promise.all(guesses)).filter((answer) => answer.statusCode === 401).length
      expect(heardOnes).toBeGreaterThanOrEqual(100)
      expect(heardOnes).toBeLessThanOrEqual(101)
    },
  )

  it('is forgotten when the right password comes, and successes are never counted', async () => {
    await setUpAdmin(people())
    for (let i = 0; i < 9; i++) await login('admin@example.org', WRONG)
    for (let i = 0; i < 12; i++) expect((await login('admin@example.org', PASSWORD)).statusCode).toBe(200)
    for (let i = 0; i < 9; i++) expect((await login('admin@example.org', WRONG)).statusCode).toBe(401)
  })
})

describe('changing the password', () => {
  const change = (token: string, currentPassword: string, newPassword = 'a different password') =>
    call(people().app, 'PATCH /users/me', { token, body: { currentPassword, newPassword } })

  it('ends all other sign-ins and keeps this one', async () => {
    const admin = await setUpAdmin(people())
    const other = await signIn(people(), admin.email)
    const told = await heard(people().identity.revocations, async () => {
      expect((await change(admin.token, PASSWORD)).json()).toMatchObject({ email: admin.email })
    })
    const signInId = other.refreshToken.split('.')[0]
    expect(told).toEqual([{ kind: 'sign_in', signInId, because: 'password_changed' }])
    expect((await call(people().app, 'GET /users/me', { token: other.token })).statusCode).toBe(401)
    expect((await call(people().app, 'GET /users/me', { token: admin.token })).statusCode).toBe(200)
    expect((await login(admin.email, PASSWORD)).statusCode).toBe(401)
    expect((await login(admin.email, 'a different password')).statusCode).toBe(200)
  })

  it('needs the current one, and may not be guessed either', async () => {
    const admin = await setUpAdmin(people())
    for (let i = 0; i < 10; i++) {
      expect((await change(admin.token, WRONG)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_CREDENTIALS' })
    }
    expect((await change(admin.token, PASSWORD)).statusCode).toBe(429)
  })

  it('lets one of two win that come at once', async () => {
    const admin = await setUpAdmin(people())
    const answers = await Promise.all([
      change(admin.token, PASSWORD, 'the first new password'),
      change(admin.token, PASSWORD, 'the second new password'),
    ])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 401])
  })

  it('is not for API tokens', async () => {
    const admin = await setUpAdmin(people())
    const body = { name: 'ci', scopes: ['agents:read', 'agents:write', 'terminal', 'users:admin'] }
    const { token } = (await call(people().app, 'POST /tokens', { token: admin.token, body })).json<{ token: string }>()
    expect((await change(token, PASSWORD)).json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
  })

  it('leaves other people alone', async () => {
    const admin = await setUpAdmin(people())
    const user = await addPerson(people(), admin, 'user@example.org')
    await change(admin.token, PASSWORD)
    expect((await call(people().app, 'GET /users/me', { token: user.token })).statusCode).toBe(200)
  })
})
