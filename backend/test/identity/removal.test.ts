import type { Agent, AuditEvent } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../support/server/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../support/people/people.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'

const engine = new MemoryEngine()
const team = useTeam({ runtime: engine.runtime })
let count = 0
let leaver: Person
let heir: Person
/** Names of the agents that the deleted user owns. */
let names: string[]

const admin = (what: Call, body?: object) => as(team(), team().admin)(what, body)
const remove = (query = '') => admin(`DELETE /users/${leaver.id}${query}`)
const agentNamed = async (name: string) => (await admin(`GET /agents/${name}`)).json<Agent>()
const userOf = ({ id }: Person) => team().database.prisma.user.findUnique({ where: { id } })
const events = async (query: string) =>
  (await admin(`GET /audit?${query}`)).json<{ items: AuditEvent[] }>().items.map(({ action }) => action)

beforeEach(async () => {
  await systemAgentSettled(team())
  count += 1
  leaver = await addPerson(team(), team().admin, `leaver-${count}@example.org`)
  heir = await addPerson(team(), team().admin, `heir-${count}@example.org`)
  names = [`first-${count}`, `second-${count}`]
  for (const name of names) await as(team(), leaver)('POST /agents?wait=true', newAgent(name))
})

describe('a user who owns agents', () => {
  it('is not deleted until it is said what becomes of these', async () => {
    expect((await remove()).json()).toMatchObject({ statusCode: 409, code: 'OWNS_AGENTS' })
    expect(await userOf(leaver)).toMatchObject({ disabledAt: null })
  })

  it.each([
    ['?agents=handover', 400],
    ['?to=01900000-0000-7000-8000-000000000000', 400],
    ['?agents=delete&to=01900000-0000-7000-8000-000000000000', 400],
    ['?agents=handover&to=nobody', 400],
    ['?agents=keep', 400],
    ['?agents=handover&to=01900000-0000-7000-8000-000000000000', 404],
  ])('is not touched by a request with %s', async (query, status) => {
    expect((await remove(query)).statusCode).toBe(status)
    expect(await userOf(leaver)).toMatchObject({ disabledAt: null })
    expect((await agentNamed(names[0]!)).owner?.id).toBe(leaver.id)
  })

  it('does not hand over to themselves, nor to a disabled user', async () => {
    expect((await remove(`?agents=handover&to=${leaver.id}`)).json()).toMatchObject({ code: 'VALIDATION' })
    await admin(`PATCH /users/${heir.id}`, { disabled: true })
    expect((await remove(`?agents=handover&to=${heir.id}`)).json()).toMatchObject({ code: 'WRONG_STATE' })
    expect(await userOf(leaver)).toMatchObject({ disabledAt: null })
  })
})

describe('handing over', () => {
  it('gives all agents to the chosen user, as they run, and keeps the shares of others', async () => {
    const other = await addPerson(team(), team().admin, `other-${count}@example.org`)
    for (const { email } of [heir, other]) await as(team(), leaver)(`POST /agents/${names[0]}/shares`, { email })
    const before = await agentNamed(names[0]!)
    const page = await listen(team(), heir.token)
    expect((await remove(`?agents=handover&to=${heir.id}`)).statusCode).toBe(204)
    expect(await userOf(leaver)).toBeNull()
    await page.hears('the news of both', () => names.every((name) => page.about(name).length > 0))
    for (const name of names) {
      const { relation, owner, state, restartNeeded } = (
        await as(team(), heir)(`GET /agents/${name}` as Call)
      ).json<Agent>()
      const owned = { relation: 'owner', owner: { id: heir.id, email: heir.email } }
      expect({ relation, owner, state, restartNeeded }).toEqual({ ...owned, state: 'running', restartNeeded: false })
    }
    expect((await agentNamed(names[0]!)).stateSince).toBe(before.stateSince)
    const shares = (await as(team(), heir)(`GET /agents/${names[0]}/shares` as Call)).json<{ items: object[] }>().items
    expect(shares).toMatchObject([{ email: other.email }])
    expect((await as(team(), other)(`GET /agents/${names[0]}` as Call)).statusCode).toBe(200)
    page.socket.close()
  })

  it('closes the sockets of the deleted user, and is recorded with each agent', async () => {
    const page = await listen(team(), leaver.token)
    await remove(`?agents=handover&to=${heir.id}`)
    expect(await page.closed).toBe(4001)
    for (const name of names) expect(await events(`target=${name}&action=agent.handed_over`)).toHaveLength(1)
    expect(await events(`target=${leaver.id}`)).toEqual(expect.arrayContaining(['user.deleted', 'user.disabled']))
  })

  it('goes to an admin who deletes themselves only while another admin is left', async () => {
    const { admin: last } = team()
    const answer = await admin(`DELETE /users/${last.id}?agents=handover&to=${heir.id}`)
    expect(answer.json()).toMatchObject({ code: 'LAST_ADMIN' })
    expect(await userOf(last)).toMatchObject({ disabledAt: null })
  })
})

