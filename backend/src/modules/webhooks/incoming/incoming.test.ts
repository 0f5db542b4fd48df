/** What calls of an incoming webhook start, and what they do not. */
import { randomUUID } from 'node:crypto'
import { INCOMING_BODY_BYTES, INCOMING_PER_MINUTE } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { BASE, PAYLOAD, receiptOf, sign, useIncomingHooks } from '../../../../test/support/webhooks/incoming.ts'
import { MINUTE_MS } from '../../../lib/time/clock.ts'

const { lines, team, refusal, someUser, hookOf, get, post, github, runsOf } = useIncomingHooks()

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
})
