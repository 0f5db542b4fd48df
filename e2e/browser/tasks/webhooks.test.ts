/** The page of webhooks: a service that starts a task, a receiver that hears of its end, and all that may go wrong. */
// In the short form `backend/src/modules/webhooks` has the calls, and the walk opens the page (`tasks-webhooks`).
import '@slipway/testing/long'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CreatedWebhook, HookReceipt, IncomingHook, Webhook } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { graveOn } from '../../support/page/axe.ts'
import { chooseLast, tabTo } from '../../support/page/keys.ts'
import { answered, type ContextOptions, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask } from '../../support/tasks/follow.ts'
import { agentWithStub, quicken, stubProvider } from '../../support/tasks/stub.ts'

const PAGE = '/coding-agents/webhooks'
/** Longest time until a delivery is there, on a busy machine, in milliseconds. */
const SENT_MS = 150_000

useBrowser()
const own = useOwnServer({ SLIPWAY_WEBHOOK_HOSTS: '127.0.0.1' })
let owner: Client
let agent: string
let provider: string
let receiver: Server
let url: string
/** How the receiver answers. */
let status = 204
const bodies: string[] = []

beforeAll(async () => {
  owner = await newUser(own.admin)
  agent = await agentWithStub(owner)
  await quicken(owner, agent)
  provider = `custom:${(await stubProvider(owner)).name}`
  receiver = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString('utf8'))
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})
afterAll(() => receiver.close())
afterEach(async () => {
  status = 204
  for (const path of ['/webhooks', '/incoming-webhooks'])
    for (const { id } of await owner.ok<{ id: string }[]>('GET', path)) await owner.ok('DELETE', `${path}/${id}`)
})

const open = (path = PAGE, options: ContextOptions = {}, client = owner): Promise<Page> =>
  visit(client, path, { baseURL: own.admin.baseUrl, preloads: false, ...options })
const outgoing = (body: object = {}): Promise<CreatedWebhook> =>
  owner.ok('POST', '/webhooks', { name: 'Chat', url, kinds: ['task.ended'], ...body })
const incoming = (body: object = {}): Promise<IncomingHook & { url: string; secret: string | null }> =>
  owner.ok('POST', '/incoming-webhooks', {
    ...{ name: 'Issues', source: 'github', events: ['issues'], agent, provider, prompt: 'Do {{issue.title}}', ...body },
  })