describe('deleting the agents, too,', () => {
  it('leaves nothing of them', async () => {
    const ids = await Promise.all(names.map(async (name) => (await agentNamed(name)).id))
    expect((await remove('?agents=delete')).statusCode).toBe(204)
    expect(ids.filter((id) => engine.has(id))).toEqual([])
    for (const name of names) expect((await admin(`GET /agents/${name}`)).statusCode).toBe(404)
    expect(await userOf(leaver)).toBeNull()
  })

  it('that fails half-way leaves a disabled user with what is left, and goes on where it stopped', async () => {
    const stuck = await agentNamed(names[1]!)
    engine.stuck.add(stuck.id)
    const page = await listen(team(), leaver.token)
    const answer = await remove('?agents=delete')
    expect(answer.json()).toMatchObject({ statusCode: 503, code: 'AGENTS_LEFT' })
    expect(answer.json<{ message: string }>().message).toContain(names[1]!)
    expect(answer.json<{ message: string }>().message).not.toContain(names[0]!)
    expect(await page.closed).toBe(4001)
    expect((await userOf(leaver))?.disabledAt).not.toBeNull()
    expect((await admin(`GET /agents/${names[0]}`)).statusCode).toBe(404)
    expect(await agentNamed(names[1]!)).toMatchObject({ owner: { id: leaver.id }, state: 'running' })
    expect((await call(team().app, 'GET /users/me', { token: leaver.token })).statusCode).toBe(401)

    engine.stuck.delete(stuck.id)
    expect((await remove('?agents=delete')).statusCode).toBe(204)
    expect(await userOf(leaver)).toBeNull()
    expect(engine.has(stuck.id)).toBe(false)
  })

  it('can become handing over when it failed half-way', async () => {
    const stuck = await agentNamed(names[1]!)
    engine.stuck.add(stuck.id)
    await remove('?agents=delete')
    expect((await remove(`?agents=handover&to=${heir.id}`)).statusCode).toBe(204)
    engine.stuck.delete(stuck.id)
    expect((await agentNamed(names[1]!)).owner?.id).toBe(heir.id)
  })

  it('asked for twice at once deletes once, and breaks nothing', async () => {
    const answers = await Promise.all([remove('?agents=delete'), remove('?agents=delete')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 404])
    expect(await userOf(leaver)).toBeNull()
  })

  it('does not let an agent through that is made in the same moment', async () => {
    const name = `late-${count}`
    const [made, removed] = await Promise.all([
      as(team(), leaver)('POST /agents?wait=true', newAgent(name)),
      remove('?agents=delete'),
    ])
    const isThere = (await admin(`GET /agents/${name}`)).statusCode === 200
    // The new agent came too late, or was deleted, too, or prevented the deletion of its owner.
    if (made.statusCode !== 201) expect(isThere).toBe(false)
    if (removed.statusCode === 204) expect(isThere).toBe(false)
    else expect(removed.json()).toMatchObject({ code: expect.stringMatching(/OWNS_AGENTS|AGENTS_LEFT/) as string })
    if (removed.statusCode !== 204) expect((await remove('?agents=delete')).statusCode).toBe(204)
  })
})
