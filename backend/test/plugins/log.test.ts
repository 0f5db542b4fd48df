import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bootApp, type TestApp } from '../support/server/app.ts'
import { useDatabase } from '../support/database/test-database.ts'
import { call, PASSWORD, refreshTokenFrom, setUpAdmin } from '../support/people/people.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const database = useDatabase()
const lines: string[] = []
let people: TestApp

beforeAll(async () => {
  people = await bootApp(database(), { logStream: { write: (line) => void lines.push(line) } })
})
afterAll(() => people.app.close())

describe('token in a URL or a log: the log', () => {
  it('holds no password, token, cookie, address, header or query, and nothing of a person but an id', async () => {
    const admin = await setUpAdmin(people)
    const { app } = people
    const body = { name: 'canary-name', scopes: ['terminal'] }
    const { token } = (await call(app, 'POST /tokens', { token: admin.token, body })).json<{ token: string }>()
    await call(app, 'GET /users/me', { token })
    await call(app, 'GET /users/me?token=canary-query', { token: 'canary-bearer' })
    await call(app, 'GET /agents/canary-agent/stats', { token: admin.token })
    await call(app, 'GET /canary-path/slp_canary')
    await app.inject('/canary%zz')
    await app.inject({ method: 'POST', url: '/api/auth/login', payload: '{"canary":', headers: JSON_TYPE })
    const headers = {
      origin: 'https://canary.example',
      'x-request-id': 'canary-id',
      'user-agent': 'canary',
      host: 'canary',
    }
    await call(app, 'POST /auth/refresh', { headers, refreshToken: 'canary-cookie canary-key' })
    await call(app, 'POST /auth/login', { body: { email: admin.email, password: 'canary-password' } })
    await call(app, 'POST /auth/login', { body: { email: admin.email, password: 'x', extra: 'canary-extra' } })
    const refreshToken = refreshTokenFrom(await call(app, 'POST /auth/refresh', { refreshToken: admin.refreshToken }))
    await call(app, 'POST /auth/setup', { body: { token: 'canary-link', email: 'a@example.org', password: PASSWORD } })

    const log = lines.join('')
    expect(log).toContain('"route":"/api/users/me"')
    const halves = [admin.refreshToken, refreshToken].flatMap((both) => both.split(' '))
    const secrets = [admin.token, ...halves, token, PASSWORD, admin.email, 'canary']
    for (const secret of secrets) expect(log).not.toContain(secret)
    expect(log).toContain(`"userId":"${admin.id}"`)
  })

  it('censors what should never have been handed to it', () => {
    lines.length = 0
    people.app.log.info(
      { token: 'canary', user: { password: 'canary' }, headers: { authorization: 'canary' } },
      'careless',
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('[redacted]')
    expect(lines[0]).not.toContain('canary')
  })
})
