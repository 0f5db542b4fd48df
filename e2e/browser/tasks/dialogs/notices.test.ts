/** Notifications of questions: for a user who looks elsewhere, of the kinds that they chose, outside of their quiet hours. */
import { DEFAULT_PREFERENCES, type Dialog, type Preferences } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { hear, look } from '../../../support/page/notifications.ts'
import { goTo, useBrowser, visit } from '../../../support/pages.ts'

const PREFERENCES = '/users/me/preferences'
/** Longer than the least time between two notifications, in milliseconds. */
const LATER_MS = 11_000

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await owner.agent({ runtime: 'bash', memoryMb: 512 })).name
  return () => owner.ok('DELETE', `/agents/${agent}`)
})

const want = (notifications: Partial<Preferences['notifications']> = {}) =>
  owner.ok('PUT', PREFERENCES, {
    terminal: { ...DEFAULT_PREFERENCES.terminal, notify: true },
    notifications: { ...DEFAULT_PREFERENCES.notifications, ...notifications },
  })
const ask = (title: string): Promise<Dialog> =>
  owner.ok('POST', '/dialogs', { agent, title, question: { kind: 'confirm' } })
const cancelAll = async (): Promise<void> => {
  for (const { id } of await owner.ok<Dialog[]>('GET', '/dialogs?state=open'))
    await owner.ok('DELETE', `/dialogs/${id}`)
}
const inTray = (page: Page, text: string): Promise<void> => page.getByTestId('tray-button').getByText(text).waitFor()
/** A page at `path` that has loaded, whose notifications are heard. The test moves its clock. */
const open = async (path: string): Promise<{ page: Page; shown: () => Promise<string[]> }> => {
  const page = await visit(owner, '/account')
  await page.context().grantPermissions(['notifications'], { origin: inject('baseUrl') })
  const shown = await hear(page)
  await page.clock.install()
  // What is open when the page has read the questions is not news, so it shows when that is.
  await page.goto('about:blank')
  const { id } = await ask('Before?')
  await goTo(page, path)
  await inTray(page, '1 needs you')
  await owner.ok('DELETE', `/dialogs/${id}`)
  await page.getByTestId('tray-button').getByText('1 needs you').waitFor({ state: 'hidden' })
  await page.getByTestId(`rail-agent-${agent}`).waitFor()
  return { page, shown }
}

describe('a question', () => {
  it('is told to a user who looks elsewhere, once, together with others, and its page takes the answer', async () => {
    await want()
    const { page, shown } = await open('/account')
    await ask('Deploy?')
    await inTray(page, '1 needs you')
    // If the clock went on, the first of two questions would be told alone where the second one comes late.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + LATER_MS)
    await expect.poll(shown).toEqual([`${agent} needs you: Deploy?`])
    await ask('Which port?')
    await ask('Publish\n<b>now</b>?')
    await inTray(page, '3 need you')
    await page.clock.fastForward(LATER_MS)
    await page.clock.resume()
    await expect.poll(shown).toEqual([`${agent} needs you: Deploy?`, '2 need you: Publish <b>now</b>?'])
    await page.evaluate(() =>
      (window as unknown as { shown: Notification[] }).shown.at(-1)?.dispatchEvent(new Event('click')),
    )
    await page.getByTestId('dashboard-needs-you').getByText('Deploy?').waitFor()
    await cancelAll()
  })

  // The first test tells a user who looks elsewhere.
  longIt('is not told to a user who looks at it, but to one who has turned away', async () => {
    await want()
    const { page, shown } = await open('/')
    const { id } = await ask('Seen?')
    await page.locator(`[data-dialog="${id}"]`).waitFor()
    await page.clock.fastForward(LATER_MS)
    await look(page, false)
    const next = await ask('Unseen?')
    await page.locator(`[data-dialog="${next.id}"]`).waitFor()
    await page.clock.fastForward(LATER_MS)
    await expect.poll(shown).toEqual([`${agent} needs you: Unseen?`])
    await cancelAll()
  })

  // `backend/src/modules/channels/push.test.ts` has the quiet hours and kinds of pushes.
  longIt('is not told in quiet hours, and not if the user does not want its kind', async () => {
    await want({ questions: false })
    const { page, shown } = await open('/account')
    await ask('Unwanted?')
    await inTray(page, '1 needs you')
    await page.clock.fastForward(LATER_MS)
    await page.getByTestId('notify-questions').click()
    await page.getByTestId('notify-quiet').click()
    const [from, to] = await page.evaluate(() =>
      [-1, 2].map((hours) => `${String((new Date().getHours() + hours + 24) % 24).padStart(2, '0')}:00`),
    )
    await page.getByTestId('notify-quiet-from').fill(from ?? '')
    await page.getByTestId('notify-quiet-to').fill(to ?? '')
    await expect
      .poll(async () => (await owner.ok<Preferences>('GET', PREFERENCES)).notifications)
      .toMatchObject({ questions: true, quietHours: { from, to } })
    await ask('At night?')
    await inTray(page, '2 need you')
    await page.clock.fastForward(LATER_MS)
    await page.getByTestId('notify-quiet').click()
    await page.getByTestId('notify-quiet-from').waitFor({ state: 'detached' })
    await ask('By day?')
    await inTray(page, '3 need you')
    await page.clock.fastForward(LATER_MS)
    await expect.poll(shown).toEqual([`${agent} needs you: By day?`])
    await cancelAll()
  })
})
