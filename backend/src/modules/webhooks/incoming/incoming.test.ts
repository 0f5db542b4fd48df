import { createHmac, randomUUID } from 'node:crypto'
import {
  type CreatedIncomingHook,
  type HookReceipt,
  INCOMING_BODY_BYTES,
  INCOMING_PER_MINUTE,
  type IncomingHook,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { LightMyRequestResponse } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../../../../test/support/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/team.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'

const lines: string[] = []
const team = useTeam({ runtime: new MemoryEngine().runtime, logStream: { write: (line) => void lines.push(line) } })
afterEach(async () => {
  const { incomingHook, codingRun } = team().database.prisma
  await incomingHook.deleteMany()
  await codingRun.deleteMany({ where: { state: 'queued' } })
})

const BASE = '/incoming-webhooks'
const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await as(team(), person)(what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return (response.body === '' ? null : response.json()) as T
}
const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string, string]> => {
  const response = await as(team(), person)(what, body)
  const { code, message } = response.json<{ code: string; message: string }>()
  return [response.statusCode, code, message]
}
const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)
/** A stopped agent, in which tasks wait. */
const agentOf = async (owner: Person): Promise<string> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  await ok(owner, 'POST /agents?wait=true', newAgent(name))
  await ok(owner, `POST /agents/${name}/stop?wait=true`)
  return name
}
const TEMPLATE = 'Look at {{issue.title}} of {{repository.full_name}}'
const hookOf = async (owner: Person, more: object = {}): Promise<CreatedIncomingHook> => {
  const fields = { name: 'Issues', source: 'github', prompt: TEMPLATE, ...more }
  return ok(owner, `POST ${BASE}`, { agent: await agentOf(owner), ...fields })
}
const get = (owner: Person, { id }: { id: string }) => ok<IncomingHook>(owner, `GET ${BASE}/${id}`)
const post = (address: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  team().app.inject({ method: 'POST', url: `/api/hooks/${address}`, payload: body, headers })
const sign = (secret: string | null, body: string): string =>
  `sha256=${createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex')}`

const PAYLOAD = JSON.stringify({ issue: { title: 'It fails' }, repository: { full_name: 'acme/rocket' } })
/** A call as GitHub makes it. */
const github = (hook: CreatedIncomingHook, more: Record<string, string> = {}, body = PAYLOAD) =>
  post(hook.id, body, {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': sign(hook.secret, body),
    ...more,
  })
const receiptOf = (response: LightMyRequestResponse): HookReceipt => {
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json<HookReceipt>()
}
const runsOf = ({ id: userId }: Person) => team().database.prisma.codingRun.findMany({ where: { userId } })

describe('an incoming webhook', () => {
  it('starts a task of its user from its template, once for each delivery, and says so in the audit log', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner, { events: ['issues'], provider: 'codex', max_budget_usd: 2 })
    expect(hook.url.endsWith(`/api/hooks/${hook.id}`)).toBe(true)
    const { taskId, ignored } = receiptOf(await github(hook))
    expect(ignored).toBeNull()
    const [run, ...others] = await runsOf(owner)
    expect(others).toEqual([])
    expect(run).toMatchObject({ id: taskId, state: 'queued', provider: 'codex', maxBudgetUsd: 2, userId: owner.id })
    expect(run?.prompt).toBe('Look at It fails of acme/rocket')
    // GitHub, or a stranger with a copy, sends it again.
    expect(receiptOf(await github(hook))).toEqual({ taskId, ignored: null })
    const both = await Promise.all([1, 2].map(() => github(hook, {}, PAYLOAD.replace('It fails', 'It fails again'))))
    expect(new Set(both.map((one) => receiptOf(one).taskId)).size).toBe(1)
    expect(await runsOf(owner)).toHaveLength(2)
    expect((await get(owner, hook)).lastCall).toMatchObject({ taskId: expect.any(String), refused: null })
    const row = (await auditOf(team(), team().admin)).find(
      ({ action, detail }) => action === 'task.queued' && detail['sessionId'] === taskId,
    )
    expect(row).toMatchObject({ actor: { email: owner.email, via: 'platform', address: '127.0.0.1' } })
    expect(row?.detail).toMatchObject({ taskId, webhookId: hook.id, webhook: 'Issues' })
  })

  it('takes the token of GitLab, and the secret in the address', async () => {
    const owner = await someUser()
    const gitlab = await hookOf(owner, { source: 'gitlab', events: ['Issue Hook'] })
    const headers = { 'x-gitlab-token': gitlab.secret ?? '', 'x-gitlab-event': 'Issue Hook', 'idempotency-key': 'one' }
    const first = receiptOf(await post(gitlab.id, PAYLOAD, headers))
    expect(receiptOf(await post(gitlab.id, PAYLOAD, headers))).toEqual(first)
    expect(receiptOf(await post(gitlab.id, PAYLOAD, { ...headers, 'idempotency-key': 'two' })).taskId).not.toBe(
      first.taskId,
    )
    const other = await hookOf(owner, { source: 'url', prompt: 'Build it' })
    expect(other.secret).toBeNull()
    const address = other.url.split('/hooks/')[1] ?? ''
    const sent = [await post(address, ''), await post(address, '{}'), await post(address, '[1]')]
    expect(new Set(sent.map((one) => receiptOf(one).taskId)).size).toBe(3)
    expect(await runsOf(owner)).toHaveLength(5)
    // No line of the log has the address.
    expect(lines.join('\n')).not.toContain(address.split('.')[1])
    expect(lines.join('\n')).not.toContain(gitlab.secret)
  })

  it('starts nothing for another event, and answers the ping of GitHub', async () => {
    const owner = await someUser()
    const some = await hookOf(owner, { events: ['issues'] })
    const all = await hookOf(owner)
    expect(receiptOf(await github(some, { 'x-github-event': 'push' }))).toMatchObject({ taskId: null })
    // It says that the address and the secret are right. Later ones do not hide the last task.
    expect((await get(owner, some)).lastCall).toMatchObject({ taskId: null, refused: expect.stringContaining('push') })
    const { taskId } = receiptOf(await github(some))
    receiptOf(await github(some, { 'x-github-event': 'push' }))
    expect((await get(owner, some)).lastCall).toMatchObject({ taskId, refused: null })
    await team().database.prisma.codingRun.deleteMany({ where: { userId: owner.id } })
    expect(receiptOf(await github(all, { 'x-github-event': 'ping' }))).toMatchObject({ taskId: null })
    expect(await runsOf(owner)).toEqual([])
    expect(receiptOf(await github(all, { 'x-github-event': 'push' })).taskId).not.toBeNull()
  })

  it('tells nothing to a stranger: one answer for a wrong secret, a missing one, and a webhook that is not there', async () => {
    const owner = await someUser()
    const [hook, off] = [await hookOf(owner), await hookOf(owner, { enabled: false })]
    const other = await hookOf(owner, { source: 'url' })
    const valid = { 'x-hub-signature-256': sign(hook.secret, PAYLOAD) }
    const answers = await Promise.all([
      post(hook.id, PAYLOAD),
      post(hook.id, PAYLOAD, { 'x-hub-signature-256': sign('another', PAYLOAD) }),
      post(hook.id, `${PAYLOAD} `, valid),
      post(hook.id, 'no JSON'),
      post(`${hook.id}.${hook.secret}`, PAYLOAD),
      post(randomUUID(), PAYLOAD, valid),
      post('nonsense', PAYLOAD),
      post(`${hook.id}%00`, PAYLOAD, valid),
      post(other.id, PAYLOAD, { 'x-hub-signature-256': sign('', PAYLOAD) }),
      post(`${other.id}.`, PAYLOAD),
      github(off),
    ])
    const bodies = new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))
    expect([...bodies]).toEqual([expect.stringMatching(/^404 .*NOT_FOUND/)])
    expect(await runsOf(owner)).toEqual([])
    // A right that another user has does not help.
    expect((await refusal(team().stranger, `GET ${BASE}/${hook.id}`))[0]).toBe(404)
    expect((await refusal(team().stranger, `POST ${BASE}/${hook.id}/rotate`))[0]).toBe(404)
  })

  it('bounds what comes in, and takes JSON only', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const large = await post(hook.id, Buffer.alloc(INCOMING_BODY_BYTES + 1, 'x'))
    expect(large.statusCode).toBe(413)
    const form = await github(hook, { 'content-type': 'application/x-www-form-urlencoded' }, 'payload=%7B%7D')
    expect(form.json()).toMatchObject({ statusCode: 400, message: expect.stringContaining('application/json') })
    expect((await get(owner, hook)).lastCall).toMatchObject({ taskId: null, refused: expect.stringContaining('JSON') })
    const deep = `{"issue":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    expect(receiptOf(await github(hook, {}, deep)).taskId).not.toBeNull()
    const whole = await hookOf(owner, { prompt: 'Look at {{issue}}{{issue}}' })
    expect((await github(whole, {}, deep)).json()).toMatchObject({ message: 'The payload is nested too deeply.' })
    const polluting = '{"__proto__":{"issue":{"title":"x"}},"constructor":{"prototype":{"a":1}}}'
    expect(receiptOf(await github(hook, {}, polluting)).taskId).not.toBeNull()
    expect((await runsOf(owner)).map(({ prompt }) => prompt)).toEqual(['Look at  of ', 'Look at  of '])
  })

  it('lets no payload choose anything but words of the prompt', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const title = '\u0000--model evil\r\n/login {{repository.full_name}} $& `id` @/etc/passwd'
    const body = JSON.stringify({
      issue: { title },
      repository: { full_name: 'acme/rocket' },
      ...{ agent: 'other', provider: 'bash', cwd: '/', model: 'evil', queue: false, resume: randomUUID() },
    })
    receiptOf(await github(hook, {}, body))
    const [run] = await runsOf(owner)
    expect(run).toMatchObject({ provider: 'claude-code', cwd: '/home/developer', model: null, resumed: null })
    expect(run?.prompt).toBe(
      'Look at --model evil\n/login {{repository.full_name}} $& `id` @/etc/passwd of acme/rocket',
    )
  })

  it(`takes ${INCOMING_PER_MINUTE} calls in a minute, without those of strangers and those that start no task`, async () => {
    const owner = await someUser()
    const hook = await hookOf(owner, { events: ['issues'] })
    for (let count = 0; count < INCOMING_PER_MINUTE; count += 1) await post(hook.id, PAYLOAD)
    for (let count = 0; count <= INCOMING_PER_MINUTE; count += 1)
      expect(receiptOf(await github(hook, { 'x-github-event': 'push' })).taskId).toBeNull()
    for (let count = 0; count < INCOMING_PER_MINUTE; count += 1) receiptOf(await github(hook))
    const refused = await github(hook)
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(refused.headers['retry-after']).toBeDefined()
    team().clock.advance(MINUTE_MS)
    receiptOf(await github(hook))
  })

  it('is refused its task while the line is full, and starts it when it is sent again', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    receiptOf(await github(hook, {}, '{"first":true}'))
    const { codingRun } = team().database.prisma
    const [run] = await runsOf(owner)
    const {
      words: _words,
      totals: _totals,
      validate: _validate,
      ...row
    } = run as NonNullable<typeof run> & { words?: unknown }
    const ids = Array.from({ length: 99 }, () => randomUUID())
    await codingRun.createMany({ data: ids.map((id) => ({ ...row, id, sessionId: id })) })
    const refused = await github(hook)
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'TOO_MANY_TASKS'])
    expect((await get(owner, hook)).lastCall).toMatchObject({ refused: expect.stringContaining('in line') })
    await codingRun.deleteMany({ where: { id: { in: ids } } })
    expect(receiptOf(await github(hook)).taskId).not.toBeNull()
  })

  it('is switched off when its user loses the agent, and stays so', async () => {
    const [owner, user] = [await someUser(), await someUser()]
    const agent = await agentOf(owner)
    await ok(owner, `POST /agents/${agent}/shares`, { email: user.email })
    const hook = await ok<CreatedIncomingHook>(user, `POST ${BASE}`, {
      ...{ agent, name: 'Shared', source: 'github', prompt: TEMPLATE },
    })
    receiptOf(await github(hook))
    await ok(owner, `DELETE /agents/${agent}/shares/${user.id}`)
    const off = await until('the webhook to be switched off', async () => {
      const now = await get(user, hook)
      return !now.enabled && now
    })
    expect(off.disabledBecause).toContain('may no longer start tasks')
    await ok(owner, `POST /agents/${agent}/shares`, { email: user.email })
    expect((await github(hook, {}, '{"again":true}')).statusCode).toBe(404)
    const rows = await auditOf(team(), team().admin)
    const disabled = rows.find(({ action, target }) => action === 'webhook.disabled' && target?.id === hook.id)
    expect(disabled).toMatchObject({ actor: { via: 'platform' }, detail: { direction: 'incoming' } })
    await ok(user, `PATCH ${BASE}/${hook.id}`, { enabled: true })
    expect(receiptOf(await github(hook, {}, '{"again":true}')).taskId).not.toBeNull()
  })

  it('of an API token ends with the token, and asks for the right at each call', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const scopes = ['tasks:read', 'tasks:write', 'agents:read']
    const token = await ok<{ id: string; token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const body = { agent, name: 'Of a token', source: 'github', prompt: TEMPLATE }
    const made = await call(team().app, `POST ${BASE}`, { token: token.token, body })
    const hook = made.json<CreatedIncomingHook>()
    receiptOf(await github(hook))
    expect((await runsOf(owner))[0]).toMatchObject({ via: 'api_token', viaId: token.id })
    // Lost without a word, as over a restart.
    await team().database.prisma.apiToken.delete({ where: { id: token.id } })
    expect((await github(hook, {}, '{"again":true}')).statusCode).toBe(404)
    expect(await get(owner, hook)).toMatchObject({ enabled: false })
  })

  it('stays switched off if it is rotated at the same time', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    for (let round = 0; round < 5; round += 1) {
      const [off] = await Promise.all([
        as(team(), owner)(`PATCH ${BASE}/${hook.id}`, { enabled: false }),
        as(team(), owner)(`POST ${BASE}/${hook.id}/rotate`),
      ])
      expect([200, 409]).toContain(off.statusCode)
      expect((await get(owner, hook)).enabled).toBe(off.statusCode !== 200)
      await ok(owner, `PATCH ${BASE}/${hook.id}`, { enabled: true })
    }
  })

  it('is changed, rotated and deleted, and refused if its task could not start', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const refused = (more: object) =>
      refusal(owner, `POST ${BASE}`, { name: 'x', source: 'github', prompt: TEMPLATE, agent: hook.agent, ...more })
    expect((await refused({ prompt: '{{issue.title}}' }))[2]).toContain('must begin with a letter')
    expect((await refused({ agent: 'no-such-agent' }))[0]).toBe(404)
    expect((await refused({ provider: 'custom:none' }))[2]).toContain('body.provider')
    expect((await refused({ source: 'bitbucket' }))[1]).toBe('VALIDATION')
    const changed = await ok<IncomingHook>(owner, `PATCH ${BASE}/${hook.id}`, { prompt: 'Just {{a}}', events: ['a'] })
    expect(changed).toMatchObject({ prompt: 'Just {{a}}', events: ['a'], name: 'Issues', lastCall: null })
    const rotated = await ok<CreatedIncomingHook>(owner, `POST ${BASE}/${hook.id}/rotate`)
    expect((await github(hook)).statusCode).toBe(404)
    receiptOf(await github(rotated))
    expect(JSON.stringify(await ok(owner, `GET ${BASE}`))).not.toContain(rotated.secret)
    const row = await team().database.prisma.incomingHook.findUniqueOrThrow({ where: { id: hook.id } })
    expect(Buffer.from(row.sealed).toString('latin1')).not.toContain(rotated.secret)
    await ok(owner, `DELETE ${BASE}/${hook.id}`)
    expect((await github(rotated)).statusCode).toBe(404)
    for (let count = 0; count < 10; count += 1)
      await ok(owner, `POST ${BASE}`, { name: 'x', source: 'url', prompt: 'Go', agent: hook.agent })
    expect((await refused({})).slice(0, 2)).toEqual([409, 'TOO_MANY_WEBHOOKS'])
  })
})
