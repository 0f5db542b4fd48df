import { createHmac, randomUUID } from 'node:crypto'
import {
  type CreatedWebhook,
  type Webhook,
  type WebhookDelivery,
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOK_TEXT_MAX,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../../../../test/support/people.ts'
import { type Receiver, startReceiver } from '../../../../test/support/receiver.ts'
import { newAgent, useTeam } from '../../../../test/support/team.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import { createIds } from '../../../lib/ids.ts'
import { RunRepository, type StoredRunEnd } from '../../runs/repository.ts'
import { ATTEMPTS_MAX, FAILING_MAX_MS, PAUSES_MS } from '../bounds.ts'
import { DeliveryRepository } from './delivery-repository.ts'
import { WebhookOutbox } from './outbox-repository.ts'

const lines: string[] = []
const team = useTeam({
  runtime: new MemoryEngine().runtime,
  config: { webhookHosts: ['127.0.0.1'] },
  logStream: { write: (line) => void lines.push(line) },
})
let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.close()
  await team().database.prisma.webhook.deleteMany()
})

/** The user with a sign-in from the present time of the clock. */
const fresh = async (person: Person): Promise<Person> => {
  const { identity, database } = team()
  const user = await database.prisma.user.findUniqueOrThrow({ where: { id: person.id } })
  const { body } = await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })
  return { ...person, token: body.accessToken }
}
const send = async (person: Person, what: Call, body?: object) =>
  call(team().app, what, { token: (await fresh(person)).token, body })
const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await send(person, what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return (response.body === '' ? null : response.json()) as T
}
const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string]> => {
  const response = await send(person, what, body)
  return [response.statusCode, response.json<{ code: string }>().code]
}
const someUser = async (): Promise<Person> =>
  addPerson(team(), await fresh(team().admin), `${randomUUID()}@example.org`)
const hookOf = (person: Person, more: object = {}, base = '/webhooks'): Promise<CreatedWebhook> =>
  ok(person, `POST ${base}` as Call, { name: 'Mine', url: receiver.url, kinds: ['task.ended'], ...more })
const deliveriesOf = (person: Person, { id }: { id: string }, base = '/webhooks'): Promise<WebhookDelivery[]> =>
  ok(person, `GET ${base}/${id}/deliveries` as Call)
const received = (count: number) => until(`${count} deliveries`, () => receiver.received.length >= count)
/** The newest delivery once it looks so. */
const delivery = (person: Person, hook: { id: string }, is: (one: WebhookDelivery) => boolean) =>
  until('the delivery', async () => {
    const [newest] = await deliveriesOf(person, hook)
    return newest !== undefined && is(newest) && newest
  })

const END: StoredRunEnd = {
  state: 'failed',
  reason: 'cli_error',
  error: 'the words of a CLI',
  exitCode: 1,
  result: 'the result',
  costUsd: 0.5,
  costEstimated: false,
  usage: [],
  totals: [],
  cliSessionId: null,
  lastSeq: 3,
}
const repository = (): RunRepository => {
  const { database, clock } = team()
  const outbox = new WebhookOutbox({ newId: createIds(clock), clock, baseUrl: () => 'https://slipway.example.org' })
  return new RunRepository(database.prisma, outbox)
}
/** A task of the user that ends now. */
const endTask = async (person: Person, more: object = {}): Promise<string> => {
  const { prisma } = team().database
  const [id, name] = [randomUUID(), `a-${randomUUID().slice(0, 13)}`]
  const agent = await ok<{ id: string }>(person, 'POST /agents?wait=true', newAgent(name))
  const of = { id, sessionId: id, agentId: agent.id, agentName: name, userId: person.id, personal: true }
  const what = { provider: 'claude-code', prompt: 'the prompt', cwd: '/home/developer', timeoutSeconds: 300 }
  await prisma.codingRun.create({ data: { ...of, ...what, ...more, state: 'running' } })
  expect(await repository().end({ id, generation: 1 }, END)).toBe(true)
  return id
}

