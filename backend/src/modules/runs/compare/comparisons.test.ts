import { randomUUID } from 'node:crypto'
import type { CodingResults, CodingSession, Comparison, Comparisons } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../../../../test/support/people/people.ts'
import { newAgent, useTeam } from '../../../../test/support/people/team.ts'

// Its engine runs no CLI, so each task ends without work.
const team = useTeam({ runtime: new MemoryEngine().runtime })
const BASE = '/coding-agents/comparisons'
const SESSIONS = '/coding-agents/sessions'

const send = ({ token }: Person, what: Call, body?: object, headers = {}) =>
  call(team().app, what, { token, body, headers })
const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await send(person, what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return response.json<T>()
}
const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string]> => {
  const response = await send(person, what, body)
  return [response.statusCode, response.json<{ code: string }>().code]
}
const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)
const agentOf = async (owner: Person): Promise<string> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  await ok(owner, 'POST /agents?wait=true', newAgent(name))
  return name
}
const target = (agent: string, more: object = {}) => ({ agent, provider: 'claude-code', ...more })
const bodyOf = (...targets: object[]) => ({ prompt: 'Say hello', targets })
const idsOf = ({ targets }: Comparison): string[] => targets.flatMap(({ session }) => session?.id ?? [])
/** The comparison when all of its tasks have ended. */
const ended = (owner: Person, { id }: { id: string }): Promise<Comparison> =>
  until('the end of all tasks', async () => {
    const now = await ok<Comparison>(owner, `GET ${BASE}/${id}`)
    return now.targets.every(({ session }) => session === null || session.completedAt !== null) && now
  })
const resultsOf = async (owner: Person, query = ''): Promise<string[]> =>
  (await ok<CodingResults>(owner, `GET /coding-agents/results?limit=50${query}`)).items.map(({ id }) => id)

describe('a comparison', () => {
  it('starts a task for each target, and is listed for its user alone', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const [one, two] = [await agentOf(owner), await agentOf(owner)]
    const made = await ok<Comparison>(owner, `POST ${BASE}`, bodyOf(target(one, { model: 'opus' }), target(two)))
    expect(made.targets).toMatchObject([
      { agent: one, provider: 'claude-code', model: 'opus', cwd: null, refusal: null, session: { agent: one } },
      { agent: two, model: null, refusal: null, session: { agent: two, prompt: 'Say hello' } },
    ])
    expect(made).toMatchObject({ prompt: 'Say hello', chosenId: null })
    const list = await ok<Comparisons>(owner, `GET ${BASE}`)
    expect(list).toMatchObject({ total: 1, items: [{ id: made.id }] })
    expect(await ok<Comparisons>(other, `GET ${BASE}`)).toMatchObject({ total: 0, items: [] })
    expect(await refusal(other, `GET ${BASE}/${made.id}`)).toEqual([404, 'NOT_FOUND'])
    expect(await refusal(owner, `GET ${BASE}/no-id`)).toEqual([404, 'NOT_FOUND'])
  })

  it('is refused where targets share a folder, and then starts nothing', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const body = bodyOf(target(agent), target(agent, { provider: 'codex' }))
    expect(await refusal(owner, `POST ${BASE}`, body)).toEqual([422, 'SAME_FOLDER'])
    expect(await refusal(owner, `POST ${BASE}`, bodyOf(target(agent)))).toEqual([400, 'VALIDATION'])
    expect(await ok<CodingSession[]>(owner, `GET ${SESSIONS}`)).toEqual([])
    expect(await ok<Comparisons>(owner, `GET ${BASE}`)).toMatchObject({ total: 0 })
  })

  it('tells which target could not start, and starts the others', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const [mine, theirs] = [await agentOf(owner), await agentOf(other)]
    const body = bodyOf(target(theirs), target(mine, { provider: 'custom:none', cwd: 'a' }), target(mine, { cwd: 'b' }))
    const { targets } = await ok<Comparison>(owner, `POST ${BASE}`, body)
    expect(targets).toMatchObject([
      { session: null, refusal: { code: 'NOT_FOUND' } },
      { session: null, refusal: { code: 'VALIDATION' } },
      { refusal: null, session: { agent: mine, cwd: '/home/developer/b' } },
    ])
  })

  it('leaves nothing where no target can start', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const theirs = await agentOf(other)
    const body = bodyOf(target(theirs, { cwd: 'a' }), target(theirs, { cwd: 'b' }))
    expect(await refusal(owner, `POST ${BASE}`, body)).toEqual([404, 'NOT_FOUND'])
    expect(await ok<Comparisons>(owner, `GET ${BASE}`)).toMatchObject({ total: 0 })
  })

  it('puts the targets that cannot start now into the line', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    await ok(owner, `POST /agents/${agent}/stop?wait=true`)
    const body = bodyOf(target(agent, { cwd: 'a' }), target(agent, { cwd: 'b' }))
    const made = await ok<Comparison>(owner, `POST ${BASE}`, body)
    expect(made.targets.map(({ session }) => session?.state)).toEqual(['queued', 'queued'])
    const [sessionId] = idsOf(made)
    expect(await refusal(owner, `POST ${BASE}/${made.id}/choose`, { sessionId })).toEqual([409, 'WRONG_STATE'])
    for (const id of idsOf(made)) {
      expect(await refusal(owner, `POST ${SESSIONS}/${id}/archive`)).toEqual([409, 'WRONG_STATE'])
      await send(owner, `DELETE ${SESSIONS}/${id}`)
    }
  })

  it('is made once by a request that is sent again with its key', async () => {
    const owner = await someUser()
    const [one, two] = [await agentOf(owner), await agentOf(owner)]
    const post = () => send(owner, `POST ${BASE}`, bodyOf(target(one), target(two)), { 'idempotency-key': 'once' })
    const [first, again] = [await post(), await post()]
    expect([first.statusCode, again.body]).toEqual([201, first.body])
    expect(await ok<Comparisons>(owner, `GET ${BASE}`)).toMatchObject({ total: 1 })
  })

  it('says of a target that a server was ended while it started it', async () => {
    const owner = await someUser()
    const id = randomUUID()
    const targets = { create: [{ position: 0, agentName: 'gone', runId: randomUUID() }] }
    const data = { id, userId: owner.id, prompt: 'hi', createdAt: new Date(team().clock.now()), targets }
    await team().database.prisma.comparison.create({ data })
    expect((await ok<Comparison>(owner, `GET ${BASE}/${id}`)).targets).toMatchObject([
      { session: null, refusal: { code: 'INTERNAL' } },
    ])
  })
})

