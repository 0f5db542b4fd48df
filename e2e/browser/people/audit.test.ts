/** The page on which admins see every user's actions. */
import { text } from 'node:stream/consumers'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { atNoon } from '../../support/page/noon.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
let admin: Client
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

beforeAll(async () => {
  admin = await signInAdmin()
  await its.owner.ok('PATCH', its.path, { model: 'opus' })
})

describe('the audit log', () => {
  it('shows who did what, opens by keyboard to what changed, and keeps its filters in the address', async () => {
    const page = await visit(admin, '/', { timezoneId: atNoon() })
    await page.getByTestId('rail-audit').click()
    await page.getByTestId('audit-events').waitFor()
    await page.getByTestId('audit-target').fill(its.agent.name)
    await page.getByTestId('audit-target').press('Enter')
    await page.waitForURL((url) => url.searchParams.get('target') === its.agent.name)
    const row = page.getByTestId('audit-agent.changed')
    await row.getByText(its.owner.email).waitFor()
    expect(await page.getByTestId('audit-agent.created').count()).toBe(1)

    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor()
    expect(await row.locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/)
    const line = row.getByRole('button')
    await line.focus()
    await page.keyboard.press('Enter')
    expect(await line.getAttribute('aria-expanded')).toBe('true')
    const changes = await row.getByTestId('audit-changes').innerText()
    expect(changes.replaceAll(/\s+/g, '')).toContain('model–→becameopus')

    await page.getByTestId('audit-action').click()
    await page.getByRole('option', { name: 'Created the agent' }).click()
    await page.waitForURL((url) => url.searchParams.get('action') === 'agent.created')
    await row.waitFor({ state: 'detached' })
    await reload(page)
    await page.getByTestId('audit-agent.created').waitFor()
    expect(await page.getByTestId('audit-target').inputValue()).toBe(its.agent.name)
    expect(await row.count()).toBe(0)

    await page.getByTestId('audit-target').fill('nothing is called so')
    await page.getByTestId('audit-target').press('Enter')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByTestId('audit-more').or(page.getByText('End of log')).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  it('is downloaded as a file, with the filters of the page', async () => {
    const page = await visit(admin, `/audit?target=${its.agent.name}&action=agent.created`)
    await page.getByTestId('audit-agent.created').waitFor()
    await page.getByTestId('audit-export').click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('slipway-audit.csv')
    const lines = (await text(await file.createReadStream())).trimEnd().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`"agent.created","${its.owner.email}"`)
  })

  // The walk has it in a narrow window, by turns.
  longIt('can be read on a phone, without scrolling sideways', async () => {
    const page = await visit(admin, `/audit?target=${its.agent.name}`, { viewport: { width: 390, height: 844 } })
    await page.getByTestId('audit-agent.changed').getByRole('button').click()
    await page.getByTestId('audit-changes').waitFor()
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
    expect(await page.evaluate(isWider)).toBe(false)
  })

  // `backend/test/rights/walk.test.ts` has who may read it.
  longIt('does not exist for users who are not admins, and says when it cannot be read', async () => {
    const theirs = await visit(its.owner, '/audit')
    await theirs.getByTestId('not-found').waitFor()
    expect(await theirs.getByTestId('rail-audit').count()).toBe(0)

    const page = await visit(admin, '/', { provoked: [answered(503)] })
    // Waits for the renewal. If a page is left during one, the next page has to renew twice.
    await page.getByTestId('rail-audit').waitFor()
    let fails = true
    await intercept(page, String.raw`*/api/audit\?*`, (request) => {
      if (!fails) return request.continue()
      const body = {
        statusCode: 503,
        code: 'DATABASE_UNAVAILABLE',
        error: 'x',
        message: 'The database does not answer.',
      }
      return request.fulfill({ status: 503, json: body })
    })
    await goTo(page, '/audit')
    await page.getByText('The database does not answer.').waitFor()
    fails = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByTestId('audit-events').waitFor()
  })
})
