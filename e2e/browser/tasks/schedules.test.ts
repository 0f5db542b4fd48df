/** The page of schedules: from an example to a result, every field's error, and a schedule that runs at its time. */
import type { Agent, CliProvider, CodingSession, Schedule } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { graveOn } from '../../support/page/axe.ts'
import { chooseLast, tabTo } from '../../support/page/keys.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask } from '../../support/tasks/follow.ts'
import { agentWithStub, quicken, stubProvider } from '../../support/tasks/stub.ts'

const PAGE = '/coding-agents/schedules'
const BASE = '/coding-agents/schedules'
/** Longest wait for the next minute, and the start of a task, on a busy machine. */
const NEXT_MINUTE_MS = 150_000

useBrowser()
let admin: Client
let owner: Client
let agent: string
let stub: CliProvider

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = await agentWithStub(owner)
  await quicken(owner, agent)
  stub = await stubProvider(owner)
})
afterEach(async () => {
  for (const { id } of await mine()) await owner.ok('DELETE', `${BASE}/${id}`)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const add = (body: object, client = owner): Promise<Schedule> =>
  client.ok('POST', BASE, {
    ...{ name: 'Nightly', agent, provider: `custom:${stub.name}`, prompt: '@cost', cron: '30 2 * * 1-5' },
    ...{ timezone: 'Europe/Berlin', enabled: false, ...body },
  })
const mine = (): Promise<Schedule[]> => owner.ok('GET', BASE)
const row = (page: Page, name: string) => page.getByTestId(`schedule-${name}`)
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('the page of schedules', () => {
  it('leads by keyboard alone from an example to the result of its task', async () => {
    // The server is asked about a time zone that is typed only in part.
    const page = await visit(owner, '/', { provoked: [answered(400)] })
    await page.getByTestId('open-palette').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Go to an agent, or do something…').fill('schedules')
    await page.getByRole('option', { name: 'Schedules of tasks' }).and(page.locator('[data-highlighted]')).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === PAGE)

    await tabTo(page, 'schedule-example')
    await page.keyboard.press('Enter')
    await page.getByTestId('schedule-form').waitFor()
    expect(await page.getByTestId('schedule-name').inputValue()).toBe('Nightly dependency update')
    await page.getByText('Monday to Friday at 02:30').last().waitFor()
    await tabTo(page, 'task-field-provider')
    await chooseLast(page)
    await tabTo(page, 'task-field-prompt')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('@cost')
    await tabTo(page, 'schedule-timezone')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Asia/Tokyo')
    const times = page.getByTestId('schedule-preview').getByTestId('next-runs').getByRole('listitem')
    await until('the times in Tokyo', async () => (await times.first().innerText()).includes('for you'))
    expect(await times.count()).toBe(5)
    await tabTo(page, 'schedule-save')
    await page.keyboard.press('Enter')

    await page.getByTestId('schedule-detail').waitFor()
    const [created] = await mine()
    expect(created).toMatchObject({
      provider: `custom:${stub.name}`,
      prompt: '@cost',
      timezone: 'Asia/Tokyo',
      enabled: true,
    })
    expect(await page.getByTestId('schedule-detail').getByTestId('next-runs').getByRole('listitem').count()).toBe(5)
    await tabTo(page, 'schedule-run')
    await page.keyboard.press('Enter')
    await page.getByText('Started “Nightly dependency update”').first().waitFor()
    const history = page.getByTestId('schedule-history')
    const link = history.getByRole('link', { name: 'Completed' })
    await link.waitFor({ timeout: NEXT_MINUTE_MS })
    const [{ lastRun }] = (await mine()) as [Schedule]
    expect(await link.getAttribute('href')).toBe(`/coding-agents/${lastRun?.id}`)
    await history.getByText('$0.75').waitFor()
    await reload(page)
    await page.getByTestId('schedule-history').waitFor()
  })

  // `e2e/tasks/schedules.test.ts` waits for the time of a schedule. Here a run is started by hand, and comes by the
  // same event.
  longIt('shows a run when its time comes, without a reload', async () => {
    const at = new Date(Date.now() + 70_000)
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
    const { id, nextRuns } = await add({ name: 'Soon', cron, timezone: 'UTC', enabled: true })
    const page = await visit(owner, PAGE)
    await row(page, 'Soon').getByText('No run yet').waitFor()
    await row(page, 'Soon').getByTestId('schedule-last-run').waitFor({ timeout: NEXT_MINUTE_MS })
    const { lastRun } = await owner.ok<Schedule>('GET', `${BASE}/${id}`)
    expect(Date.parse(lastRun?.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(nextRuns[0] ?? ''))
    expect(await endedTask(owner, lastRun?.id ?? '')).toMatchObject({ reason: 'completed', scheduleId: id })
    await row(page, 'Soon').getByText('Completed').waitFor()
  })

  // The walk has such a form (`schedule-refused`).
  longIt('says what is wrong beside the field, before and after the server is asked', async () => {
    const page = await visit(owner, PAGE, { provoked: [answered(400)] })
    await page.getByRole('button', { name: 'Start from scratch' }).click()
    await page.getByTestId('schedule-save').click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByText('Say what the agent should do.').waitFor()
    expect(await page.getByTestId('schedule-name').evaluate((field) => field === document.activeElement)).toBe(true)

    const cron = page.getByTestId('schedule-cron')
    await cron.fill('* * * * *')
    await page.getByText('A schedule may run every 5 minutes at most.', { exact: true }).waitFor()
    expect(await cron.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Monday to Friday', exact: true }).click()
    await page.getByTestId('next-runs').waitFor()
    await page.getByTestId('schedule-timezone').fill('Mars/Phobos')
    await page.getByText('is not in the IANA time zone database').waitFor()
    await page.getByTestId('schedule-timezone').fill('UTC')
    await page.getByTestId('next-runs').waitFor()

    await page.getByTestId('schedule-name').fill('Refused')
    await page.getByTestId('task-field-prompt').fill('@cost')
    await page.getByTestId('task-field-provider').click()
    await page.getByRole('option', { name: 'Stub' }).click()
    await page.getByTestId('task-field-more').click()
    await page.getByTestId('task-turns').fill('3')
    await page.getByTestId('task-field-more').click()
    await page.getByTestId('schedule-save').click()
    const turns = page.getByTestId('task-turns')
    await turns.waitFor()
    await until('the error', async () => (await turns.getAttribute('aria-invalid')) === 'true')
    expect(await graveOn(page)).toEqual([])
    expect(await mine()).toEqual([])
  })

  it('edits a schedule with all of a long prompt, switches it, and deletes it after a question', async () => {
    const prompt = `@cost ${'and more '.repeat(1_000)}`
    const { id } = await add({ prompt })
    const page = await visit(owner, `${PAGE}?schedule=${id}`)
    await page.getByTestId('schedule-edit').click()
    await page.getByTestId('schedule-name').fill('Every night')
    await page.getByTestId('schedule-missed').click()
    await page.getByRole('option', { name: 'Run once for all of them' }).click()
    await page.getByTestId('task-field-more').click()
    await page.getByTestId('task-budget').fill('1.5')
    await page.getByTestId('task-timeout').fill('10')
    await page.getByTestId('schedule-save').click()
    await row(page, 'Every night').waitFor()
    expect(await owner.ok('GET', `${BASE}/${id}`)).toMatchObject({
      ...{ name: 'Every night', prompt, missed: 'run_once', maxBudgetUsd: 1.5, timeoutSeconds: 600, enabled: false },
    })
    await page.getByTestId('schedule-edit').click()
    await page.getByTestId('task-budget').fill('')
    await page.getByTestId('schedule-save').click()
    await page.getByTestId('schedule-form').waitFor({ state: 'detached' })
    expect(await owner.ok('GET', `${BASE}/${id}`)).toMatchObject({ maxBudgetUsd: null, timeoutSeconds: 600 })

    await row(page, 'Every night').getByTestId('schedule-switch').click()
    await row(page, 'Every night').getByTestId('next-runs').waitFor()
    expect((await mine())[0]?.enabled).toBe(true)
    await page.getByTestId('schedule-delete').click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await mine()).toHaveLength(1)
    await page.getByTestId('schedule-delete').click()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('no-schedules').waitFor()
    expect(await mine()).toEqual([])
  })

  // Without a page: `backend/src/modules/runs/schedules/schedules.test.ts`.
  longIt('says why the server has switched a schedule off', async () => {
    const shared: Agent = await admin.agent()
    try {
      await admin.ok('POST', `/agents/${shared.name}/shares`, { email: owner.email })
      const { id } = await add({ name: 'Lost', agent: shared.name, enabled: true })
      await admin.ok('DELETE', `/agents/${shared.name}/shares/${owner.userId}`)
      const page = await visit(owner, `${PAGE}?schedule=${id}`)
      await row(page, 'Lost').getByText('Switched off by the server').waitFor()
      const { disabledBecause } = await owner.ok<Schedule>('GET', `${BASE}/${id}`)
      await page
        .getByTestId('schedule-disabled')
        .getByText(disabledBecause ?? '–')
        .waitFor()
      await owner.ok('DELETE', `${BASE}/${id}`)
    } finally {
      await admin.ok('DELETE', `/agents/${shared.name}`)
    }
  })

  // The walk has both (`schedules-loading`, `schedules-error`).
  longIt('has the shape of its rows while it loads, and says when it cannot be read', async () => {
    await add({})
    const page = await visit(owner, '/', { provoked: [answered(503)] })
    const path = '*/api/coding-agents/schedules'
    const held = await intercept(page, path, () => undefined)
    await goTo(page, PAGE)
    await page.getByLabel('Loading the schedules').waitFor()
    await held.stop()
    await row(page, 'Nightly').waitFor()
    const message = 'The database does not answer.'
    const failing = await intercept(page, path, (request) =>
      request.fulfill({ status: 503, json: { statusCode: 503, code: 'DATABASE_UNAVAILABLE', error: 'x', message } }),
    )
    // The list stays while an update fails.
    await page.getByText(`Could not update this list: ${message}`).waitFor()
    await row(page, 'Nightly').waitFor()
    await reload(page)
    await page.getByText('Could not load the schedules').waitFor()
    await failing.stop()
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Nightly').waitFor()
  })

  // The walk has these states on a narrow window, by turns.
  longIt('works on a phone, without scrolling sideways', async () => {
    const { id } = await add({ cron: '0 1,2,3,5,7 * * *' })
    const task = await owner.ok<CodingSession>('POST', `${BASE}/${id}/run`)
    await endedTask(owner, task.id)
    const page = await visit(owner, PAGE, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    await row(page, 'Nightly').getByText('0 1,2,3,5,7 * * *').waitFor()
    await row(page, 'Nightly').getByTestId('schedule-open').tap()
    await page.getByTestId('schedule-history').waitFor()
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('schedule-edit').tap()
    await page.getByTestId('schedule-form').getByTestId('next-runs').waitFor()
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
  })
})
