import { CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import { request } from 'node:http'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { addressOf, listen, openSocket } from '../../../test/support/listener.ts'
import { addPerson } from '../../../test/support/people.ts'
import { as, useTeam } from '../../../test/support/team.ts'

/** Longest time until a socket closes whose right was revoked, in milliseconds. */
const CLOSED_WITHIN_MS = 2000

const team = useTeam()
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)
let people = 0
const someone = (role: 'admin' | 'user' = 'user') =>
  addPerson(team(), team().admin, `someone-${(people += 1)}@example.org`, role)
const within = async (closed: Promise<number>): Promise<number> => {
  let code: number | null = null
  void closed.then((value) => (code = value))
  return until('the close', () => code, CLOSED_WITHIN_MS)
}

/** The status with which an upgrade is refused, or 101. */
const upgradeFrom = async (origin: string | undefined): Promise<number> => {
  const [host, port] = (await addressOf(team())).split(':')
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...(origin === undefined ? {} : { origin }),
    }
    // A new connection each time: the server closes a refused one.
    const asked = request({ host, port, path: '/api/events', headers, agent: false })
    asked.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(101)
    })
    asked.on('error', (error) => reject(new Error(`with the origin ${String(origin)}`, { cause: error })))
    asked.end()
  })
}

describe('a page that wants to listen', () => {
  it('is refused at the upgrade when it is of another origin', async () => {
    const own = `http://${await addressOf(team())}`
    const foreign = ['http://evil.example', 'null', `${own}.evil.example`, `https://${own.slice(7)}`, `${own}0`, 'x']
    for (const origin of foreign) expect([origin, await upgradeFrom(origin)]).toEqual([origin, 403])
    expect(await upgradeFrom(own)).toBe(101)
    expect(await upgradeFrom(undefined)).toBe(101)
  })

  it.each(['', 'no json', '{}', '{"type":"auth"}', '{"type":"auth","token":5}', '[]', 'null', '"x"'])(
    'is refused when its first message is %j',
    async (first) => {
      const page = await openSocket(team(), first)
      expect(await page.closed).toBe(CloseCode.UNAUTHENTICATED)
      expect(page.events).toEqual([{ type: 'error', message: TERMINAL_MESSAGE.expectedAuth, close: true }])
    },
  )

  it('is refused with a token that is none, or lacks the scope', async () => {
    const { token } = (await as(team(), team().owner)('POST /tokens', { name: 'ci', scopes: ['terminal'] })).json<{
      token: string
    }>()
    for (const bad of ['nonsense', 'slp_nonsense', token]) {
      const page = await openSocket(team(), JSON.stringify({ type: 'auth', token: bad }))
      expect(await page.closed).toBe(CloseCode.UNAUTHENTICATED)
      expect(page.events).toEqual([{ type: 'error', message: TERMINAL_MESSAGE.invalidToken, close: true }])
    }
  })
})

describe('a right that is lost', () => {
  it('closes the socket of an API token that is revoked, and no other', async () => {
    const person = await someone()
    const made = await as(team(), person)('POST /tokens', { name: 'ci', scopes: ['agents:read'] })
    const { id, token } = made.json<{ id: string; token: string }>()
    const [program, page] = await Promise.all([listen(team(), token), listen(team(), person.token)])
    await as(team(), person)(`DELETE /tokens/${id}`)
    expect(await within(program.closed)).toBe(CloseCode.UNAUTHENTICATED)
    expect(program.events.at(-1)).toMatchObject({ type: 'error', close: true })
    expect(page.socket.readyState).toBe(page.socket.OPEN)
    page.socket.close()
  })

  it('closes the sockets of a user who is disabled, deleted or demoted', async () => {
    for (const [role, take] of [
      ['user', (id: string) => admin(`PATCH /users/${id}`, { disabled: true })],
      ['user', (id: string) => admin(`DELETE /users/${id}`)],
      ['admin', (id: string) => admin(`PATCH /users/${id}`, { role: 'user' })],
    ] as const) {
      const person = await someone(role)
      const page = await listen(team(), person.token)
      expect((await take(person.id)).statusCode).toBeLessThan(300)
      expect(await within(page.closed)).toBe(CloseCode.UNAUTHENTICATED)
    }
  })

  it('closes no socket when the token that is looked up is unknown', async () => {
    const person = await someone()
    const [page] = await Promise.all([
      openSocket(team(), JSON.stringify({ type: 'auth', token: person.token })),
      admin(`PATCH /users/${person.id}`, { disabled: true }),
    ])
    expect(await within(page.closed)).toBe(CloseCode.UNAUTHENTICATED)
  })
})
