import { randomUUID } from 'node:crypto'
import type { AuditEvent, CodingResults, CodingSession, Schedule } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../../../../test/support/people/people.ts'
import { newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../lib/time/clock.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const BASE = '/coding-agents/schedules'
const DAILY = { name: 'Nightly', cron: '0 9 * * *', prompt: 'Say hello' }

/** The user with a sign-in from the present time of the clock, which leaves older ones behind. */
const fresh = async (person: Person): Promise<Person> => {
  const { identity, database, clock } = team()
  const key = `${person.id} ${clock.now()}`
  const known = tokens.get(key)
  if (known !== undefined) return { ...person, token: known }
  const user = await database.prisma.user.findUniqueOrThrow({ where: { id: person.id } })
  const { body } = await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })
  tokens.set(key, body.accessToken)
  return { ...person, token: body.accessToken }
}
const tokens = new Map<string, string>()
const send = async (person: Person, what: Call, body?: object) =>
  call(team().app, what, { token: (await fresh(person)).token, body })
const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await send(person, what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return (response.body === '' ? null : response.json()) as T
}
const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string, string]> => {
  const response = await send(person, what, body)
  const { code, message } = response.json<{ code: string; message: string }>()
  return [response.statusCode, code, message]
}
const admin = (): Promise<Person> => fresh(team().admin)
const someUser = async (): Promise<Person> => addPerson(team(), await admin(), `${randomUUID()}@example.org`)
const agentOf = async (owner: Person): Promise<string> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  await ok(owner, 'POST /agents?wait=true', newAgent(name))
  return name
}
const scheduleOf = async (owner: Person, more: object = {}): Promise<Schedule> =>
  ok(owner, `POST ${BASE}`, { ...DAILY, agent: await agentOf(owner), ...more })
const get = (owner: Person, { id }: { id: string }): Promise<Schedule> => ok(owner, `GET ${BASE}/${id}`)
/** Moves the clock to its next time, and some milliseconds more. */
const arrive = async (owner: Person, schedule: { id: string }, late = SECOND_MS): Promise<void> => {
  const [next = ''] = (await get(owner, schedule)).nextRuns
  team().clock.advance(Date.parse(next) + late - team().clock.now())
}
/** Resolves when its first time is another one. */
const passed = (owner: Person, before: Schedule): Promise<Schedule> =>
  until('the time to pass', async () => {
    const now = await get(owner, before)
    return now.nextRuns[0] !== before.nextRuns[0] && now
  })
const resultsOf = async (owner: Person, { id }: { id: string }, total: number): Promise<CodingResults> =>
  until('the results', async () => {
    const results = await ok<CodingResults>(owner, `GET /coding-agents/results?schedule=${id}`)
    // A run may end between the reading of the list and the counting.
    return results.total === total && results.items.length === total && results
  })
const disabledRow = async ({ id }: { id: string }): Promise<AuditEvent | undefined> =>
  (await auditOf(team(), await admin())).find(
    ({ action, target }) => action === 'schedule.disabled' && target?.id === id,
  )

