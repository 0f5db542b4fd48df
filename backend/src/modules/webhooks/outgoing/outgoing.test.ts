import { createHmac, randomUUID } from 'node:crypto'
import { type Webhook, type WebhookDelivery, WEBHOOK_DELIVERIES_KEPT, WEBHOOK_TEXT_MAX } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import type { Receiver } from '../../../../test/support/webhooks/receiver.ts'
import { END, useWebhooks } from '../../../../test/support/webhooks/webhooks.ts'
import { HOUR_MS } from '../../../lib/time/clock.ts'
import { ATTEMPTS_MAX, FAILING_MAX_MS, PAUSES_MS } from '../bounds.ts'

const { team, fresh, ok, refusal, someUser, hookOf, deliveriesOf, received, delivery, receiver, ...hooks } =
  useWebhooks()
const { repository, runningTask, endTask } = hooks

describe('an outgoing webhook', () => {
  it('hears of the end of a task of its user, signed, without the words of it', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const hook = await hookOf(owner)
    await hookOf(other)
    const id = await endTask(owner)
    await received(1)
    const [{ headers, body }] = receiver().received as [Receiver['received'][number]]
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
    expect(receiver().received).toHaveLength(1)
  })

  it('hears when a task begins to wait for people, once for all questions at the same time', async () => {
    const owner = await someUser()
    await hookOf(owner, { kinds: ['task.asks'] })
    const held = { id: await runningTask(owner), generation: 1 }
    const asks = (isWaiting: boolean) => repository().asks(held, isWaiting, new Date(team().clock.now()))
    expect(await asks(true)).toBe(true)
    // Another backend takes it over while it waits.
    await asks(true)
    await received(1)
    await asks(false)
    await asks(true)
    expect(await repository().end(held, END)).toBe(true)
    await received(2)
    const bodies = receiver().received.map(
      ({ body }) => JSON.parse(body) as { kind: string; task: Record<string, unknown> },
    )
    for (const { kind, task } of bodies)
      expect([kind, task['id'], task['state'], task['completedAt']]).toEqual(['task.asks', held.id, 'waiting', null])
    expect(bodies).toHaveLength(2)
  })

  it('has the words where it asks for them, cut', async () => {
    const owner = await someUser()
    await hookOf(owner, { withText: true })
    await endTask(owner, { prompt: 'é'.repeat(WEBHOOK_TEXT_MAX + 1) })
    await received(1)
    expect(JSON.parse(receiver().received[0]!.body).text).toEqual({
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
    expect(JSON.parse(receiver().received[0]!.body).task.id).toBe(id)
    await until('the log', async () => (await deliveriesOf(team().admin, hook, base))[0]?.state === 'delivered')
    expect(await ok<Webhook[]>(team().admin, 'GET /webhooks')).toEqual([])
    expect((await refusal(owner, `GET ${base}/${hook.id}`))[0]).toBe(403)
    expect((await refusal(team().admin, `GET /webhooks/${hook.id}`))[0]).toBe(404)
  })

  it('is tried again with growing pauses and one id, and given up and switched off in the end', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    receiver().answer = (response) => void response.writeHead(500).end('the words of the receiver')
    await endTask(owner)
    for (const [at, pause] of PAUSES_MS.entries()) {
      const failed = await delivery(owner, hook, ({ attempts, status }) => attempts === at + 1 && status === 500)
      expect(failed).toMatchObject({ state: 'pending', error: 'The receiver refused it.' })
      expect(Date.parse(failed.nextAt ?? '')).toBe(Date.parse(failed.attemptedAt ?? '') + pause)
      team().clock.advance(pause)
    }
    const last = await delivery(owner, hook, ({ state }) => state === 'failed')
    expect(last).toMatchObject({ attempts: ATTEMPTS_MAX, nextAt: null })
    const ids = receiver().received.map(({ headers }) => headers['x-slipway-delivery'])
    expect(new Set(ids)).toEqual(new Set([last.id]))
    expect(new Set(receiver().received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receiver().received.map(({ headers }) => headers['x-slipway-signature'])).size).toBe(ATTEMPTS_MAX)
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
  })

  it('is sent a delivery again with the same id and body, and forgets that it failed', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    await endTask(owner)
    const first = await delivery(owner, hook, ({ state }) => state === 'delivered')
    await ok(owner, `POST /webhooks/${hook.id}/deliveries/${first.id}/again`)
    await received(2)
    const [one, two] = receiver().received
    expect(two).toMatchObject({ body: one?.body, headers: { 'x-slipway-delivery': first.id } })
  })

  it('is tested at once, also if it is switched off, and says what is wrong', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner, { enabled: false })
    const test = () => ok<WebhookDelivery>(owner, `POST /webhooks/${hook.id}/test`)
    expect(await test()).toMatchObject({ kind: 'test', taskId: null, state: 'delivered', status: 204 })
    expect(receiver().received[0]?.headers['x-slipway-event']).toBe('test')
    receiver().answer = (response) => void response.writeHead(302, { location: `${receiver().url}/elsewhere` }).end()
    expect(await test()).toMatchObject({ state: 'failed', status: 302, error: 'Redirects are not followed.' })
    receiver().answer = (response) => void response.socket?.destroy()
    expect(await test()).toMatchObject({ state: 'failed', status: null, error: 'The connection failed: ECONNRESET.' })
    receiver().answer = (response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    }
    expect(await test()).toMatchObject({ state: 'delivered', status: 200 })
    receiver().answer = (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`)
    expect(await test()).toMatchObject({ state: 'failed', error: 'The connection failed: HPE_HEADER_OVERFLOW.' })
    await ok(owner, `PATCH /webhooks/${hook.id}`, { url: 'http://169.254.169.254/latest' })
    expect(await test()).toMatchObject({ state: 'failed', error: expect.stringContaining('SLIPWAY_WEBHOOK_HOSTS') })
    expect(receiver().received).toHaveLength(5)
    expect(await deliveriesOf(owner, hook)).toHaveLength(6)
  })

  it('that never answers is given up after ten seconds, and two tests at once are one', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    receiver().answer = () => undefined
    const slow = ok<WebhookDelivery>(owner, `POST /webhooks/${hook.id}/test`)
    await received(1)
    expect(await refusal(owner, `POST /webhooks/${hook.id}/test`)).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(await slow).toMatchObject({ error: 'The receiver did not answer within 10 seconds.' })
  })

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

  it('lists a delivery that is given up although many later ones have succeeded meanwhile', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    receiver().answer = (response) => void response.writeHead(500).end()
    const now = team().clock.now()
    const of = { webhookId: hook.id, kind: 'task.ended', body: '{}' }
    const over = Array.from({ length: WEBHOOK_DELIVERIES_KEPT }, (_, index) => {
      const at = new Date(now - HOUR_MS + index)
      return { id: randomUUID(), ...of, state: 'delivered', attempts: 1, createdAt: at, attemptedAt: at }
    })
    const waiting = { state: 'pending', attempts: ATTEMPTS_MAX - 1, nextAt: new Date(now) }
    const last = { id: randomUUID(), ...of, ...waiting, createdAt: new Date(now - 2 * HOUR_MS) }
    const data = [...over, last]
    await team().database.prisma.webhookDelivery.createMany({ data })
    const log = await until('the last attempt', async () => {
      const all = await deliveriesOf(owner, hook)
      return all.every(({ state }) => state !== 'pending') && all.length === WEBHOOK_DELIVERIES_KEPT && all
    })
    expect(log.at(-1)).toMatchObject({ id: last.id, state: 'failed', attempts: ATTEMPTS_MAX, status: 500 })
  })
})