describe('an outgoing webhook', () => {
  it('hears of the end of a task of its user, signed, without the words of it', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const hook = await hookOf(owner)
    await hookOf(other)
    const id = await endTask(owner)
    await received(1)
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]]
    const { deliveryId, kind, task, text } = JSON.parse(body)
    expect({ deliveryId, kind, text }).toEqual({
      deliveryId: headers['x-slipway-delivery'],
      kind: 'task.ended',
      text: undefined,
    })
    expect(task).toMatchObject({ id, provider: 'claude-code', state: 'failed', reason: 'cli_error', costUsd: 0.5 })
    expect(task).toMatchObject({ userId: owner.id, url: `https://slipway.example.org/coding-agents/${id}` })
    expect(body).not.toMatch(/the prompt|the result|the words/)
    const timestamp = String(headers['x-slipway-timestamp'])
    const expected = createHmac('sha256', hook.secret).update(`${timestamp}.${body}`).digest('hex')
    expect(headers['x-slipway-signature']).toBe(`sha256=${expected}`)
    expect(Number(timestamp)).toBe(Math.floor(team().clock.now() / 1000))
    expect(await delivery(owner, hook, ({ state }) => state === 'delivered')).toMatchObject({
      ...{ id: deliveryId, taskId: id, attempts: 1, status: 204, error: null, nextAt: null },
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('has the words where it asks for them, cut', async () => {
    const owner = await someUser()
    await hookOf(owner, { withText: true })
    await endTask(owner, { prompt: 'é'.repeat(WEBHOOK_TEXT_MAX + 1) })
    await received(1)
    expect(JSON.parse(receiver.received[0]!.body).text).toEqual({
      prompt: `${'é'.repeat(WEBHOOK_TEXT_MAX)}…`,
      result: 'the result',
      error: 'the words of a CLI',
    })
  })

  it('of the platform hears of the tasks of all users', async () => {
    const owner = await someUser()
    const base = '/platform/webhooks'
    const hook = await hookOf(team().admin, {}, base)
    const id = await endTask(owner)
    await received(1)
    expect(JSON.parse(receiver.received[0]!.body).task.id).toBe(id)
    await until('the log', async () => (await deliveriesOf(team().admin, hook, base))[0]?.state === 'delivered')
    expect(await ok<Webhook[]>(team().admin, 'GET /webhooks')).toEqual([])
    expect((await refusal(owner, `GET ${base}/${hook.id}`))[0]).toBe(403)
    expect((await refusal(team().admin, `GET /webhooks/${hook.id}`))[0]).toBe(404)
  })

  it(
    'is tried again with growing pauses and one id, and given up and switched off in the end',
    { timeout: 120_000 },
    async () => {
      const owner = await someUser()
      const hook = await hookOf(owner)
      receiver.answer = (response) => void response.writeHead(500).end('the words of the receiver')
      await endTask(owner)
      for (const [at, pause] of PAUSES_MS.entries()) {
        const failed = await delivery(owner, hook, ({ attempts, status }) => attempts === at + 1 && status === 500)
        expect(failed).toMatchObject({ state: 'pending', error: 'The receiver refused it.' })
        expect(Date.parse(failed.nextAt ?? '')).toBe(Date.parse(failed.attemptedAt ?? '') + pause)
        team().clock.advance(pause)
      }
      const last = await delivery(owner, hook, ({ state }) => state === 'failed')
      expect(last).toMatchObject({ attempts: ATTEMPTS_MAX, nextAt: null })
      const ids = receiver.received.map(({ headers }) => headers['x-slipway-delivery'])
      expect(new Set(ids)).toEqual(new Set([last.id]))
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
      expect(new Set(receiver.received.map(({ headers }) => headers['x-slipway-signature'])).size).toBe(ATTEMPTS_MAX)
      expect(await ok(owner, `GET /webhooks/${hook.id}`)).toMatchObject({
        enabled: true,
        failingSince: expect.any(String),
      })

      team().clock.advance(FAILING_MAX_MS)
      await ok(owner, `POST /webhooks/${hook.id}/deliveries/${last.id}/again`)
      for (const [at, pause] of PAUSES_MS.entries()) {
        await delivery(owner, hook, ({ attempts, status }) => attempts === at + 1 && status === 500)
        team().clock.advance(pause)
      }
      const off = await until('the webhook to be switched off', async () => {
        const now = await ok<Webhook>(owner, `GET /webhooks/${hook.id}`)
        return !now.enabled && now
      })
      expect(off.disabledBecause).toContain('No delivery has succeeded for 3 days')
      const rows = await auditOf(team(), await fresh(team().admin))
      expect(rows.find(({ action, target }) => action === 'webhook.disabled' && target?.id === hook.id)).toBeDefined()
      expect(JSON.stringify(off)).not.toContain('words of the receiver')
      expect((await refusal(owner, `POST /webhooks/${hook.id}/deliveries/${last.id}/again`))[1]).toBe('WRONG_STATE')
      const on = await ok<Webhook>(owner, `PATCH /webhooks/${hook.id}`, { enabled: true })
      expect(on).toMatchObject({ enabled: true, disabledBecause: null, failingSince: null })
    },
  )

  it('is sent a delivery again with the same id and body, and forgets that it failed', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    await endTask(owner)
    const first = await delivery(owner, hook, ({ state }) => state === 'delivered')
    await ok(owner, `POST /webhooks/${hook.id}/deliveries/${first.id}/again`)
    await received(2)
    const [one, two] = receiver.received
    expect(two).toMatchObject({ body: one?.body, headers: { 'x-slipway-delivery': first.id } })
  })

  it('is tested at once, also if it is switched off, and says what is wrong', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner, { enabled: false })
    const test = () => ok<WebhookDelivery>(owner, `POST /webhooks/${hook.id}/test`)
    expect(await test()).toMatchObject({ kind: 'test', taskId: null, state: 'delivered', status: 204 })
    expect(receiver.received[0]?.headers['x-slipway-event']).toBe('test')
    receiver.answer = (response) => void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
    expect(await test()).toMatchObject({ state: 'failed', status: 302, error: 'Redirects are not followed.' })
    receiver.answer = (response) => void response.socket?.destroy()
    expect(await test()).toMatchObject({ state: 'failed', status: null, error: 'The connection failed: ECONNRESET.' })
    receiver.answer = (response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    }
    expect(await test()).toMatchObject({ state: 'delivered', status: 200 })
    receiver.answer = (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`)
    expect(await test()).toMatchObject({ state: 'failed', error: 'The connection failed: HPE_HEADER_OVERFLOW.' })
    await ok(owner, `PATCH /webhooks/${hook.id}`, { url: 'http://169.254.169.254/latest' })
    expect(await test()).toMatchObject({ state: 'failed', error: expect.stringContaining('SLIPWAY_WEBHOOK_HOSTS') })
    expect(receiver.received).toHaveLength(5)
    expect(await deliveriesOf(owner, hook)).toHaveLength(6)
  })

  it(
    'that never answers is given up after ten seconds, and two tests at once are one',
    { timeout: 40_000 },
    async () => {
      const owner = await someUser()
      const hook = await hookOf(owner)
      receiver.answer = () => undefined
      const slow = ok<WebhookDelivery>(owner, `POST /webhooks/${hook.id}/test`)
      await received(1)
      expect(await refusal(owner, `POST /webhooks/${hook.id}/test`)).toEqual([429, 'TOO_MANY_REQUESTS'])
      expect(await slow).toMatchObject({ error: 'The receiver did not answer within 10 seconds.' })
    },
  )

  it('keeps a bounded log of what is over', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const at = (minutes: number) => new Date(team().clock.now() - HOUR_MS + minutes)
    const over = { webhookId: hook.id, kind: 'test', body: '{}', state: 'failed', attempts: 1 }
    const data = Array.from({ length: 60 }, (_, index) => ({ id: randomUUID(), ...over, createdAt: at(index) }))
    await team().database.prisma.webhookDelivery.createMany({ data })
    await ok(owner, `POST /webhooks/${hook.id}/test`)
    const log = await deliveriesOf(owner, hook)
    expect(log).toHaveLength(WEBHOOK_DELIVERIES_KEPT)
    expect(log[0]).toMatchObject({ state: 'delivered' })
  })

  it('hears nothing for a user without the right, and of an API token that is revoked', async () => {
    const owner = await someUser()
    const tokenFor = async (scopes: string[]) =>
      ok<{ id: string; token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const reading = await tokenFor(['tasks:write'])
    const body = { name: 'Mine', url: receiver.url, kinds: ['task.ended'] }
    const refused = await call(team().app, 'POST /webhooks', { token: reading.token, body })
    expect([refused.statusCode, refused.body]).toEqual([403, expect.stringContaining('tasks:read')])
    const token = await tokenFor(['tasks:read', 'tasks:write'])
    const made = (await call(team().app, 'POST /webhooks', { token: token.token, body })).json<CreatedWebhook>()
    // A task with a user's own credential is kept from tokens.
    await endTask(owner)
    const kept = await delivery(owner, made, ({ error }) => error !== null)
    expect(kept.error).toContain('may not be seen')
    await ok(owner, `DELETE /tokens/${token.id}`)
    await endTask(owner, { personal: false })
    const off = await until('the webhook to be switched off', async () => {
      const now = await ok<Webhook>(owner, `GET /webhooks/${made.id}`)
      return !now.enabled && now
    })
    expect(off.disabledBecause).toContain('may no longer see tasks')
    expect(receiver.received).toEqual([])
  })

  it('keeps its secrets: in no later answer, in no log, encrypted in the database, and rotated', async () => {
    const owner = await someUser()
    const url = `${receiver.url}?key=canary-of-a-receiver`
    const hook = await hookOf(owner, { url })
    await ok(owner, `POST /webhooks/${hook.id}/test`)
    const { prisma } = team().database
    const row = await prisma.webhook.findUniqueOrThrow({ where: { id: hook.id } })
    const bytes = Buffer.from(row.sealed).toString('latin1')
    const [log, entries] = [await deliveriesOf(owner, hook), await auditOf(team(), await fresh(team().admin))]
    const answers = JSON.stringify([await ok(owner, 'GET /webhooks'), log])
    // A token for reading tasks must not be able to write to a chat.
    const reader = await ok<{ token: string }>(owner, 'POST /tokens', { name: 'reader', scopes: ['tasks:read'] })
    for (const what of ['GET /webhooks', `GET /webhooks/${hook.id}`] as const) {
      const { body } = await call(team().app, what, { token: reader.token })
      expect(body).toContain(`${new URL(url).origin}/…`)
      expect(body).not.toContain('canary-of-a-receiver')
    }
    for (const text of [bytes, JSON.stringify(entries), lines.join('\n')]) {
      expect(text).not.toContain(hook.secret)
      expect(text).not.toContain('canary-of-a-receiver')
    }
    expect(answers).not.toContain(hook.secret)
    const rotated = await ok<CreatedWebhook>(owner, `POST /webhooks/${hook.id}/rotate`)
    expect(rotated).toMatchObject({ url, secret: expect.stringMatching(/^slipway_whs_/) })
    expect(rotated.secret).not.toBe(hook.secret)
    await ok(owner, `POST /webhooks/${hook.id}/test`)
    const { headers, body } = receiver.received.at(-1)!
    const timestamp = String(headers['x-slipway-timestamp'])
    const expected = createHmac('sha256', rotated.secret).update(`${timestamp}.${body}`).digest('hex')
    expect(headers['x-slipway-signature']).toBe(`sha256=${expected}`)
    // A row that is given to another user cannot be read.
    await prisma.webhook.update({ where: { id: hook.id }, data: { userId: team().colleague.id } })
    expect(await ok(team().colleague, `GET /webhooks/${hook.id}`)).toMatchObject({ url: null })
  })

  it('does not wait for the webhooks whose receivers are away, however much waits there', async () => {
    const owner = await someUser()
    const [away, there] = [await hookOf(owner), await hookOf(owner)]
    const { prisma } = team().database
    const at = new Date(team().clock.now())
    await prisma.webhook.update({ where: { id: away.id }, data: { failingSince: at } })
    const later = (hours: number) => new Date(at.getTime() + hours * HOUR_MS)
    const waiting = { kind: 'task.ended', body: '{}', state: 'pending', createdAt: at }
    const data = [
      { id: randomUUID(), ...waiting, webhookId: away.id, nextAt: later(1) },
      { id: randomUUID(), ...waiting, webhookId: there.id, nextAt: later(2) },
    ]
    await prisma.webhookDelivery.createMany({ data })
    const due = await new DeliveryRepository(prisma).due(later(3), [])
    expect(due.map(({ webhookId }) => webhookId)).toEqual([there.id, away.id])
  })

  it('keeps a new secret, and stays switched off, whatever is changed at the same time', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    for (let round = 0; round < 5; round += 1) {
      const [rotated, off, moved] = await Promise.all([
        send(owner, `POST /webhooks/${hook.id}/rotate`),
        send(owner, `PATCH /webhooks/${hook.id}`, { enabled: false }),
        send(owner, `PATCH /webhooks/${hook.id}`, { url: `${receiver.url}/${round}` }),
      ])
      const codes = [rotated, off, moved].map(({ statusCode }) => statusCode)
      expect(codes).toContain(200)
      expect(codes.filter((code) => code !== 200 && code !== 409)).toEqual([])
      const now = await ok<Webhook>(owner, `GET /webhooks/${hook.id}`)
      expect(now.enabled).toBe(off.statusCode !== 200)
      await ok(owner, `POST /webhooks/${hook.id}/test`)
      const { headers, body } = receiver.received.at(-1)!
      const signed = (secret: string): string =>
        `sha256=${createHmac('sha256', secret)
          .update(`${String(headers['x-slipway-timestamp'])}.${body}`)
          .digest('hex')}`
      if (rotated.statusCode === 200)
        expect(headers['x-slipway-signature']).toBe(signed(rotated.json<CreatedWebhook>().secret))
      await ok(owner, `PATCH /webhooks/${hook.id}`, { enabled: true })
    }
  })

  it('is refused with a bad address, belongs to its user, and there are ten at most', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    for (const url of ['ftp://example.org/', 'https://a:b@example.org/', 'https://example.org/#x', 'no address'])
      expect(await refusal(owner, 'POST /webhooks', { name: 'Mine', url, kinds: ['task.ended'] })).toEqual([
        400,
        'VALIDATION',
      ])
    const hook = await hookOf(owner)
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const)
      expect((await refusal(other, `${method} /webhooks/${hook.id}${path}`, body))[0]).toBe(404)
    const more = await Promise.all(
      Array.from({ length: 10 }, () =>
        send(owner, 'POST /webhooks', { name: 'x', url: receiver.url, kinds: ['task.ended'] }),
      ),
    )
    expect(more.filter(({ statusCode }) => statusCode === 201)).toHaveLength(9)
    expect(more.find(({ statusCode }) => statusCode !== 201)?.json()).toMatchObject({ code: 'TOO_MANY_WEBHOOKS' })
  })
})

describe('the end of a task', () => {
  it('is stored with its delivery, or not at all', async () => {
    const owner = await someUser()
    await hookOf(owner)
    const { prisma } = team().database
    const id = randomUUID()
    const of = { id, sessionId: id, agentName: 'gone', userId: owner.id }
    const what = { provider: 'claude-code', prompt: 'p', cwd: '/', timeoutSeconds: 300 }
    await prisma.codingRun.create({ data: { ...of, ...what, state: 'running' } })
    const broken = new RunRepository(prisma, { store: () => Promise.reject(new Error('the database is gone')) })
    await expect(broken.end({ id, generation: 1 }, END)).rejects.toThrow('is gone')
    expect(await prisma.codingRun.findUniqueOrThrow({ where: { id } })).toMatchObject({ state: 'running' })
    expect(await repository().end({ id, generation: 1 }, END)).toBe(true)
    expect(await repository().end({ id, generation: 1 }, END)).toBe(false)
    expect(await prisma.webhookDelivery.count({ where: { runId: id } })).toBe(1)
    await received(1)
  })

  it('loses nothing if the server is away when it comes, or is killed while it sends', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    // An attempt that a killed server began: it is claimed, and nothing came of it.
    const at = new Date(team().clock.now())
    const claimed = { attempts: 1, attemptedAt: at, nextAt: new Date(at.getTime() + PAUSES_MS[0]) }
    const row = {
      id: randomUUID(),
      webhookId: hook.id,
      kind: 'task.ended',
      body: '{}',
      state: 'pending',
      createdAt: at,
    }
    await team().database.prisma.webhookDelivery.create({ data: { ...row, ...claimed } })
    team().clock.advance(PAUSES_MS[0])
    await received(1)
    expect(receiver.received[0]?.headers['x-slipway-delivery']).toBe(row.id)
    expect(await delivery(owner, hook, ({ state }) => state === 'delivered')).toMatchObject({ attempts: 2 })
    team().clock.advance(DAY_MS)
  })
})
