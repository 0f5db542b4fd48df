import { randomUUID } from 'node:crypto'
import type { CodingResults } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { call, type Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { beginningsOf } from './words.ts'

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)

interface Some {
  readonly id: string
  readonly name: string
}

const someAgent = async (): Promise<Some> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  const { id } = (await owner('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  return { id, name }
}

const NOW = Date.now()
let age = 0
/** A result in an agent, older than the one before. */
const someResult = async (agent: Some, prompt: string, more: object = {}, by = team().owner): Promise<string> => {
  const id = randomUUID()
  age += 1
  const createdAt = new Date(NOW - age * 1000)
  const end = { state: 'completed', reason: 'completed', result: 'Done.', endedAt: createdAt, personal: false }
  const run = { id, sessionId: id, agentId: agent.id, agentName: agent.name, userId: by.id, prompt, createdAt }
  const facts = { provider: 'claude-code', cwd: '/home/developer', timeoutSeconds: 300 }
  await team().database.prisma.codingRun.create({ data: { ...facts, ...run, ...end, ...more } })
  return id
}

const find = async (query: Record<string, string>, by: Person = team().owner): Promise<CodingResults> => {
  const answer = await as(team(), by)(`GET /coding-agents/results?${new URLSearchParams(query).toString()}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CodingResults>()
}
const idsOf = async (query: Record<string, string>, by?: Person): Promise<string[]> =>
  (await find(query, by)).items.map(({ id }) => id)

describe('the search in results', () => {
  it('finds beginnings of words in the prompt and in the answer, the newest first', async () => {
    const agent = await someAgent()
    const first = await someResult(agent, 'Fix src/Parser_table.ts, please')
    const second = await someResult(agent, 'Look around', { result: 'The parser of prüfsummen\nhas 42 bugs.' })
    expect(await idsOf({ agent: agent.name, q: 'pars' })).toEqual([first, second])
    expect(await idsOf({ agent: agent.name, q: 'PARSER 42' })).toEqual([second])
    expect(await idsOf({ agent: agent.name, q: 'src/parser_table.ts' })).toEqual([first])
    expect(await idsOf({ agent: agent.name, q: 'PRÜF' })).toEqual([second])
    expect(await idsOf({ agent: agent.name, q: 'arser' })).toEqual([])
  })

  it('takes no character for more than itself', async () => {
    const agent = await someAgent()
    const id = await someResult(agent, `it's 100% of user_name | 1e5 & "more"`)
    for (const q of ['100%', 'user_', "it's", '1e5', "'more'", '| 1e', 'user:*', '!more', '%of%'])
      expect(await idsOf({ agent: agent.name, q }), q).toEqual([id])
    for (const q of ['u%r', 'u_er', '10 0 x', 'us*name | zzz', '!zzz'])
      expect(await idsOf({ agent: agent.name, q }), q).toEqual([])
  })

  it('looks at the beginning of a long text, and at text without an end of a word', async () => {
    const agent = await someAgent()
    const id = await someResult(agent, `early ${'x'.repeat(1_000_000)} late`, {
      result: `last ${'word '.repeat(50_000)}`,
    })
    const other = await someResult(agent, 'early', { result: null })
    const { items } = await find({ agent: agent.name, q: 'early' })
    expect(items.map((item) => [item.id, item.prompt.length])).toEqual([
      [id, 1001],
      [other, 5],
    ])
    expect(items[0]?.prompt.endsWith('x…')).toBe(true)
    expect(await idsOf({ agent: agent.name, q: 'last' })).toEqual([id])
    expect(await idsOf({ agent: agent.name, q: 'late' })).toEqual([])
  })

  it('is refused without a word, and with a text that is too long', async () => {
    for (const q of ['', '%', ' ', 'x'.repeat(201)]) {
      const answer = await owner(`GET /coding-agents/results?${new URLSearchParams({ q }).toString()}`)
      expect([answer.statusCode, answer.json()], q).toMatchObject([400, { code: 'VALIDATION' }])
    }
  })

  it('goes on in pages, and counts all that match', async () => {
    const agent = await someAgent()
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.push(await someResult(agent, `page ${count}`))
    await someResult(agent, 'other')
    const query = { agent: agent.name, q: 'page', limit: '2' }
    expect(await find({ ...query, page: '2' })).toMatchObject({
      items: ids.slice(2, 4).map((id) => ({ id })),
      total: 5,
    })
    expect(await find({ ...query, page: '9' })).toMatchObject({ items: [], total: 5 })
  })
})

