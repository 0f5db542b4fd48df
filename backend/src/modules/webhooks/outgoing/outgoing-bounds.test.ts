import { createHmac, randomUUID } from 'node:crypto'
import type { CreatedWebhook, Webhook } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { call } from '../../../../test/support/people/people.ts'
import { END, useWebhooks } from '../../../../test/support/webhooks/webhooks.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/time/clock.ts'
import { RunRepository } from '../../runs/repository.ts'
import { FAILING_MAX_MS, PAUSES_MS } from '../bounds.ts'
import type { HookVault } from '../vault.ts'
import { DeliveryRepository } from './delivery-repository.ts'
import { WebhookRepository } from './repository.ts'

const {
  lines,
  team,
  fresh,
  send,
  ok,
  refusal,
  someUser,
  hookOf,
  deliveriesOf,
  received,
  delivery,
  repository,
  endTask,
  receiver,
} = useWebhooks()

describe('an outgoing webhook', () => {
  it('hears nothing for a user without the right, and of an API token that is revoked', async () => {
    const owner = await someUser()
    const tokenFor = async (scopes: string[]) =>
      ok<{ id: string; token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const reading = await tokenFor(['tasks:write'])
    const body = { name: 'Mine', url: receiver().url, kinds: ['task.ended'] }
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
    expect(receiver().received).toEqual([])
  })

  it('is not blamed for tasks that its token may not see, and hears of the next one', async () => {
    const owner = await someUser()
    const scopes = ['tasks:read', 'tasks:write']
    const { token } = await ok<{ token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const body = { name: 'Mine', url: receiver().url, kinds: ['task.ended'] }
    const { id } = (await call(team().app, 'POST /webhooks', { token, body })).json<CreatedWebhook>()
    // A task with a user's own credential is kept from tokens.
    await endTask(owner)
    expect(await delivery(owner, { id }, ({ error }) => error !== null)).toMatchObject({
      ...{ state: 'failed', attempts: 1, status: null, nextAt: null },
      error: expect.stringContaining('may not be seen'),
    })
    expect(await ok(owner, `GET /webhooks/${id}`)).toMatchObject({ enabled: true, failingSince: null })
    // Nor is it switched off while its receiver is away.
    const failingSince = new Date(team().clock.now() - FAILING_MAX_MS)
    await team().database.prisma.webhook.update({ where: { id }, data: { failingSince } })
    await endTask(owner)
    await until('both to be over', async () => {
      const states = (await deliveriesOf(owner, { id })).map(({ state }) => state)
      return states.join() === 'failed,failed'
    })
    expect(await ok(owner, `GET /webhooks/${id}`)).toMatchObject({ failingSince: failingSince.toISOString() })
    const seen = await endTask(owner, { personal: false })
    await received(1)
    expect(JSON.parse(receiver().received[0]!.body).task.id).toBe(seen)
  })

  it('of an API token stays on if its user takes it over while the token ends', async () => {
    const owner = await someUser()
    const scopes = ['tasks:read', 'tasks:write']
    const { token } = await ok<{ token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const body = { name: 'Mine', url: receiver().url, kinds: ['task.ended'] }
    const { id } = (await call(team().app, 'POST /webhooks', { token, body })).json<CreatedWebhook>()
    const { database, clock } = team()
    const audit = { record: () => Promise.resolve() }
    const webhooks = new WebhookRepository(database.prisma, audit, {} as HookVault)
    const before = (await webhooks.byId(id))!
    await ok(owner, `PATCH /webhooks/${id}`, { name: 'By its user now' })
    await webhooks.disable(before, 'for the test', new Date(clock.now()))
    expect(await ok(owner, `GET /webhooks/${id}`)).toMatchObject({ enabled: true })
    await webhooks.disable((await webhooks.byId(id))!, 'for the test', new Date(clock.now()))
    expect(await ok(owner, `GET /webhooks/${id}`)).toMatchObject({ enabled: false, disabledBecause: 'for the test' })
  })

  it('keeps its secrets: in no later answer, in no log, encrypted in the database, and rotated', async () => {
    const owner = await someUser()
    const url = `${receiver().url}?key=canary-of-a-receiver`
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
    const { headers, body } = receiver().received.at(-1)!
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

  it('does not wait for the backlogs of other users', async () => {
    const [busy, other] = [await someUser(), await someUser()]
    const { prisma } = team().database
    const at = new Date(team().clock.now())
    const later = (hours: number) => new Date(at.getTime() + hours * HOUR_MS)
    const waiting = { kind: 'task.ended', body: '{}', state: 'pending', createdAt: at }
    const backlog = await Promise.all(Array.from({ length: 3 }, () => hookOf(busy)))
    const last = await hookOf(other)
    const data = [
      ...backlog.map(({ id: webhookId }, hours) => ({ webhookId, nextAt: later(1 + hours) })),
      { webhookId: last.id, nextAt: later(9) },
    ].map((one) => ({ id: randomUUID(), ...waiting, ...one }))
    await prisma.webhookDelivery.createMany({ data })
    const due = await new DeliveryRepository(prisma).due(later(10), [])
    const order = [backlog[0], last, backlog[1], backlog[2]].map((hook) => hook?.id)
    expect(due.map(({ webhookId }) => webhookId)).toEqual(order)
    expect(due[1]).toEqual({ id: expect.any(String), webhookId: last.id, userId: other.id })
  })

  it('keeps a new secret, and stays switched off, whatever is changed at the same time', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    for (let round = 0; round < 5; round += 1) {
      const [rotated, off, moved] = await Promise.all([
        send(owner, `POST /webhooks/${hook.id}/rotate`),
        send(owner, `PATCH /webhooks/${hook.id}`, { enabled: false }),
        send(owner, `PATCH /webhooks/${hook.id}`, { url: `${receiver().url}/${round}` }),
      ])
      const codes = [rotated, off, moved].map(({ statusCode }) => statusCode)
      expect(codes).toContain(200)
      expect(codes.filter((code) => code !== 200 && code !== 409)).toEqual([])
      const now = await ok<Webhook>(owner, `GET /webhooks/${hook.id}`)
      expect(now.enabled).toBe(off.statusCode !== 200)
      await ok(owner, `POST /webhooks/${hook.id}/test`)
      const { headers, body } = receiver().received.at(-1)!
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
        send(owner, 'POST /webhooks', { name: 'x', url: receiver().url, kinds: ['task.ended'] }),
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
    expect(receiver().received[0]?.headers['x-slipway-delivery']).toBe(row.id)
    expect(await delivery(owner, hook, ({ state }) => state === 'delivered')).toMatchObject({ attempts: 2 })
    team().clock.advance(DAY_MS)
  })

  it('is told at once also if the clock ran ahead when it was stored, or last tried, and was set back', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const ahead = new Date(team().clock.now() + DAY_MS)
    const of = { webhookId: hook.id, kind: 'task.ended', body: '{}', state: 'pending', createdAt: ahead }
    const tried = { attempts: 1, attemptedAt: ahead, nextAt: new Date(ahead.getTime() + PAUSES_MS[0]) }
    const data = [
      { id: randomUUID(), ...of, nextAt: ahead },
      { id: randomUUID(), ...of, ...tried },
    ]
    await team().database.prisma.webhookDelivery.createMany({ data })
    await until('both', async () => (await deliveriesOf(owner, hook)).every(({ state }) => state === 'delivered'))
    const ids = receiver().received.map(({ headers }) => headers['x-slipway-delivery'])
    expect(ids).toEqual(data.map(({ id }) => id))
  })
})
