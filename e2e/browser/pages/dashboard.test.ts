/** The dashboard: what needs the user is answered in place, and tasks move through it by themselves. */
import type { CodingSession, Dialog } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { atNoon } from '../../support/page/noon.ts'
import { goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithStub } from '../../support/tasks/stub.ts'
import { SCREENS } from '../../walk/visitor.ts'

/** Longest time until a CLI runs, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000

useBrowser()
let owner: Client
let guest: Client
let agent = ''
beforeAll(async () => {
  const admin = await signInAdmin()
  ;[owner, guest] = await Promise.all([newUser(admin), newUser(admin)])
  agent = await agentWithStub(owner, 'codex')
  await owner.ok('POST', `/agents/${agent}/shares`, { email: guest.email })
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const ask = (client: Client, title: string): Promise<Dialog> =>
  client.ok('POST', '/dialogs', { agent, title, question: { kind: 'confirm' } })
/** The list of prices has the model `gpt-5`. */
const start = (prompt: string, model?: string): Promise<CodingSession> =>
  startTask(owner, { agent, provider: 'codex', prompt, ...(model !== undefined && { model }) })
const part = (page: Page, name: string) => page.getByTestId(`dashboard-${name}`)

describe('what needs the user', () => {
  it('comes to the start page, and is answered there by the keyboard alone', async () => {
    const page = await visit(owner, '/')
    await part(page, 'nothing').getByText('Nothing needs you.').waitFor()
    const { id } = await ask(guest, 'Deploy the preview?')
    const card = part(page, 'needs-you').locator(`[data-dialog="${id}"]`)
    await card.getByText('Deploy the preview?').waitFor()
    expect(await graveOn(page)).toEqual([])
    await card.getByRole('button', { name: 'Yes' }).focus()
    await page.keyboard.press('Enter')
    await card.waitFor({ state: 'detached' })
    expect(await guest.ok<Dialog>('GET', `/dialogs/${id}`)).toMatchObject({
      state: 'answered',
      answer: { value: true },
      closedBy: owner.email,
    })
    // The focus is not lost with the card.
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-testid') === 'dashboard-nothing')
  })

  it('says who was faster, until the reader dismisses it', async () => {
    const { id } = await ask(guest, 'Deploy to production?')
    const page = await visit(owner, '/dashboard')
    const card = part(page, 'needs-you').locator(`[data-dialog="${id}"]`)
    await card.waitFor()
    await guest.ok('POST', `/dialogs/${id}/answer`, { value: false })
    await card.getByTestId('dialog-closed').getByText(guest.email).waitFor()
    await card.getByTestId('dialog-dismiss').click()
    await card.waitFor({ state: 'detached' })
  })
})

describe('tasks', { timeout: 3 * WORK_MS }, () => {
  it('come and move on by themselves, and are gone once they are marked as seen', async () => {
    const page = await visit(owner, '/', { timezoneId: atNoon() })
    await part(page, 'none-ended').waitFor()
    const { id } = await start('@wait')
    await part(page, 'active').getByTestId(`task-${id}`).waitFor()
    await owner.ok('DELETE', `/coding-agents/sessions/${id}`)
    await part(page, 'ended').getByTestId(`task-${id}`).waitFor({ timeout: WORK_MS })
    await part(page, 'active').getByText('Nothing runs now.').waitFor()
    const costly = await endedTask(owner, (await start('@cost', 'gpt-5')).id)
    await part(page, 'ended').getByTestId(`task-${costly.id}`).waitFor()
    await part(page, 'today')
      .getByText(/^(?:≈|<) \$/)
      .waitFor()
    expect(await graveOn(page)).toEqual([])

    // What ended meanwhile in another window stays until it is marked, also over a reload.
    await reload(page)
    await part(page, 'ended').getByTestId(`task-${id}`).waitFor()
    await part(page, 'seen').click()
    await part(page, 'none-ended').waitFor()
    await reload(page)
    await part(page, 'none-ended').waitFor()
    const next = await endedTask(owner, (await start('@fail')).id)
    await part(page, 'ended').getByTestId(`task-${next.id}`).waitFor()
    await part(page, 'error').waitFor()
    expect(await part(page, 'ended').getByTestId(`task-${id}`).count()).toBe(0)
    await part(page, 'ended').getByTestId(`task-${next.id}`).click()
    await page.waitForURL(`**/coding-agents/${next.id}`)
  })

  // The walk has a page without events (`tasks-lost`).
  longIt('are followed without the event socket, and the page says that it asks', async () => {
    const page = await visit(owner, '/')
    await page.routeWebSocket(/\/events$/, (socket) => socket.close())
    await reload(page)
    await part(page, 'polling').waitFor()
    const { id } = await endedTask(owner, (await start('@cost')).id)
    await part(page, 'ended').getByTestId(`task-${id}`).waitFor()
  })
})

// The walk has this page in a narrow window, by turns, and `keyboard.test.ts` the list of agents on it.
longIt('the start page leads to the agents and back by two keys, and fits on a phone', async () => {
  const page = await visit(owner, '/', SCREENS.narrow)
  await page.getByTestId(`agent-row-${agent}`).getByText('Running', { exact: true }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
  expect(await graveOn(page)).toEqual([])
  await page.getByTestId('all-agents').tap()
  await page.waitForURL((url) => url.pathname === '/agents')
  await page.getByTestId(`agent-row-${agent}`).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await part(page, 'agents').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL((url) => url.pathname === '/agents')
  await goTo(page, '/dashboard')
  await part(page, 'agents').getByTestId(`agent-row-${agent}`).tap()
  await page.waitForURL(`**/agents/${agent}`)
})
