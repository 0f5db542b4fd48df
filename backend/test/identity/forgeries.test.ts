import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { CloseCode } from '@slipway/protocol'
import jwt from 'jsonwebtoken'
import { beforeEach, describe, expect, it } from 'vitest'
import { deriveKey } from '../../src/lib/secrets/secrets.ts'
import { talk } from '../rights/ask.ts'
import { SECRET_KEY, useApp } from '../support/server/app.ts'
import { NOWHERE } from '../support/people/callers.ts'
import { addressOf } from '../support/server/listener.ts'
import { addPerson, call, setUpAdmin, type Person } from '../support/people/people.ts'

const people = useApp()
const secret = new TextEncoder().encode(SECRET_KEY)
const key = deriveKey(secret, 'slipway access token v1')

let admin: Person
let claims: Record<string, unknown>

beforeEach(async () => {
  admin = await setUpAdmin(people())
  claims = jwt.decode(admin.token) as Record<string, unknown>
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Signs any payload with any header. The library would refuse to. */
function forge(payload: unknown, header: object = { alg: 'HS256', typ: 'JWT' }, signingKey: Uint8Array = key): string {
  const text = `${part(header)}.${part(payload)}`
  return `${text}.${createHmac('sha256', signingKey).update(text).digest('base64url')}`
}
const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))
const me = (token: string) => call(people().app, 'GET /users/me', { token })

const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
function forgeRsa(): string {
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(rsa.privateKey)).toString('base64url')}`
}

describe('forged JWT: alg none, key confusion, missing exp, other audience, API token without the scope terminal: each', () => {
  it('is told from a real one, which the same means can make', async () => {
    expect((await me(forge(claims))).statusCode).toBe(200)
  })

  const forgeries: [string, () => string][] = [
    ['algorithm none, unsigned', () => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`],
    ['algorithm "nOnE"', () => `${part({ alg: 'nOnE', typ: 'JWT' })}.${part(claims)}.`],
    ['algorithm none with a good signature', () => forge(claims, { alg: 'none', typ: 'JWT' })],
    ['the signature cut off', () => admin.token.replace(/[^.]+$/, '')],
    ['another algorithm with the same key', () => jwt.sign(claims, key, { algorithm: 'HS512' })],
    ['a public key algorithm', forgeRsa],
    ['a public key used as a shared secret', () => forge(claims, { alg: 'HS256' }, Buffer.from(rsa.publicKey))],
    ['the installation secret itself as the key', () => forge(claims, undefined, secret)],
    ['an empty key', () => forge(claims, undefined, new Uint8Array())],
    [
      'a key brought in the header',
      () => forge(claims, { alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } }, Buffer.from([0])),
    ],
    ['a key file named in the header', () => forge(claims, { alg: 'HS256', kid: '/dev/null' }, new Uint8Array())],
    ['no expiry', () => forge(without('exp'))],
    ['an expiry that is text', () => forge({ ...claims, exp: '9999999999' })],
    ['an expiry in the past', () => forge({ ...claims, exp: 1 })],
    ['a beginning in the future', () => forge({ ...claims, nbf: Number(claims['exp']) + 60 })],
    ['another audience', () => forge({ ...claims, aud: 'other' })],
    ['no audience', () => forge(without('aud'))],
    ['another issuer', () => forge({ ...claims, iss: 'evil' })],
    ['no issuer', () => forge(without('iss'))],
    ['another type of token', () => forge({ ...claims, typ: 'refresh' })],
    ['no type', () => forge(without('typ'))],
    ['no sign-in', () => forge(without('sid'))],
    ['a sign-in that is no id', () => forge({ ...claims, sid: "' OR 1=1 --" })],
    ['a sign-in that does not exist', () => forge({ ...claims, sid: '01900000-0000-7000-8000-000000000000' })],
    ['no user', () => forge(without('sub'))],
    ['a user that is an object', () => forge({ ...claims, sub: { $ne: null } })],
    ['a payload that is no object', () => forge('admin')],
    [
      'a payload changed after signing',
      () => admin.token.replace(/\.[^.]+\./, `.${part({ ...claims, role: 'admin' })}.`),
    ],
    ['a megabyte', () => `a.${'b'.repeat(1_000_000)}.c`],
    ['NULs', () => '\0.\0.\0'],
    ['two dots', () => '..'],
    ['no token', () => ''],
    ['an API token that was never made', () => `slp_${'A'.repeat(43)}`],
    ['an API token of the wrong length', () => 'slp_short'],
    ['an API token with NULs', () => `slp_${'\0'.repeat(43)}`],
  ]

  it.each(forgeries)('is refused like any other: %s', async (_name, make) => {
    expect(await people().identity.authenticator.authenticate(make(), NOWHERE)).toBeNull()
  })

  it('is refused over HTTP with one and the same answer', async () => {
    const headerSafe = forgeries.map(([, make]) => make()).filter((token) => /^[\x20-\x7e]{1,8000}$/.test(token))
    const answers = await Promise.all(headerSafe.map((token) => me(token)))
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
    expect(answers[0]?.json()).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' })
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer')
  })

  it('is refused by a terminal with one and the same answer', async () => {
    const body = { name: 'reader', scopes: ['agents:read'] }
    const { token } = (await call(people().app, 'POST /tokens', { token: admin.token, body })).json<{ token: string }>()
    expect((await call(people().app, 'GET /agents', { token })).statusCode).toBe(200)
    // The server refuses an empty token, and one that is larger than a first message may be, before it looks at the
    // token.
    const forged = forgeries.map(([, make]) => make()).filter(({ length }) => length > 0 && length < 8000)
    const address = await addressOf(people())
    const talks = [token, ...forged].map((each) => talk(address, '/api/agents/any/terminal', each))
    const answers = await Promise.all(talks)
    expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1)
    expect(answers[0]?.answer).toBe(CloseCode.UNAUTHENTICATED)
  })

  it('cannot pair one user with the sign-in of another', async () => {
    const other = await addPerson(people(), admin, 'other@example.org')
    expect((await me(forge({ ...claims, sub: other.id }))).statusCode).toBe(401)
  })

  it('gains nothing from a role of its own: the role is read from the database', async () => {
    const other = await addPerson(people(), admin, 'other@example.org')
    const own = jwt.decode(other.token) as Record<string, unknown>
    const response = await call(people().app, 'GET /users', { token: forge({ ...own, role: 'admin' }) })
    expect(response.statusCode).toBe(403)
  })

  it.each(['Basic', 'bearer:', 'Token', ''])('is not looked for in a header of another kind: %j', async (scheme) => {
    const headers = { authorization: `${scheme} ${admin.token}` }
    expect((await call(people().app, 'GET /users/me', { headers })).statusCode).toBe(401)
  })
})