describe('a schedule', () => {
  it('is stored with its next times, and changed', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const body = { ...DAILY, timezone: 'Europe/Berlin', missed: 'run_once', timeout_seconds: 60, model: 'opus' }
    const schedule = await ok<Schedule>(owner, `POST ${BASE}`, body)
    expect(schedule).toMatchObject({ agent, name: 'Nightly', missed: 'run_once', timeoutSeconds: 60, model: 'opus' })
    expect(schedule).toMatchObject({ enabled: true, lastRun: null, lastSkipped: null, provider: null, cwd: null })
    expect(schedule.nextRuns).toHaveLength(5)
    const preview = await ok(owner, `POST ${BASE}/preview`, { cron: DAILY.cron, timezone: 'Europe/Berlin' })
    expect(preview).toEqual({ nextRuns: schedule.nextRuns })
    const off = await ok<Schedule>(owner, `PATCH ${BASE}/${schedule.id}`, { enabled: false, model: null })
    expect(off).toMatchObject({ enabled: false, nextRuns: [], model: null, timeoutSeconds: 60 })
    const on = await ok<Schedule>(owner, `PATCH ${BASE}/${schedule.id}`, { enabled: true, cron: '30 9 * * *' })
    expect(on.nextRuns).toHaveLength(5)
    expect(on.nextRuns[0]).not.toBe(schedule.nextRuns[0])
    expect(await ok(owner, `GET ${BASE}`)).toEqual([on])
    await ok(owner, `DELETE ${BASE}/${schedule.id}`)
    expect(await ok(owner, `GET ${BASE}`)).toEqual([])
  })

  it('is refused if it cannot run, and belongs to its user alone', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const schedule = await scheduleOf(owner)
    const refused = (more: object) => refusal(owner, `POST ${BASE}`, { ...DAILY, agent: schedule.agent, ...more })
    expect((await refused({ cron: '* * * * *' }))[2]).toContain('every 5 minutes at most')
    expect((await refused({ timezone: 'Nowhere/City' }))[2]).toContain('body.timezone')
    expect((await refused({ provider: 'custom:none' }))[2]).toContain('body.provider')
    expect((await refused({ agent: 'no-such-agent' }))[0]).toBe(404)
    expect((await refusal(owner, `POST ${BASE}/preview`, { cron: 'at night' }))[1]).toBe('VALIDATION')
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { name: 'Mine' }]] as const)
      expect((await refusal(other, `${method} ${BASE}/${schedule.id}`, body))[0]).toBe(404)
    expect((await refusal(other, `POST ${BASE}/${schedule.id}/run`))[0]).toBe(404)
    for (let count = 1; count < 20; count += 1) await ok(owner, `POST ${BASE}`, { ...DAILY, agent: schedule.agent })
    expect((await refused({})).slice(0, 2)).toEqual([409, 'TOO_MANY_SCHEDULES'])
  })

  it('is made once by a request that is sent again with its key, while its user may still use the agent', async () => {
    const [owner, colleague] = [await someUser(), await someUser()]
    const agent = await agentOf(owner)
    await ok(owner, `POST /agents/${agent}/shares`, { email: colleague.email })
    const post = async (name = 'Once') => {
      const { token } = await fresh(colleague)
      return call(team().app, `POST ${BASE}`, {
        ...{ token, body: { ...DAILY, name, agent }, headers: { 'idempotency-key': 'once' } },
      })
    }
    const [first, again] = [await post(), await post()]
    expect([first.statusCode, again.statusCode, again.body]).toEqual([201, 201, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await ok<Schedule[]>(colleague, `GET ${BASE}`)).toHaveLength(1)
    expect((await post('Another')).json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    await ok(owner, `DELETE /agents/${agent}/shares/${colleague.id}`)
    expect((await post()).statusCode).toBe(404)
  })

  it('is counted in the metrics, with what became of its times', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner)
    const metric = async (name: string): Promise<number> => {
      const body = (await send(await admin(), 'GET /metrics')).body
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1])
    }
    const enabled = await metric('slipway_schedules{state="enabled"}')
    const runs = await metric('slipway_schedule_times_total{outcome="run"}')
    await arrive(owner, schedule)
    await passed(owner, schedule)
    expect(await metric('slipway_schedule_times_total{outcome="run"}')).toBeGreaterThan(runs)
    await ok(owner, `PATCH ${BASE}/${schedule.id}`, { enabled: false })
    expect(await metric('slipway_schedules{state="enabled"}')).toBe(enabled - 1)
    expect(await metric('slipway_schedules{state="disabled"}')).toBeGreaterThan(0)
  })

  it('with a long prompt is listed with the beginning of it', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner, { prompt: 'é'.repeat(100_000) })
    expect((await get(owner, schedule)).prompt).toHaveLength(100_000)
    const listed = await ok<Schedule[]>(owner, `GET ${BASE}`)
    expect(listed.map(({ id, prompt }) => [id, prompt])).toEqual([[schedule.id, `${'é'.repeat(1000)}…`]])
    await ok(owner, `DELETE ${BASE}/${schedule.id}`)
  })

  it('makes one run at its time', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner)
    await arrive(owner, schedule)
    const after = await passed(owner, schedule)
    expect(after.nextRuns.slice(0, 4)).toEqual(schedule.nextRuns.slice(1))
    const { items } = await resultsOf(owner, schedule, 1)
    const { lastRun, lastSkipped } = await get(owner, schedule)
    expect(lastRun).toMatchObject({ id: items[0]?.id, reason: items[0]?.reason })
    expect(lastSkipped).toBeNull()
    const session = await ok<CodingSession>(owner, `GET /coding-agents/sessions/${items[0]?.id}`)
    expect(session).toMatchObject({ scheduleId: schedule.id, agent: schedule.agent, prompt: DAILY.prompt })
    // The clock is set back, and the same time comes again.
    team().clock.advance(-HOUR_MS)
    const again = await passed(owner, after)
    expect(again.nextRuns).toEqual(schedule.nextRuns)
    await arrive(owner, schedule)
    await passed(owner, again)
    await resultsOf(owner, schedule, 1)
    await ok(owner, `DELETE ${BASE}/${schedule.id}`)
    expect(await ok(owner, `GET /coding-agents/sessions/${items[0]?.id}`)).toMatchObject({ scheduleId: null })
  })

  it('runs at its next time after the clock ran ahead for a day and was set back', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner, { cron: '0 * * * *' })
    team().clock.advance(DAY_MS)
    const ahead = await passed(owner, schedule)
    team().clock.advance(-DAY_MS)
    expect((await passed(owner, ahead)).nextRuns).toEqual(schedule.nextRuns)
    await arrive(owner, schedule)
    await resultsOf(owner, schedule, 1)
    await ok(owner, `DELETE ${BASE}/${schedule.id}`)
  })

  it('runs now, but not beside a run of its own, and says why a time made no run', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner)
    await ok(owner, `POST /agents/${schedule.agent}/stop?wait=true`)
    const run = await ok<CodingSession>(owner, `POST ${BASE}/${schedule.id}/run`)
    expect(run).toMatchObject({ state: 'queued', scheduleId: schedule.id })
    const [status, code, message] = await refusal(owner, `POST ${BASE}/${schedule.id}/run`)
    expect([status, code]).toEqual([409, 'WRONG_STATE'])
    await arrive(owner, schedule)
    const { lastRun, lastSkipped } = await passed(owner, schedule)
    expect(lastRun).toMatchObject({ id: run.id, state: 'queued' })
    expect(lastSkipped).toEqual({ at: schedule.nextRuns[0], because: message })
    expect(message).toBe('An earlier run of this schedule is still active.')
    await ok(owner, `DELETE /coding-agents/sessions/${run.id}`)
    await ok(owner, `DELETE ${BASE}/${schedule.id}`)
  })

  it('skips the times that the server missed, or makes one run for all of them', async () => {
    const owner = await someUser()
    const skips = await scheduleOf(owner)
    const runs = await ok<Schedule>(owner, `POST ${BASE}`, { ...DAILY, agent: skips.agent, missed: 'run_once' })
    team().clock.advance(3 * DAY_MS + HOUR_MS)
    const [, , last = ''] = skips.nextRuns
    expect(await passed(owner, skips)).toMatchObject({
      lastRun: null,
      lastSkipped: { because: 'The server did not run at this time.' },
    })
    await passed(owner, runs)
    await resultsOf(owner, runs, 1)
    await resultsOf(owner, skips, 0)
    const { prisma } = team().database
    const stored = await prisma.codingRun.findMany({ where: { scheduleId: runs.id } })
    expect(stored.map(({ scheduledFor }) => scheduledFor?.toISOString())).toEqual([last])
    for (const { id } of [skips, runs]) await ok(owner, `DELETE ${BASE}/${id}`)
  })
})

