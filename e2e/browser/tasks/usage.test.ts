/** The page of usage, with tasks of which the cost is told, estimated and unknown. */
// In the short form the walk has the page with figures of the server (`usage`), and
// `backend/src/modules/runs/ledger/ledger.test.ts` the sums.
import '@slipway/testing/long'
import { text } from 'node:stream/consumers'
import type { CodingSession } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithStub, stubProvider } from '../../support/tasks/stub.ts'

const PAGE = '/coding-agents/usage'

useBrowser()
let admin: Client
let owner: Client
let agent: string

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = await agentWithStub(owner, 'codex', 'claude-code')
  const silent = await stubProvider(owner, { output_format: 'text', default_args: ['--via', 'stdin', '--text'] })
  const ended = async (body: object): Promise<CodingSession> =>
    endedTask(owner, (await startTask(owner, { agent, queue: true, ...body })).id)
  await Promise.all([
    ended({ provider: 'claude-code', prompt: '@cost' }),
    // The prices have this model.
    ended({ provider: 'codex', prompt: '@cost', model: 'gpt-5' }),
    ended({ provider: `custom:${silent.name}`, prompt: 'hello' }),
  ])
  await admin.ok('PUT', `/users/${owner.userId}/budget`, { limitUsd: 2 })
})
afterAll(async () => {
  await admin.ok('PUT', `/users/${owner.userId}/budget`, { limitUsd: null })
  await owner.ok('DELETE', `/agents/${agent}`)
})

const row = (page: Page, name: string) => page.getByTestId('usage-groups').getByRole('row').filter({ hasText: name })
const download = async (page: Page): Promise<[name: string, lines: string[]]> => {
  const started = page.waitForEvent('download')
  await page.getByTestId('usage-export').click()
  const file = await started
  return [file.suggestedFilename(), (await text(await file.createReadStream())).trimEnd().split('\r\n')]
}

describe('the page of usage', () => {
  it('shows what tasks have cost, what is estimated, and what is not known', async () => {
    const page = await visit(owner, PAGE)
    const sums = page.getByTestId('usage-sums')
    await sums.getByText('≈ $0.75').waitFor()
    await sums.getByText('A part of the cost of 1 task is unknown').waitFor()
    await sums.getByText('< $0.001 is estimated').waitFor()
    await page.getByTestId('usage-budgets').getByText('$1.25 left').waitFor()
    for (const chart of ['cost', 'tokens']) await page.getByTestId(`chart-${chart}`).locator('canvas').waitFor()
    const said = await page.getByTestId('chart-cost').getByRole('img').getAttribute('aria-label')
    expect(said).toContain('1 with a known value, the highest $0.75')

    await page.getByTestId('choice-provider').click()
    await page.waitForURL((url) => url.searchParams.get('by') === 'provider')
    await row(page, 'Claude Code').getByText('$0.75', { exact: true }).waitFor()
    await row(page, 'Codex').getByText('< $0.001').first().waitFor()
    await row(page, 'custom:').getByText('unknown').first().waitFor()
    await reload(page)
    await row(page, 'Claude Code').waitFor()
    expect(await graveOn(page)).toEqual([])
  })

  it('is saved as the table that is shown, with empty cells for what is not known', async () => {
    const page = await visit(owner, `${PAGE}?by=provider&range=7`)
    await row(page, 'Claude Code').waitFor()
    const [name, lines] = await download(page)
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10)
    expect(name).toBe(`slipway-usage-by-provider-from-${from}.csv`)
    expect(lines[0]).toBe(
      '"provider","tasks","tasks_without_cost","input_tokens","output_tokens","cache_read_tokens","cache_write_tokens","cost_usd","estimated_usd"',
    )
    expect(lines[1]).toMatch(/^"Claude Code",1,0,750,0,("",){2}0\.75,0$/)
    expect(lines.find((line) => line.startsWith('"custom:'))).toMatch(/,1,1,("",){5}0$/)
    await page.getByTestId('choice-agent').click()
    await row(page, agent).waitFor()
    expect((await download(page))[1][1]).toMatch(new RegExp(`^"${agent}",3,1,`))
  })

  // The first test groups by the pointer; `ledger.test.ts` of the backend sums up by user, and shows it to admins.
  longIt('is used by keyboard alone, and is grouped by users for admins', async () => {
    const mine = await visit(owner, PAGE)
    await mine.getByTestId('usage-report').waitFor()
    expect(await mine.getByTestId('choice-user').count()).toBe(0)
    await mine.getByTestId('choice-month').focus()
    await mine.keyboard.press('ArrowRight')
    await mine.waitForURL((url) => url.searchParams.get('range') === '7')
    await mine.getByTestId('choice-day').focus()
    await mine.keyboard.press('ArrowRight')
    await row(mine, agent).getByText('+ 1 task unknown').waitFor()
    expect(await mine.getByTestId('choice-agent').getAttribute('aria-checked')).toBe('true')

    const page = await visit(admin, `${PAGE}?by=user`)
    await row(page, owner.email).getByText('≈ $0.75').waitFor()
    await page.getByTestId('usage-budgets').getByText('All users').waitFor()
  })

  // The walk has these states; `schedules.test.ts` reads a list again that could not be read.
  longIt('teaches while it is empty, loads in its shape, and says when it cannot be read', async () => {
    const newcomer = await newUser(admin)
    const page = await visit(newcomer, '/', { provoked: [answered(503)] })
    const path = '*/api/coding-agents/usage*'
    const held = await intercept(page, path, () => undefined)
    await goTo(page, PAGE)
    await page.getByLabel('Loading the usage').waitFor()
    await held.stop()
    await page.getByText('No task has ended in this time').waitFor()
    expect(await page.getByTestId('usage-export').isDisabled()).toBe(true)
    await page.getByTestId('usage-budgets').getByText('spent, no limit').waitFor()
    const message = 'The database does not answer.'
    const failing = await intercept(page, path, (request) =>
      request.fulfill({ status: 503, json: { statusCode: 503, code: 'DATABASE_UNAVAILABLE', error: 'x', message } }),
    )
    await reload(page)
    await page.getByText(message).waitFor()
    await failing.stop()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No task has ended in this time').waitFor()
  })

  // The walk has this page on a narrow window, by turns.
  longIt('fits a phone, without scrolling sideways', async () => {
    const page = await visit(owner, PAGE, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
    await page.getByTestId('usage-groups').waitFor()
    await page.getByTestId('chart-cost').locator('canvas').waitFor()
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
    expect(await page.evaluate(isWider)).toBe(false)
    expect(await graveOn(page)).toEqual([])
  })
})
