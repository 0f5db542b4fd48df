import { randomUUID } from 'node:crypto'
import type { Agent, CreateAgent } from '@slipway/protocol'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time/clock.ts'
import { MAX_KEYS_PER_USER } from '../../src/modules/idempotency/keys.ts'
import { idempotencyPlugin } from '../../src/modules/idempotency/plugin.ts'
import { storedConversation } from '../support/stored/conversations.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person, refreshTokenFrom, signIn } from '../support/people/people.ts'
import { newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'

const engine = new MemoryEngine()
const team = useTeam({ runtime: engine.runtime })
/** A new sign-in, because the first access token expires when the clock moves on by a day. */
const owner = () => signIn(team(), team().owner.email)

const post = (path: Call, key: string, body?: object, { token }: Pick<Person, 'token'> = team().owner) =>
  call(team().app, path, { token, body, headers: { 'idempotency-key': key } })
const create = (key: string, name: string, change: Partial<CreateAgent> = {}, by?: Pick<Person, 'token'>) =>
  post('POST /agents', key, newAgent(name, change), by)
const codeOf = (response: { json: () => unknown }) => (response.json() as { code: string }).code
const agents = async (): Promise<string[]> => {
  const { items } = (await call(team().app, 'GET /agents', { token: (await owner()).token })).json<{ items: Agent[] }>()
  return items.map(({ name }) => name)
}

afterEach(() => engine.stuck.clear())

describe('a kept answer outlives a right, or reaches another token: a request that is sent again with its key', () => {
  it('is answered as the first time, byte for byte, and done once', async () => {
    const first = await create('once', 'once')
    const again = await create('once', 'once')
    expect([first.statusCode, first.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect([again.statusCode, again.body]).toEqual([201, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect((await agents()).filter((name) => name === 'once')).toHaveLength(1)
  })

  it('is also answered so when that was a refusal', async () => {
    await create('taken', 'taken')
    const first = await create('refused', 'taken')
    expect([first.statusCode, codeOf(first)]).toEqual([409, 'NAME_TAKEN'])
    await call(team().app, 'DELETE /agents/taken', { token: team().owner.token })
    expect((await create('refused', 'taken')).body).toBe(first.body)
    // The first key still gets its first answer, although that agent was deleted.
    expect((await create('taken', 'taken')).statusCode).toBe(201)
    expect(await agents()).not.toContain('taken')
  })

  it('is done once by the commands, too', async () => {
    await create('for-commands', 'commanded')
    const shared = () => post('POST /agents/commanded/shares', 'shared', { email: team().colleague.email })
    expect((await shared()).body).toBe((await shared()).body)
    const stopped = () => post('POST /agents/commanded/stop?wait=true', 'stopped')
    expect((await stopped()).json()).toMatchObject({ state: 'stopped' })
    await call(team().app, 'POST /agents/commanded/start?wait=true', { token: team().owner.token })
    expect((await stopped()).headers['idempotent-replayed']).toBe('true')
    const now = await call(team().app, 'GET /agents/commanded', { token: team().owner.token })
    expect(now.json()).toMatchObject({ state: 'running' })
    await systemAgentSettled(team())
    const restarted = () => post('POST /system-agent/restart?wait=true', 'restarted', undefined, team().admin)
    expect((await restarted()).body).toBe((await restarted()).body)
  })

  it('is done once by what discards changes, so that the answer that undoes it is not lost', async () => {
    const name = 'discarding'
    await create(name, name)
    const { owner: user, colleague, database } = team()
    const { runId } = await storedConversation(database.prisma, { agentName: name, userId: user.id, isBusy: false })
    const trees = { before: 'a'.repeat(40), after: 'b'.repeat(40) }
    const kept = 'refs/slipway/discarded/files-1-000000000000'
    const ofTask = (act: string) => `POST /coding-agents/sessions/${runId}/diff/${act}` as const
    const ofGit = (act: string) => `POST /agents/${name}/git/${act}` as const
    const acts: (readonly [Call, object, number])[] = [
      [ofTask('discard'), { since: 'start', tree: trees.before, path: 'a' }, 410],
      [ofTask('undo'), { since: 'start', ...trees }, 410],
      [ofGit('discard'), { repository: 'app', files: ['YQ'] }, 200],
      [ofGit('undo'), { repository: 'app', kept }, 204],
      [ofGit('stashes/drop'), { repository: 'app', at: 0, commit: trees.before }, 200],
    ]
    for (const [path, body, status] of acts) {
      const key = path.slice('POST '.length)
      const first = await post(path, key, body)
      const again = await post(path, key, body)
      expect([first.statusCode, again.statusCode, again.body]).toEqual([status, status, first.body])
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect((await post(path, key, body, colleague)).statusCode).toBe(404)
    }
  })

  it('is refused with another body, address or method', async () => {
    await create('mine', 'mine')
    for (const other of [
      await create('mine', 'mine', { model: 'opus' }),
      await post('POST /agents?wait=true', 'mine', newAgent('mine')),
      await post('POST /agents/mine/stop', 'mine'),
    ])
      expect([other.statusCode, codeOf(other)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('is done once when two come together', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `together-${round}`
      const both = await Promise.all([create(name, name), create(name, name)])
      const statuses = both.map(({ statusCode }) => statusCode).sort()
      expect([
        [201, 201],
        [201, 409],
      ]).toContainEqual(statuses)
      for (const response of both.filter(({ statusCode }) => statusCode === 409)) {
        expect([codeOf(response), response.headers['retry-after']]).toEqual(['REQUEST_IN_PROGRESS', '1'])
      }
      expect((await create(name, name)).statusCode).toBe(201)
    }
    expect((await agents()).filter((name) => name.startsWith('together-'))).toHaveLength(10)
  })

  it('goes on with what the first request made, if that was never answered', async () => {
    const { prisma } = team().database
    const first = await create('unanswered', 'unanswered')
    const where = { key: 'unanswered' }
    await prisma.idempotencyKey.updateMany({ where, data: { status: null, body: null } })
    const again = await create('unanswered', 'unanswered')
    expect([again.statusCode, again.json<Agent>().id]).toEqual([201, first.json<Agent>().id])
    expect(again.headers['idempotent-replayed']).toBeUndefined()
    expect((await agents()).filter((name) => name === 'unanswered')).toHaveLength(1)
    // Another user had the name first. So that agent is no answer to this key's request.
    await prisma.idempotencyKey.updateMany({ where, data: { status: null, body: null, resourceId: team().owner.id } })
    expect(codeOf(await create('unanswered', 'unanswered'))).toBe('NAME_TAKEN')
  })

  it('is another request when another user sends it', async () => {
    expect((await create('same', 'of-owner')).statusCode).toBe(201)
    const other = await create('same', 'of-colleague', {}, team().colleague)
    expect([other.statusCode, other.json<Agent>().owner?.email]).toEqual([201, team().colleague.email])
  })

  it('is another request with another token of the same user, which may do less', async () => {
    const tokenOf = async (scopes: readonly string[]) => {
      const body = { name: 'ci', scopes }
      return (await call(team().app, 'POST /tokens', { token: team().owner.token, body })).json<{ token: string }>()
    }
    const first = await create('proof', 'by-sign-in')
    const [one, other] = [await tokenOf(['agents:write']), await tokenOf(['agents:write', 'agents:read'])]
    for (const by of [one, other, await owner()]) {
      const again = await create('proof', 'by-sign-in', {}, by)
      expect([again.statusCode, codeOf(again)]).toEqual([409, 'NAME_TAKEN'])
    }
    expect((await create('proof', 'by-sign-in', {}, one)).headers['idempotent-replayed']).toBe('true')
    expect((await create('proof', 'by-sign-in')).body).toBe(first.body)
  })

  it.each(['start', 'stop', 'restart'])(
    'to %s an agent is answered as any other after the right was revoked, and as the first time when it is given again',
    async (command) => {
      const name = `taken-${command}`
      await create(name, name)
      const share = () =>
        post(`POST /agents/${name}/shares`, `share-${randomUUID()}`, { email: team().colleague.email })
      const asked = () =>
        post(`POST /agents/${name}/${command}?wait=true`, `sharee-${command}`, undefined, team().colleague)
      await share()
      const first = await asked()
      expect(first.statusCode).toBe(202)
      await call(team().app, `DELETE /agents/${name}/shares/${team().colleague.id}`, { token: team().owner.token })
      const refused = await asked()
      expect([refused.statusCode, codeOf(refused)]).toEqual([404, 'NOT_FOUND'])
      expect(refused.headers['idempotent-replayed']).toBeUndefined()
      await share()
      expect((await asked()).body).toBe(first.body)
    },
  )

  it('to share an agent is refused to a user who may no longer share it', async () => {
    const { token: admin } = await signIn(team(), team().admin.email)
    const helper = await addPerson(team(), { ...team().admin, token: admin }, 'helper@example.org', 'admin')
    await create('helped', 'helped')
    const asked = () => post('POST /agents/helped/shares', 'as-admin', { email: team().colleague.email }, helper)
    expect((await asked()).statusCode).toBe(201)
    await call(team().app, `PATCH /users/${helper.id}`, { token: admin, body: { role: 'user' } })
    const refused = await asked()
    expect([refused.statusCode, codeOf(refused)]).toEqual([404, 'NOT_FOUND'])
  })

  it('is a new one where the first was none: not valid, not allowed', async () => {
    expect((await post('POST /agents', 'late', { name: 'late' })).statusCode).toBe(400)
    expect((await post('POST /agents', 'late', newAgent('late'), { token: 'nobody' })).statusCode).toBe(401)
    expect((await create('late', 'late')).statusCode).toBe(201)
  })

  it('is a new one after a day, and what is older is forgotten', async () => {
    let { token, refreshToken } = await owner()
    /** Keeps the same sign-in, because a key belongs to one. */
    const laterBy = async (ms: number) => {
      team().clock.advance(ms)
      const response = await call(team().app, 'POST /auth/refresh', { refreshToken })
      refreshToken = refreshTokenFrom(response)
      token = response.json<{ accessToken: string }>().accessToken
    }
    await create('old', 'old', {}, { token })
    await laterBy(DAY_MS - HOUR_MS)
    expect((await create('old', 'old', {}, { token })).headers['idempotent-replayed']).toBe('true')
    await laterBy(HOUR_MS + 1)
    expect(codeOf(await create('old', 'old', {}, { token }))).toBe('NAME_TAKEN')
    const rows = await team().database.prisma.idempotencyKey.findMany({ select: { key: true } })
    expect(rows).toEqual([{ key: 'old' }])
  })
})

describe('a route that takes keys', () => {
  it('keeps the server from starting if a route does not check the right to its agent', async () => {
    const app = Fastify()
    await app.register(fp(() => Promise.resolve(), { name: 'access' }))
    await app.register(idempotencyPlugin, { keys: null as never })
    const config = { action: 'agent.use', idempotent: true } as const
    expect(() => app.post('/agents/:name/poke', { config }, () => null)).toThrow('does not check the right')
    app.post('/agents/:name/prod', { config: { ...config, idempotent: () => Promise.resolve() } }, () => null)
    await app.close()
  })
})

describe('a key', () => {
  it.each([
    ['POST /tokens', { name: 'ci', scopes: ['agents:read'] }],
    ['POST /users', { email: 'new@example.org', role: 'user' }],
  ] as const)('is refused by %s, which does not accept one', async (path, body) => {
    const { token } = await signIn(team(), team().admin.email)
    const response = await post(path, 'any', body, { token })
    expect([response.statusCode, codeOf(response)]).toEqual([400, 'VALIDATION'])
    expect(response.json<{ message: string }>().message).toContain('idempotency-key')
  })

  it('is visible text of at most 255 characters', async () => {
    const by = await owner()
    for (const key of ['', 'a b', 'ü', 'x'.repeat(256)]) expect((await create(key, 'odd', {}, by)).statusCode).toBe(400)
    expect((await create('"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'quoted', {}, by)).statusCode).toBe(201)
  })

  it('is ignored on a request that changes nothing', async () => {
    const headers = { 'idempotency-key': 'any' }
    expect((await call(team().app, 'GET /agents', { token: (await owner()).token, headers })).statusCode).toBe(200)
  })

  it('is one of at most 10,000 of one user in a day', async () => {
    const { prisma } = team().database
    const person = await addPerson(team(), await signIn(team(), team().admin.email), 'busy@example.org')
    await prisma.$executeRaw`INSERT INTO "IdempotencyKey"
        ("userId", "proofId", "key", "fingerprint", "resourceId", "status", "body", "createdAt")
      SELECT ${person.id}::uuid, ${person.id}::uuid, 'key-' || n, '', ${person.id}::uuid, 201, '{}',
        ${new Date(team().clock.now())}
      FROM generate_series(1, ${MAX_KEYS_PER_USER}::int) n`
    expect((await create('one-more', 'one-more', {}, person)).statusCode).toBe(429)
    expect((await create('another', 'one-more', {}, await owner())).statusCode).toBe(201)
    team().clock.advance(DAY_MS + HOUR_MS)
    const later = await signIn(team(), person.email)
    expect((await create('one-more', 'two-more', {}, later)).statusCode).toBe(201)
  })

  it('goes with its user', async () => {
    const admin = await signIn(team(), team().admin.email)
    const person = await addPerson(team(), admin, 'leaving@example.org')
    await create('theirs', 'theirs', {}, person)
    await call(team().app, 'DELETE /agents/theirs', { token: person.token })
    expect((await call(team().app, `DELETE /users/${person.id}`, { token: admin.token })).statusCode).toBe(204)
    expect(await team().database.prisma.idempotencyKey.count({ where: { userId: person.id } })).toBe(0)
  })
})
