/** Webhooks around a real task of Claude Code, over a server that is killed. */
// In the short form `backend/src/modules/webhooks` has both kinds over HTTP, without a CLI: `incoming/incoming.test.ts`,
// `outgoing/outgoing.test.ts`, and `outgoing/outgoing-bounds.test.ts`, “or is killed while it sends”.
import '@slipway/testing/long'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CreatedIncomingHook, CreatedWebhook, HookReceipt, WebhookDelivery } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useOwnServer } from '../support/own-server.ts'
import { endedTask, startTask } from '../support/tasks/follow.ts'
import { agentWithModel } from '../support/tasks/model.ts'

const own = useOwnServer({ SLIPWAY_WEBHOOK_HOSTS: '127.0.0.1' })
const SCRIPT = { '@told': [{ say: 'Told.' }] }
/** Longer than the first pause between two attempts, on a busy machine. */
const RETRIED_MS = 120_000

let server: Server
let url: string
let status = 204
const received: { headers: IncomingHttpHeaders; body: string }[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') })
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

describe('webhooks', () => {
  it('start a task, and tell its end once the receiver is back, although the server was killed', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const told = await own.admin.ok<CreatedWebhook>('POST', '/webhooks', { name: 'CI', url, kinds: ['task.ended'] })
    const hook = await own.admin.ok<CreatedIncomingHook>('POST', '/incoming-webhooks', {
      ...{ name: 'Issues', source: 'github', events: ['issues'], agent, prompt: 'Say {{issue.title}}' },
    })
    const call = (body: string) =>
      fetch(`${own.admin.baseUrl}/api/hooks/${hook.id}`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'issues',
          'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret ?? '')
            .update(body)
            .digest('hex')}`,
        },
      })

    status = 503
    const payload = JSON.stringify({ issue: { title: '@told' } })
    const { taskId } = (await (await call(payload)).json()) as HookReceipt
    expect(await endedTask(own.admin, taskId ?? '')).toMatchObject({ reason: 'completed', result: 'Told.' })
    await until('the first attempt', () => received.length > 0)
    await own.end('SIGKILL')
    status = 204
    await own.start()
    const log = (): Promise<WebhookDelivery[]> => own.admin.ok('GET', `/webhooks/${told.id}/deliveries`)
    const [delivered] = await until(
      'the delivery',
      async () => {
        const all = await log()
        return all[0]?.state === 'delivered' && all
      },
      RETRIED_MS,
    )
    expect(delivered).toMatchObject({ taskId, status: 204, error: null })
    const [first, last] = [received[0], received.at(-1)]
    expect(last?.body).toBe(first?.body)
    expect(last?.headers['x-slipway-delivery']).toBe(delivered?.id)
    const { task } = JSON.parse(last?.body ?? '')
    expect(task).toMatchObject({ id: taskId, agent, state: 'completed', reason: 'completed', exitCode: 0 })
    const timestamp = String(last?.headers['x-slipway-timestamp'])
    const expected = createHmac('sha256', told.secret).update(`${timestamp}.${last?.body}`).digest('hex')
    expect(last?.headers['x-slipway-signature']).toBe(`sha256=${expected}`)
    // GitHub sends it again after the restart.
    expect(await (await call(payload)).json()).toEqual({ taskId, ignored: null })
    expect(await log()).toHaveLength(1)
  })

  // Without a CLI: `backend/src/modules/webhooks/outgoing/outgoing-bounds.test.ts`, “or is killed while it sends”.
  longIt('tell of a task whose server is killed at its end', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    await own.admin.ok('POST', '/webhooks', { name: 'Again', url, kinds: ['task.ended'] })
    const { id } = await startTask(own.admin, { agent, prompt: '@told' })
    await endedTask(own.admin, id)
    await own.end('SIGKILL')
    await own.start()
    const ids = () => received.map(({ body }) => (JSON.parse(body) as { task: { id: string } }).task.id)
    await until('the news of the task', () => ids().includes(id), RETRIED_MS)
    expect(ids()).toContain(id)
  })
})