describe('the right of a schedule', () => {
  it('is lost with the share: it is switched off, and only a user with the right switches it on', async () => {
    const [owner, sharee] = [await someUser(), await someUser()]
    const agent = await agentOf(owner)
    await ok(owner, `POST /agents/${agent}/shares`, { email: sharee.email })
    const schedule = await ok<Schedule>(sharee, `POST ${BASE}`, { ...DAILY, agent })
    await ok(owner, `DELETE /agents/${agent}/shares/${sharee.id}`)
    const off = await until('the schedule to be switched off', async () => {
      const now = await get(sharee, schedule)
      return !now.enabled && now
    })
    const because = 'Its user may no longer start tasks in this agent.'
    expect(off).toMatchObject({ nextRuns: [], disabledBecause: because })
    expect(await disabledRow(schedule)).toMatchObject({ actor: { via: 'platform' }, detail: { because } })
    expect((await refusal(sharee, `PATCH ${BASE}/${schedule.id}`, { enabled: true }))[0]).toBe(404)
    expect((await refusal(sharee, `POST ${BASE}/${schedule.id}/run`))[0]).toBe(404)
    await ok(owner, `POST /agents/${agent}/shares`, { email: sharee.email })
    const on = await ok<Schedule>(sharee, `PATCH ${BASE}/${schedule.id}`, { enabled: true })
    expect(on).toMatchObject({ enabled: true, disabledBecause: null })
    await ok(sharee, `DELETE ${BASE}/${schedule.id}`)
  })

  it('is that of the API token that made or changed it last', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const token = await ok<{ id: string; token: string }>(owner, 'POST /tokens', {
      name: 'ci',
      scopes: ['tasks:read', 'tasks:write'],
    })
    const byToken = async (what: Call, body: object): Promise<Schedule> =>
      (await call(team().app, what, { token: token.token, body })).json<Schedule>()
    const made = await byToken(`POST ${BASE}`, { ...DAILY, agent })
    const taken = await byToken(`POST ${BASE}`, { ...DAILY, agent })
    const given = await ok<Schedule>(owner, `POST ${BASE}`, { ...DAILY, agent })
    await ok(owner, `PATCH ${BASE}/${taken.id}`, { name: 'By its user now' })
    await byToken(`PATCH ${BASE}/${given.id}`, { name: 'By the token now' })
    await ok(owner, `DELETE /tokens/${token.id}`)
    for (const one of [made, given]) {
      const off = await until('the schedule to be switched off', async () => {
        const now = await get(owner, one)
        return !now.enabled && now
      })
      expect(off.disabledBecause).toContain('API token')
    }
    expect(await get(owner, taken)).toMatchObject({ enabled: true })
    await ok(owner, `DELETE ${BASE}/${taken.id}`)
  })

  it('is asked for at each time, also if no loss was heard of', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner)
    const { prisma } = team().database
    await prisma.schedule.update({ where: { id: schedule.id }, data: { viaId: randomUUID(), via: 'api_token' } })
    await arrive(owner, schedule)
    expect(await passed(owner, schedule)).toMatchObject({ enabled: false, lastRun: null })
  })

  it('ends with the agent', async () => {
    const owner = await someUser()
    const schedule = await scheduleOf(owner)
    await ok(owner, `DELETE /agents/${schedule.agent}?wait=true`)
    await until('the schedule to be gone', async () => (await ok<Schedule[]>(owner, `GET ${BASE}`)).length === 0)
    expect((await refusal(owner, `GET ${BASE}/${schedule.id}`))[0]).toBe(404)
  })
})
