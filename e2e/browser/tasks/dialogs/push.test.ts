/** A question of a real Claude Code reaches a phone: by a push that only its browser can read, and a tap that answers. */
// In the short form `backend/src/modules/channels/push.test.ts` reads the messages as a browser does, and answers from one.
// Only this file has the worker of the page.
import '@slipway/testing/long'
import { type AuditEvent, type Channels, type PushMessage, titleLine } from '@slipway/protocol'
import { startPushService, until } from '@slipway/testing'
import type { Page, Worker } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser } from '../../../support/api.ts'
import { useOwnServer } from '../../../support/own-server.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { goTo, useBrowser, visit } from '../../../support/pages.ts'
import { asked } from '../../../support/tasks/dialogs.ts'
import { endedTask, startTask } from '../../../support/tasks/follow.ts'
import { agentWithModel } from '../../../support/tasks/model.ts'
import { quicken } from '../../../support/tasks/stub.ts'

/** Longest time for a step of a real CLI, or until a push is there, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const SCOPE = '/push-worker/'
const SCRIPT = {
  '@run': [
    { tool: 'Bash', input: { command: 'touch /home/developer/pushed', description: 'Do it' } },
    { say: 'Done.' },
  ],
}

const service = await startPushService()
useBrowser()
const own = useOwnServer({ SLIPWAY_PUSH_HOSTS: '127.0.0.1', NODE_EXTRA_CA_CERTS: service.caFile })
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(own.admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
})
afterAll(() => service.close())

/** A page whose browser subscribes at the push service of the test. Chromium's own is on the internet. */
const openPhone = async (): Promise<Page> => {
  const page = await visit(owner, '/agents', { baseURL: own.admin.baseUrl, viewport: { width: 390, height: 844 } })
  await page.context().grantPermissions(['notifications'], { origin: own.admin.baseUrl })
  await page.addInitScript((at) => {
    let made: unknown = null
    const { endpoint, p256dh, auth } = at
    const toJSON = () => ({ endpoint, keys: { p256dh, auth } })
    const unsubscribe = () => {
      made = null
      return Promise.resolve(true)
    }
    Object.assign(PushManager.prototype, {
      subscribe: () => Promise.resolve((made = { toJSON, unsubscribe })),
      getSubscription: () => Promise.resolve(made),
    })
  }, service.subscribe())
  await goTo(page, '/account')
  return page
}
const pushes = (): PushMessage[] => service.received.map(({ text }) => JSON.parse(text) as PushMessage)
/** Hands a push to the page's real worker, as the browser does. */
const deliver = async (page: Page, text: string): Promise<Worker> => {
  const client = await page.context().newCDPSession(page)
  const found = new Promise<string>((resolve) =>
    client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL }) => scopeURL.endsWith(SCOPE))
      if (ours) resolve(ours.registrationId)
    }),
  )
  await client.send('ServiceWorker.enable')
  const registrationId = await found
  await client.send('ServiceWorker.deliverPushMessage', { origin: own.admin.baseUrl, registrationId, data: text })
  return until('the worker', () => page.context().serviceWorkers()[0])
}
const shown = (page: Page) =>
  page.evaluate(async (scope) => {
    const registration = await navigator.serviceWorker.getRegistration(scope)
    return (await registration?.getNotifications())?.map(({ title, body }) => ({ title, body })) ?? []
  }, SCOPE)
/** Taps a button of the notification. The address that the worker opens: only a real tap opens a window. */
const tap = (worker: Worker, action: string): Promise<string> =>
  worker.evaluate(async (chosen) => {
    const scope = globalThis as unknown as {
      registration: { getNotifications(): Promise<Notification[]> }
      clients: object
      NotificationEvent: new (type: string, init: object) => Event
    }
    const [notification] = await scope.registration.getNotifications()
    return new Promise<string>((resolve) => {
      Object.assign(scope.clients, { openWindow: (url: string) => Promise.resolve(resolve(url)) })
      const event = new scope.NotificationEvent('notificationclick', { notification, action: chosen })
      Object.assign(event, { waitUntil: () => undefined })
      globalThis.dispatchEvent(event)
    })
  }, action)

describe('a question', { timeout: 4 * WORK_MS }, () => {
  it('is pushed to a device that its user added, and answered with a second tap on its own page', async () => {
    const page = await openPhone()
    await page.getByTestId('push-add').click()
    await page.getByTestId('push-device').getByText('This device').waitFor()
    await page.getByTestId('push-test').click()
    await page.getByTestId('push-test-result').getByText('Sent.').waitFor()
    expect(pushes().map(({ title }) => title)).toEqual(['Slipway'])
    expect(await graveOn(page)).toEqual([])
    const { publicKey, devices } = await owner.ok<Channels>('GET', '/notifications')
    expect([service.received[0]?.publicKey, devices.length]).toEqual([publicKey, 1])

    await goTo(page, '/agents')
    const { id } = await startTask(owner, { agent, prompt: '@run it', policy: 'ask' })
    const { id: dialogId, title } = await asked(owner, id)
    await until('the push', () => pushes().length === 2, WORK_MS)
    const message = pushes()[1]
    expect(message).toMatchObject({ title: `${agent} needs you`, body: titleLine(title) })

    const worker = await deliver(page, service.received[1]?.text ?? '')
    await expect.poll(() => shown(page)).toEqual([{ title: message?.title, body: message?.body }])
    const url = new URL(await tap(worker, 'allow'))
    expect([url.origin, url.pathname]).toEqual([own.admin.baseUrl, `/questions/${dialogId}`])
    await goTo(page, `${url.pathname}${url.search}`)
    await page.getByTestId('question-choice').getByText('Allow once').first().waitFor()
    // Until here nothing is answered.
    expect(await owner.ok('GET', `/dialogs/${dialogId}`)).toMatchObject({ state: 'open' })
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-testid') === 'dialog-allow')
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('dialog-allow').click()
    await page.locator('[data-dialog][data-state="answered"]').waitFor()
    expect(await endedTask(owner, id)).toMatchObject({ state: 'completed' })
    const { items } = await own.admin.ok<{ items: AuditEvent[] }>('GET', '/audit?action=dialog.answered')
    expect(items).toMatchObject([
      { actor: { email: owner.email }, detail: { dialogId, from: 'push', decision: 'allow' } },
    ])

    await goTo(page, '/account')
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.getByTestId('push-add').waitFor()
  })
})