describe('a choice', () => {
  it('archives the others, which leave the lists, and another choice brings one back', async () => {
    const owner = await someUser()
    const [one, two] = [await agentOf(owner), await agentOf(owner)]
    const made = await ended(owner, await ok<Comparison>(owner, `POST ${BASE}`, bodyOf(target(one), target(two))))
    const [first = '', second = ''] = idsOf(made)
    expect((await resultsOf(owner)).toSorted()).toEqual([first, second].toSorted())

    const chosen = await ok<Comparison>(owner, `POST ${BASE}/${made.id}/choose`, { sessionId: first })
    expect(chosen.chosenId).toBe(first)
    expect(chosen.targets.map(({ session }) => session?.archivedAt === null)).toEqual([true, false])
    expect(await resultsOf(owner)).toEqual([first])
    expect(await resultsOf(owner, '&archived=true')).toEqual([second])

    await ok(owner, `POST ${BASE}/${made.id}/choose`, { sessionId: second })
    expect(await resultsOf(owner)).toEqual([second])
    await ok(owner, `POST ${SESSIONS}/${first}/unarchive`)
    expect(await resultsOf(owner)).toHaveLength(2)
    expect(await ok<CodingSession>(owner, `POST ${SESSIONS}/${first}/archive`)).toMatchObject({ id: first })
  })

  it('is one of the tasks of the comparison, and of its user', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const [one, two] = [await agentOf(owner), await agentOf(owner)]
    const made = await ended(owner, await ok<Comparison>(owner, `POST ${BASE}`, bodyOf(target(one), target(two))))
    const [sessionId = ''] = idsOf(made)
    const choose = (who: Person, id: string) => refusal(who, `POST ${BASE}/${made.id}/choose`, { sessionId: id })
    expect(await choose(owner, randomUUID())).toEqual([404, 'NOT_FOUND'])
    expect(await choose(other, sessionId)).toEqual([404, 'NOT_FOUND'])
    await ok(owner, `POST /agents/${one}/shares`, { email: other.email })
    expect(await refusal(other, `POST ${SESSIONS}/${sessionId}/archive`)).toEqual([403, 'FORBIDDEN'])
  })
})