const row = (page: Page, name: string) => page.getByTestId(`webhook-${name}`)
/** Node does not resolve names below `localhost`. */
const reached = (address: string): string => `${own.admin.baseUrl}${new URL(address).pathname}`
/** Calls as GitHub does. */
const callAs = async (address: string, secret: string, event: string, payload: object): Promise<HookReceipt> => {
  const body = JSON.stringify(payload)
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-github-event': event, 'x-hub-signature-256': signature }
  const answer = await fetch(reached(address), { method: 'POST', headers, body })
  return (await answer.json()) as HookReceipt
}
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('the page of webhooks', () => {
  it('makes an address by keyboard alone, whose call starts a task', async () => {
    const page = await open('/')
    await page.getByTestId('open-palette').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to an agent, or do something…').fill('webhooks')
    await page.getByRole('option', { name: 'Webhooks of tasks' }).and(page.locator('[data-highlighted]')).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((at) => at.pathname === PAGE)
    await page.getByText('each new issue of a repository starts a task').waitFor()
    await page.getByRole('button', { name: 'New incoming webhook' }).focus()
    await page.keyboard.press('Enter')
    await page.getByTestId('incoming-form').waitFor()
    await page.keyboard.type('New issues')
    expect(await page.getByTestId('webhook-fields').innerText()).toContain('issue.title')
    await tabTo(page, 'task-field-provider')
    await chooseLast(page)
    await tabTo(page, 'task-field-prompt')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Do {{issue.title}}')
    await tabTo(page, 'webhook-save')
    await page.keyboard.press('Enter')

    await page.getByTestId('webhook-secret').waitFor()
    const address = await page.getByTestId('webhook-address').innerText()
    const secret = await page.getByTestId('webhook-secret-value').innerText()
    expect(await graveOn(page)).toEqual([])
    await tabTo(page, 'webhook-secret-done')
    await page.keyboard.press('Enter')
    await page.getByTestId('webhook-secret').waitFor({ state: 'detached' })
    expect(await page.getByText(secret).count()).toBe(0)

    await row(page, 'New issues').getByText('No call yet').waitFor()
    await callAs(address, secret, 'ping', {})
    await page.getByTestId('webhook-refused').getByText('The event was ping.').waitFor()
    const { taskId } = await callAs(address, secret, 'issues', { issue: { title: '@cost' } })
    const link = page.getByTestId('webhook-last-task')
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(`/coding-agents/${taskId}`)
    expect(await endedTask(owner, taskId ?? '')).toMatchObject({ prompt: 'Do @cost', provider })
    expect(await graveOn(page)).toEqual([])
    await reload(page)
    await page.getByTestId('webhook-last-task').waitFor()
  })

  it('tells a receiver of the end of a task, shows each attempt, and sends it again', async () => {
    const page = await open(PAGE, { provoked: [answered(400)] })
    const mine = page.getByTestId('webhooks-outgoing')
    await mine.getByRole('button', { name: 'New outgoing webhook' }).click()
    await page.getByTestId('webhook-save').click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByText('Enter an address that begins with https:// or http://.').waitFor()
    await page.getByTestId('webhook-name').fill('Chat')
    await page.getByTestId('webhook-url').fill('http://user:word@example.org/')
    await page.getByTestId('webhook-save').click()
    // What only the server knows.
    await until(
      'the server to refuse it',
      async () => (await page.getByTestId('webhook-url').getAttribute('aria-invalid')) === 'true',
    )
    await page.getByTestId('webhook-url').fill(url)
    await page.getByTestId('webhook-save').click()
    const secret = await page.getByTestId('webhook-secret-value').innerText()
    expect(secret).toMatch(/^slipway_whs_/)
    await page.getByTestId('webhook-secret-done').click()
    await page.getByText('Nothing sent yet.').waitFor()

    await page.getByTestId('webhook-test').click()
    await page.getByTestId('webhook-tested').getByText('The receiver answered with HTTP 204.').waitFor()
    status = 500
    await page.getByTestId('webhook-test').click()
    await page.getByTestId('webhook-tested').getByText('HTTP 500. The receiver refused it.').waitFor()

    const hook = await incoming()
    const { taskId } = await callAs(hook.url, hook.secret ?? '', 'issues', { issue: { title: '@cost' } })
    await endedTask(owner, taskId ?? '')
    const waits = page.getByTestId('delivery-pending')
    await waits.getByText('HTTP 500. The receiver refused it.').waitFor({ timeout: SENT_MS })
    await waits.getByText('Next attempt').waitFor()
    expect(await graveOn(page)).toEqual([])
    status = 204
    const told = page.getByTestId('delivery-delivered').filter({ hasText: 'Task ended' })
    await told.getByText('2 attempts').waitFor({ timeout: SENT_MS })
    expect(await told.getByRole('link').getAttribute('href')).toBe(`/coding-agents/${taskId}`)
    const before = bodies.length
    await told.getByTestId('delivery-again').click()
    await until('the delivery to come again', () => bodies.length > before, SENT_MS)
    expect(bodies.at(-1)).toBe(bodies.at(-2))
    await told.getByText('HTTP 204').waitFor()
  })

  it('switches, edits, renews and deletes after a question', async () => {
    const hook = await outgoing()
    const [called] = [await incoming({ source: 'url', events: [] })]
    const page = await open(`${PAGE}?webhook=${hook.id}`)
    const [chat, issues] = [row(page, 'Chat'), row(page, 'Issues')]
    await chat.getByTestId('webhook-switch').click()
    await chat.getByText('Switched off').waitFor()
    expect(await owner.ok<Webhook>('GET', `/webhooks/${hook.id}`)).toMatchObject({ enabled: false })
    await chat.getByTestId('webhook-edit').click()
    await page.getByTestId('webhook-kind-task.waiting').click()
    await page.getByTestId('webhook-with-text').click()
    await page.getByTestId('webhook-save').click()
    await page.getByTestId('outgoing-form').waitFor({ state: 'detached' })
    expect(await owner.ok<Webhook>('GET', `/webhooks/${hook.id}`)).toMatchObject({
      ...{ kinds: ['task.ended', 'task.waiting'], withText: true, url, enabled: false },
    })

    await issues.getByTestId('webhook-open').click()
    await issues.getByText('Its address has the secret and is shown only once.').waitFor()
    await issues.getByTestId('webhook-rotate').click()
    await page.getByTestId('confirm-action').click()
    const address = await page.getByTestId('webhook-address').innerText()
    expect(address).not.toBe(called.url)
    await page.getByTestId('webhook-secret-done').click()
    expect((await fetch(reached(called.url), { method: 'POST', body: '{}' })).status).toBe(404)
    expect((await fetch(reached(address), { method: 'POST', body: '{}' })).status).toBe(200)

    await issues.getByTestId('webhook-edit').click()
    await page.getByTestId('task-field-prompt').fill('{{title}} first')
    await page.getByTestId('webhook-save').click()
    await page.getByText('The prompt must begin with a letter or a digit').waitFor()
    await page.getByTestId('task-field-prompt').fill('Look at {{title}}')
    await page.getByTestId('webhook-save').click()
    await page.getByTestId('incoming-form').waitFor({ state: 'detached' })
    await issues.getByText('Look at {{title}}').waitFor()

    await issues.getByTestId('webhook-delete').click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await issues.getByTestId('webhook-delete').click()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('webhooks-incoming').getByText('None yet.').waitFor()
    expect(await owner.ok('GET', '/incoming-webhooks')).toEqual([])
  })

  it('of the platform is for admins', async () => {
    const page = await open()
    await page.getByTestId('webhooks-outgoing').waitFor()
    expect(await page.getByTestId('webhooks-platform').count()).toBe(0)
    const ofAdmin = await open(PAGE, {}, own.admin)
    const platform = ofAdmin.getByTestId('webhooks-platform')
    await platform.getByRole('button', { name: 'New outgoing webhook' }).click()
    await ofAdmin.getByTestId('webhook-name').fill('Everybody')
    await ofAdmin.getByTestId('webhook-url').fill(url)
    await ofAdmin.getByTestId('webhook-save').click()
    await ofAdmin.getByTestId('webhook-secret-done').click()
    await platform.getByTestId('webhook-Everybody').waitFor()
    const [hook] = await own.admin.ok<Webhook[]>('GET', '/platform/webhooks')
    expect(hook).toMatchObject({ name: 'Everybody', url })
    await own.admin.ok('DELETE', `/platform/webhooks/${hook?.id}`)
  })

  // `schedules.test.ts` says the same of its list.
  longIt('says when a list cannot be read, and keeps what it has', async () => {
    await outgoing()
    const page = await open('/', { provoked: [answered(503)] })
    const path = '*/api/webhooks'
    const held = await intercept(page, path, () => undefined)
    await goTo(page, PAGE)
    await page.getByTestId('webhooks-outgoing').getByLabel('Loading', { exact: true }).waitFor()
    await held.stop()
    await row(page, 'Chat').waitFor()
    const message = 'The database does not answer.'
    const failing = await intercept(page, path, (request) =>
      request.fulfill({ status: 503, json: { statusCode: 503, code: 'DATABASE_UNAVAILABLE', error: 'x', message } }),
    )
    await page.getByText(`Could not update this list: ${message}`).waitFor()
    await row(page, 'Chat').waitFor()
    await reload(page)
    await page.getByTestId('webhooks-outgoing').getByText(message).waitFor()
    await failing.stop()
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Chat').waitFor()
  })

  it('works on a phone, without scrolling sideways', async () => {
    const [hook] = [await outgoing({ url: `${url}/${'long-'.repeat(60)}` }), await incoming()]
    await owner.ok('POST', `/webhooks/${hook.id}/test`)
    const page = await open(PAGE, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    for (const name of ['Issues', 'Chat']) {
      await row(page, name).getByTestId('webhook-open').tap()
      await row(page, name).getByTestId('webhook-detail').waitFor()
      expect(await isWider(page)).toBe(false)
      expect(await graveOn(page)).toEqual([])
    }
    await page.getByTestId('delivery-delivered').waitFor()
    for (const form of ['incoming', 'outgoing']) {
      await page
        .getByTestId(`webhooks-${form}`)
        .getByRole('button', { name: `New ${form} webhook` })
        .tap()
      await page.getByTestId(`${form}-form`).waitFor()
      expect(await isWider(page)).toBe(false)
      expect(await graveOn(page)).toEqual([])
      await page.getByRole('button', { name: 'Cancel' }).tap()
      await page.getByTestId(`${form}-form`).waitFor({ state: 'detached' })
    }
  })
})