describe('the results of others', () => {
  it('are those in agents that the caller may see, of all users or of one', async () => {
    const { owner: me, colleague: sharee, stranger, admin } = team()
    const agent = await someAgent()
    await owner(`POST /agents/${agent.name}/shares`, { email: sharee.email })
    const mine = await someResult(agent, 'x')
    const theirs = await someResult(agent, 'x', {}, sharee)
    const gone = await someResult(agent, 'x', { agentId: null }, sharee)
    const query = { q: 'x' }
    expect(await idsOf({ ...query, agent: agent.name })).toEqual([mine])
    expect(await idsOf({ ...query, by: 'all', agent: agent.name })).toEqual([mine, theirs])
    expect(await idsOf({ ...query, by: sharee.id })).toEqual([theirs])
    expect(await idsOf({ ...query, by: 'all' }, sharee)).toEqual([mine, theirs, gone])
    expect(await idsOf({ ...query, by: me.id }, sharee)).toEqual([mine])
    for (const by of ['all', me.id, sharee.id]) expect(await idsOf({ ...query, by }, stranger)).toEqual([])
    // Opening one of a deleted agent needs its user.
    expect(await idsOf({ ...query, by: sharee.id }, admin)).toEqual([theirs])
    for (const id of [mine, theirs])
      expect((await as(team(), sharee)(`GET /coding-agents/results/${id}`)).statusCode).toBe(200)
    expect((await as(team(), admin)(`GET /coding-agents/results/${gone}`)).statusCode).toBe(404)
    await owner(`DELETE /agents/${agent.name}/shares/${sharee.id}`)
    expect(await idsOf({ ...query, by: 'all' }, sharee)).toEqual([gone])
    const wrong = await owner(`GET /coding-agents/results?${new URLSearchParams({ by: 'nobody' }).toString()}`)
    expect(wrong.statusCode).toBe(400)
  })

  it('never show an API token a task with a credential of its user', async () => {
    const agent = await someAgent()
    await someResult(agent, 'x', { personal: true })
    const open = await someResult(agent, 'x')
    const { token } = (await owner('POST /tokens', { name: 'reader', scopes: ['tasks:read'] })).json<{
      token: string
    }>()
    const answer = await call(team().app, `GET /coding-agents/results?by=all&agent=${agent.name}`, { token })
    expect(answer.json<CodingResults>().items.map(({ id }) => id)).toEqual([open])
  })
})

it('results have a first and a last time', async () => {
  const agent = await someAgent()
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour))
  const [early, late] = [
    await someResult(agent, 'x', { createdAt: at(1) }),
    await someResult(agent, 'x', { createdAt: at(3) }),
  ]
  const query = { agent: agent.name }
  expect(await idsOf({ ...query, from: at(2).toISOString() })).toEqual([late])
  expect(await idsOf({ ...query, to: at(3).toISOString() })).toEqual([early])
  expect(await idsOf({ ...query, from: at(1).toISOString(), to: at(4).toISOString() })).toEqual([late, early])
  expect((await owner('GET /coding-agents/results?from=yesterday')).statusCode).toBe(400)
})

describe('results', () => {
  it('are filtered by agent, provider, state and reason', async () => {
    const agent = await someAgent()
    const failed = { state: 'failed', reason: 'timed_out', provider: 'codex' }
    const [good, bad] = [await someResult(agent, 'one'), await someResult(agent, 'one', failed)]
    await someResult(await someAgent(), 'one')
    const gone = await someResult(agent, 'one', { agentId: null, provider: 'custom:gone' })
    const name = agent.name
    expect(await idsOf({ agent: name })).toEqual([good, bad])
    expect(await idsOf({ agent: name, provider: 'codex' })).toEqual([bad])
    expect(await idsOf({ agent: name, state: 'completed' })).toEqual([good])
    expect(await idsOf({ agent: name, reason: 'timed_out', q: 'one' })).toEqual([bad])
    expect(await idsOf({ provider: 'custom:gone' })).toEqual([gone])
    expect((await owner('GET /coding-agents/results?state=running')).statusCode).toBe(400)
  })

  it('are those of the caller, in agents that they may still see', async () => {
    const { colleague, stranger, admin } = team()
    const agent = await someAgent()
    await owner(`POST /agents/${agent.name}/shares`, { email: colleague.email })
    const query = { agent: agent.name, q: 'mine' }
    const own = await someResult(agent, 'mine')
    const theirs = await someResult(agent, 'mine', {}, colleague)
    await someResult(agent, 'mine', {}, stranger)
    const admins = await someResult(agent, 'mine', {}, admin)
    await someResult(agent, 'mine', { state: 'running', reason: null, result: null, endedAt: null })
    const found = () => Promise.all([team().owner, colleague, stranger, admin].map((person) => idsOf(query, person)))
    expect(await found()).toEqual([[own], [theirs], [], [admins]])
    await owner(`DELETE /agents/${agent.name}/shares/${colleague.id}`)
    expect(await found()).toEqual([[own], [], [], [admins]])
  })

  it('with a credential of their user are not told to an API token', async () => {
    const agent = await someAgent()
    await someResult(agent, 'kept', { personal: true })
    const open = await someResult(agent, 'kept')
    const { token } = (await owner('POST /tokens', { name: 'reader', scopes: ['tasks:read'] })).json<{
      token: string
    }>()
    const answer = await call(team().app, `GET /coding-agents/results?agent=${agent.name}&q=kept`, { token })
    expect(answer.json<CodingResults>().items.map(({ id }) => id)).toEqual([open])
  })
})

it('the words of a search are letters, digits and accents in a row, and there may be none', () => {
  expect(beginningsOf("Don't _stop_ 'x' naïve 修复")).toBe("'don':* & 't':* & 'stop':* & 'x':* & 'naïve':* & '修复':*")
  expect(beginningsOf(' %_\0')).toBeNull()
})
