import { randomUUID } from 'node:crypto'
import { type Dashboard, DASHBOARD_LISTED, type Scope } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { countStatements } from '../../../test/support/database/statements.ts'
import { addPerson, call, type Person } from '../../../test/support/people/people.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time/clock.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
/** Statements of one look, with those that authenticate the caller. */
const STATEMENTS_MAX = 20

interface Some {
  readonly id: string
  readonly name: string
}

const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)
const agentOf = async (owner: Person, sharedWith?: Person): Promise<Some> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  const { id } = (await as(team(), owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  if (sharedWith) await as(team(), owner)(`POST /agents/${name}/shares`, { email: sharedWith.email })
  return { id, name }
}
const ago = (ms: number): Date => new Date(team().clock.now() - ms)
const runOf = async (by: Person, agent: Some | null, more: object = {}): Promise<string> => {
  const id = randomUUID()
  const of = { id, sessionId: id, agentId: agent?.id ?? null, agentName: agent?.name ?? 'gone', userId: by.id }
  const facts = { provider: 'claude-code', prompt: 'Do it', cwd: '/home/developer', timeoutSeconds: 300 }
  // Not yet: the line would start a task in the middle of a test.
  const continuesAt = new Date(team().clock.now() + HOUR_MS)
  const when = { createdAt: ago(2 * HOUR_MS), continuesAt, personal: false, state: 'queued' }
  await team().database.prisma.codingRun.create({ data: { ...of, ...facts, ...when, ...more } })
  return id
}
const endedRun = (by: Person, agent: Some | null, ms: number, more: object = {}): Promise<string> =>
  runOf(by, agent, { state: 'completed', reason: 'completed', endedAt: ago(ms), ...more })

const look = async (by: Person, query = ''): Promise<Dashboard> => {
  const answer = await as(team(), by)(`GET /dashboard${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Dashboard>()
}
const idsOf = ({ items }: { items: readonly { id: string }[] }): string[] => items.map(({ id }) => id)
const ask = async (by: Person, { name: agent }: Some, title: string): Promise<string> =>
  (await as(team(), by)('POST /dialogs', { agent, title, question: { kind: 'confirm' } })).json<{ id: string }>().id
const withToken = async (by: Person, scopes: readonly Scope[]): Promise<Person> => {
  const { token } = (await as(team(), by)('POST /tokens', { name: 'look', scopes })).json<{ token: string }>()
  return { ...by, token }
}

describe('the dashboard', () => {
  it('of a new user is empty', async () => {
    const user = await someUser()
    const { needsYou, active, ended, agents, today, schedules } = await look(user)
    expect([needsYou, active, schedules]).toEqual([needsYou, active, schedules].map(() => ({ items: [], total: 0 })))
    expect(ended).toEqual({ items: [], total: 0, since: ago(24 * HOUR_MS).toISOString() })
    expect(agents?.total).toBe(0)
    expect(today).toMatchObject({ tasks: 0, tasksWithoutCost: 0, costUsd: null, estimatedUsd: 0 })
  })

  it('has the tasks of its user and those in their agents, and of others none', async () => {
    const [owner, guest] = [await someUser(), await someUser()]
    const [agent, other] = [await agentOf(owner, guest), await agentOf(guest)]
    const queued = await runOf(owner, agent)
    const guests = await runOf(guest, agent, { state: 'running', asksSince: new Date(), createdAt: ago(HOUR_MS) })
    await runOf(guest, other)
    const failed = { state: 'failed', reason: 'exit_code', error: `It failed.${'x'.repeat(1000)}` }
    const first = await endedRun(owner, agent, 3 * MINUTE_MS, failed)
    const last = await endedRun(owner, null, MINUTE_MS)
    await endedRun(owner, agent, MINUTE_MS, { archivedAt: new Date() })
    await endedRun(owner, agent, 25 * HOUR_MS)
    const { active, ended } = await look(owner)
    expect([idsOf(active), active.total]).toEqual([[guests, queued], 2])
    expect(active.items[0]).toMatchObject({ state: 'waiting', waitsFor: 'person', agent: agent.name, userId: guest.id })
    expect([idsOf(ended), ended.total]).toEqual([[last, first], 2])
    expect(ended.items[0]?.agent).toBeNull()
    expect(ended.items[1]?.error).toHaveLength(300)
    expect(idsOf((await look(guest)).active)).toHaveLength(2)
    // An admin has a dashboard of their own, not that of the whole platform.
    expect(idsOf((await look(team().admin)).active)).toEqual([])
    await as(team(), owner)(`DELETE /agents/${agent.name}/shares/${guest.id}`)
    expect(idsOf((await look(guest)).active)).not.toContain(guests)
  })

  it('has the questions that its user should answer, the oldest first', async () => {
    const [owner, guest] = [await someUser(), await someUser()]
    const agent = await agentOf(owner, guest)
    const guests = await ask(guest, agent, 'Mine?')
    const owners = await ask(owner, agent, 'Yours?')
    expect(idsOf((await look(owner)).needsYou)).toEqual([guests, owners])
    // A guest sees what others are asked, but it does not wait for them.
    expect((await look(guest)).needsYou).toMatchObject({ items: [{ id: guests, title: 'Mine?' }], total: 1 })
    expect(idsOf((await look(team().admin)).needsYou)).not.toContain(owners)
    await as(team(), owner)(`POST /dialogs/${owners}/answer`, { value: true })
    expect(idsOf((await look(owner)).needsYou)).toEqual([guests])
  })

  it('forgets ended tasks once they are marked as seen, and never moves back', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const [early, late] = [await endedRun(owner, agent, 10 * MINUTE_MS), await endedRun(owner, agent, MINUTE_MS)]
    const mark = (until: Date) => as(team(), owner)('PUT /dashboard/seen', { until: until.toISOString() })
    expect((await mark(ago(5 * MINUTE_MS))).statusCode).toBe(204)
    expect(idsOf((await look(owner)).ended)).toEqual([late])
    await mark(ago(60 * MINUTE_MS))
    const { ended } = await look(owner)
    expect([idsOf(ended), ended.since]).toEqual([[late], ago(5 * MINUTE_MS).toISOString()])
    expect(idsOf(ended)).not.toContain(early)
    // A page whose clock is wrong does not hide what will end.
    await mark(new Date(team().clock.now() + HOUR_MS))
    expect((await look(owner)).ended).toMatchObject({ items: [], since: ago(0).toISOString() })
    expect((await as(team(), owner)('PUT /dashboard/seen', { until: 'now' })).statusCode).toBe(400)
  })

  it('sums up what tasks cost since the beginning of the day of its user', async () => {
    const [owner, guest] = [await someUser(), await someUser()]
    const agent = await agentOf(owner, guest)
    const used = async (by: Person, ms: number, costUsd: number | null, estimated = false): Promise<void> => {
      const of = { runId: randomUUID(), model: 'm', provider: 'codex', agentId: agent.id, agentName: agent.name }
      const more = { userId: by.id, costUsd, estimated, endedAt: ago(ms) }
      await team().database.prisma.runUsage.create({ data: { ...of, ...more } })
    }
    await used(owner, MINUTE_MS, 0.5)
    await used(guest, 2 * MINUTE_MS, 0.25, true)
    await used(owner, 3 * MINUTE_MS, null)
    await used(owner, 2 * HOUR_MS, 4)
    const dayFrom = ago(HOUR_MS).toISOString()
    const today = { from: dayFrom, tasks: 3, tasksWithoutCost: 1, costUsd: 0.75, estimatedUsd: 0.25 }
    expect((await look(owner, `?dayFrom=${dayFrom}`)).today).toEqual(today)
    expect((await look(guest, `?dayFrom=${dayFrom}`)).today).toMatchObject({ tasks: 1, costUsd: 0.25 })
    expect((await look(owner)).today.from).toMatch(/T00:00:00\.000Z$/)
    expect((await as(team(), owner)('GET /dashboard?dayFrom=today')).statusCode).toBe(400)
  })

  it('has the schedules that start a task next', async () => {
    const owner = await someUser()
    const { name: agent } = await agentOf(owner)
    const schedule = (name: string, cron: string, more: object = {}) =>
      as(team(), owner)('POST /coding-agents/schedules', { name, agent, cron, prompt: 'Look', ...more })
    await schedule('yearly', '0 0 1 1 *')
    await schedule('hourly', '0 * * * *', { timezone: 'Europe/Berlin' })
    await schedule('off', '0 * * * *', { enabled: false })
    const { schedules } = await look(owner)
    expect(schedules.total).toBe(2)
    expect(schedules.items).toMatchObject([
      { name: 'hourly', agent, timezone: 'Europe/Berlin' },
      { name: 'yearly', agent, timezone: 'UTC' },
    ])
  })

  it('counts agents by their state, for an API token only with the scope for it', async () => {
    const [owner, guest] = [await someUser(), await someUser()]
    await agentOf(owner, guest)
    const { name } = await agentOf(owner)
    await as(team(), owner)(`POST /agents/${name}/stop`)
    expect((await look(owner)).agents).toMatchObject({ total: 2, byState: { running: 1, stopped: 1, failed: 0 } })
    expect((await look(guest)).agents?.total).toBe(1)
    expect((await look(await withToken(owner, ['tasks:read', 'agents:read']))).agents?.total).toBe(2)
    expect((await look(await withToken(owner, ['tasks:read']))).agents).toBeNull()
  })

  it('shows an API token no task that holds a credential of its user', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const personal = await runOf(owner, agent, { personal: true })
    const open = await runOf(owner, agent, { createdAt: ago(3 * HOUR_MS) })
    expect(idsOf((await look(owner)).active)).toEqual([personal, open])
    expect((await look(await withToken(owner, ['tasks:read']))).active).toMatchObject({
      items: [{ id: open }],
      total: 1,
    })
  })

  it('is bounded, and costs the same number of statements however much there is', async () => {
    const statements = countStatements()
    try {
      const owner = await someUser()
      const counted = async (): Promise<number> => {
        const tries: number[] = []
        // The first may fill a cache.
        for (let at = 0; at < 4; at += 1) {
          statements.all()
          await call(team().app, 'GET /dashboard', { token: owner.token })
          tries.push(statements.ofRequests())
        }
        return Math.min(...tries)
      }
      const before = await counted()
      const agent = await agentOf(owner)
      for (let at = 0; at < DASHBOARD_LISTED + 3; at += 1) {
        await runOf(owner, agent, { prompt: 'p'.repeat(5000) })
        await endedRun(owner, agent, MINUTE_MS)
        await ask(owner, agent, `Question ${at}`)
      }
      const { active, ended, needsYou } = await look(owner)
      for (const list of [active, ended, needsYou])
        expect([list.items.length, list.total]).toEqual([DASHBOARD_LISTED, DASHBOARD_LISTED + 3])
      expect(active.items[0]?.prompt).toMatch(/^p{1000}…$/)
      expect(await counted()).toBe(before)
      expect(before).toBeLessThan(STATEMENTS_MAX)
    } finally {
      statements.restore()
    }
  })
})
