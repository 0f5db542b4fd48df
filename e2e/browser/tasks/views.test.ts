/** Filters of the list of tasks by reason, person and time, in its address and as saved views. */
// In the short form the tests of the front end have the filters.
import '@slipway/testing/long'
import { type CodingSession, DEFAULT_PREFERENCES, type Preferences } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithStub } from '../../support/tasks/stub.ts'

const PAGE = '/coding-agents'
const PREFERENCES = '/users/me/preferences'

useBrowser()
let owner: Client
let guest: Client
let agent: string
let mine: CodingSession
let failed: CodingSession
let theirs: CodingSession
beforeAll(async () => {
  const admin = await signInAdmin()
  owner = await newUser(admin)
  guest = await newUser(admin)
  agent = await agentWithStub(owner, 'claude-code')
  await owner.ok('POST', `/agents/${agent}/shares`, { email: guest.email })
  const ended = async (client: Client, prompt: string, more = {}): Promise<CodingSession> => {
    const { id } = await startTask(client, { agent, provider: 'claude-code', prompt, ...more })
    return endedTask(client, id)
  }
  mine = await ended(owner, '@cost of mine')
  failed = await ended(owner, '@fail of mine')
  theirs = await ended(guest, '@cost of the guest')
  expect([mine.state, failed.state]).toEqual(['completed', 'failed'])
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))
afterEach(() => owner.ok('PUT', PREFERENCES, DEFAULT_PREFERENCES))

const views = async () => (await owner.ok<Preferences>('GET', PREFERENCES)).tasks.views
const row = (page: Page, { id }: CodingSession) => page.getByTestId(`task-${id}`)
/** Waits until the list has these tasks and no others of the three. */
const shows = (page: Page, ...tasks: CodingSession[]): Promise<unknown> =>
  until('the tasks in the list', async () => {
    const shown = await Promise.all([mine, failed, theirs].map(async (task) => (await row(page, task).count()) === 1))
    return shown.every((isShown, at) => isShown === tasks.includes([mine, failed, theirs][at]!))
  })
const choose = async (page: Page, field: string, name: string): Promise<void> => {
  await page.getByTestId(`tasks-by-${field}`).click()
  await page.getByRole('option', { name, exact: true }).click()
}
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('the filters of the list of tasks', () => {
  it('are a reason, a person and a time, which a link shares', async () => {
    const page = await visit(owner, PAGE)
    await shows(page, mine, failed)
    await page.getByTestId('tasks-filters-toggle').click()
    await choose(page, 'by', 'All tasks I may see')
    await shows(page, mine, failed, theirs)
    await row(page, theirs).getByRole('img', { name: 'Of another user' }).waitFor()
    await choose(page, 'reason', 'Completed')
    await shows(page, mine, theirs)
    await choose(page, 'time', 'Last 24 hours')
    await shows(page, mine, theirs)
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({ by: 'all', reason: 'completed', time: '1d' })
    expect(await graveOn(page)).toEqual([])
    // For another reader, the same link shows what they may see.
    const shared = await visit(guest, `${PAGE}?${searchParams.toString()}`)
    await shows(shared, mine, theirs)
    await row(shared, mine).click()
    await shared.getByTestId('run-state').waitFor()
    const unknown = await visit(owner, `${PAGE}?reason=nonsense&by=x&time=9y`)
    await shows(unknown, mine, failed)
  })

  it('are saved as a view by keyboard, opened with one press, and removed', async () => {
    const page = await visit(owner, `${PAGE}?by=all&reason=completed`)
    await shows(page, mine, theirs)
    await page.getByTestId('view-save').focus()
    await page.keyboard.press('Enter')
    await page.getByTestId('view-name').waitFor()
    await until('the focus on the name', () =>
      page.getByTestId('view-name').evaluate((field) => field === document.activeElement),
    )
    await page.keyboard.type('Done by all')
    await page.keyboard.press('Enter')
    await page.getByTestId('view-Done by all').waitFor()
    expect(await views()).toEqual([{ name: 'Done by all', query: 'by=all&reason=completed' }])
    expect(await page.getByTestId('view-Done by all').getAttribute('aria-current')).toBe('true')
    expect(await graveOn(page)).toEqual([])

    await page.getByTestId('view-All').click()
    await shows(page, mine, failed)
    await page.getByTestId('view-Done by all').focus()
    await page.keyboard.press('Enter')
    await shows(page, mine, theirs)
    expect(new URL(page.url()).search).toBe('?by=all&reason=completed')
    // It is there on another device, and after a reload.
    await reload(page)
    await page.getByTestId('view-Done by all').waitFor()
    const other = await visit(owner, PAGE)
    await other.getByTestId('view-Done by all').click()
    await shows(other, mine, theirs)

    await page.getByTestId('view-remove').click()
    await page.getByTestId('view-save').waitFor()
    expect(await views()).toEqual([])
  })

  it('fit on a phone, with many views of long names', async () => {
    const long = Array.from({ length: 6 }, (_, at) => ({
      name: `${at} ${'long '.repeat(9)}`.trim(),
      query: `q=x${at}`,
    }))
    await owner.ok('PUT', PREFERENCES, { tasks: { views: long } })
    const page = await visit(owner, PAGE, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    await page.getByTestId(`view-${long[5]?.name}`).tap()
    await page.getByTestId('view-remove').waitFor()
    await page.getByTestId('tasks-filters-toggle').tap()
    await page.getByTestId('tasks-by-time').waitFor()
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
  })
})
