import { CloseCode, type Scope, TERMINAL_MESSAGE } from '@slipway/protocol'
import { request } from 'node:http'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { addressOf, listen, type Listener, openSocket } from '../../../test/support/server/listener.ts'
import { addPerson, type Person } from '../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

/** Longest time until a socket closes whose right was revoked, in milliseconds. */
const CLOSED_WITHIN_MS = 10_000

const team = useTeam()
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)
let people = 0
const someone = (role: 'admin' | 'user' = 'user') =>
  addPerson(team(), team().admin, `someone-${(people += 1)}@example.org`, role)
/** A new API token of a user, the owner by default. */
const tokenOf = async (scopes: Scope[], person: Person = team().owner): Promise<string> => {
  return (await as(team(), person)('POST /tokens', { name: 'ci', scopes })).json<{ token: string }>().token
}
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

  it('is refused with a token that is none', async () => {
    for (const bad of ['nonsense', 'slp_nonsense']) {
      const page = await openSocket(team(), JSON.stringify({ type: 'auth', token: bad }))
      expect(await page.closed).toBe(CloseCode.UNAUTHENTICATED)
      expect(page.events).toEqual([{ type: 'error', message: TERMINAL_MESSAGE.invalidToken, close: true }])
    }
  })

  it('is told which scope its token lacks', async () => {
    const page = await openSocket(team(), JSON.stringify({ type: 'auth', token: await tokenOf(['terminal']) }))
    expect(await page.closed).toBe(CloseCode.FORBIDDEN)
    const message =
      'This API token lacks one of the scopes agents:read and tasks:read. Make another token under Account.'
    expect(page.events).toEqual([{ type: 'error', code: 'FORBIDDEN', message, close: true }])
  })
})

describe('a program that listens with an API token', () => {
  it('hears of agents with one scope, of tasks with the other, and only of agents that its user may see', async () => {
    const owner = as(team(), team().owner)
    const [ofAgents, ofTasks, ofBoth, foreign] = await Promise.all([
      tokenOf(['agents:read']).then((token) => listen(team(), token)),
      tokenOf(['tasks:read']).then((token) => listen(team(), token)),
      tokenOf(['agents:read', 'tasks:read']).then((token) => listen(team(), token)),
      tokenOf(['tasks:read'], team().stranger).then((token) => listen(team(), token)),
    ])
    await owner('POST /agents?wait=true', newAgent('listened'))
    await owner('POST /agents/listened/stop?wait=true')
    const body = { agent: 'listened', provider: 'codex', prompt: 'hi', queue: true }
    const { id } = (await owner('POST /coding-agents/sessions', body)).json<{ id: string }>()
    await owner(`DELETE /coding-agents/sessions/${id}`)
    const exits = (page: Listener) => page.of('coding-agent:session:exit').map(({ sessionId }) => sessionId)
    for (const page of [ofTasks, ofBoth]) await page.hears('the end', () => exits(page).includes(id))
    for (const page of [ofAgents, ofBoth]) await page.hears('the agent', () => page.about('listened').length > 0)
    const kinds = (page: Listener) => new Set(page.events.map(({ type }) => type.split(':')[0]))
    expect(kinds(ofTasks)).toEqual(new Set(['auth_success', 'coding-agent']))
    expect(kinds(ofAgents)).not.toContain('coding-agent')
    expect(kinds(ofBoth)).toEqual(new Set([...kinds(ofAgents), 'coding-agent']))
    expect(kinds(foreign)).toEqual(new Set(['auth_success']))
    for (const page of [ofAgents, ofTasks, ofBoth, foreign]) page.socket.close()
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
