/** The timeline of a task of the real Claude Code: where its time went, and the way from there to its steps. */
// In the short form the tests of the front end have the bars and steps.
import '@slipway/testing/long'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { SCREENS } from '../../walk/visitor.ts'

/** Longest time until the real CLI is at work, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const GATE = '/tmp/go'
const FILE = '/home/developer/one.ts'
const SCRIPT: Script = [
  { say: 'First I read the file.', tool: 'Read', input: { file_path: FILE } },
  { tool: 'Bash', input: { command: `until [ -e ${GATE} ]; do sleep 0.1; done; sleep 2`, description: 'Wait' } },
  { say: 'It is done.' },
]

useBrowser()
let owner: Client
let agent = ''
let id = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await sh(owner, agent, `echo 'return 1' > ${FILE}`)
  id = (await startTask(owner, { agent, prompt: 'Wait for the gate' })).id
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const timelineOf = (task: string): string => `/coding-agents/${task}?view=timeline`
const chart = (page: Page) => page.getByTestId('timeline-chart')
const lane = (page: Page, name: string) => chart(page).getByRole('row').filter({ hasText: name })
const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null)

describe('the timeline of a task', { timeout: 3 * WORK_MS }, () => {
  it('grows while the task is active, and then accounts for its time and its cost', async () => {
    const page = await visit(owner, timelineOf(id))
    await lane(page, 'Shell').locator('[data-bar]').waitFor({ timeout: WORK_MS })
    await sh(owner, agent, `touch ${GATE}`)
    await endedTask(owner, id)
    await page.locator('[data-testid="run-state"][data-state="completed"]').waitFor()
    for (const name of ['Model', 'Read', 'Shell', 'Start and end of the CLI'])
      await lane(page, name).locator('[data-bar]').first().waitFor()
    await page.getByTestId('timeline-calls').getByRole('row').nth(1).waitFor()
    await page.getByTestId('timeline-sums').getByText('$').waitFor()
  })

  it('leads from a bar to its step, by the keyboard alone, and the address keeps the step', async () => {
    const page = await visit(owner, timelineOf(id))
    const first = lane(page, 'Model').locator('[data-bar]').first()
    await first.focus()
    expect(await first.getAttribute('tabindex')).toBe('0')
    expect(await chart(page).locator('[tabindex="0"]').count()).toBe(1)
    // Each key moves the focus, a moment later.
    const press = async (key: 'ArrowDown' | 'ArrowUp'): Promise<string | null> => {
      const before = await focused(page)
      await page.keyboard.press(key)
      await expect.poll(() => focused(page)).not.toBe(before)
      return focused(page)
    }
    await press('ArrowDown')
    expect(await press('ArrowUp')).toMatch(/^Model/)
    for (let moves = 0, at = null as string | null; moves < 3 && !at?.startsWith('Shell'); moves += 1)
      at = await press('ArrowDown')
    expect(await focused(page)).toMatch(/^Shell, until \[ -e \/tmp\/go \].*, after /)
    await page.keyboard.press('Enter')
    const step = page.getByTestId('run-events').locator('[data-entry][aria-current]')
    await step.filter({ hasText: 'until [ -e' }).waitFor()
    await reload(page)
    await step.filter({ hasText: 'until [ -e' }).waitFor()
  })

  // The next test goes the same way, by a tap.
  longIt('lists the slowest steps, each with the way to it', async () => {
    const page = await visit(owner, timelineOf(id))
    await page
      .getByTestId('timeline-slowest')
      .getByRole('link', { name: /^Shell/ })
      .click()
    await page.getByTestId('run-events').locator('[data-entry][aria-current]').filter({ hasText: 'until' }).waitFor()
  })

  it('fits on a phone, and axe finds nothing grave', async () => {
    const page = await visit(owner, timelineOf(id), SCREENS.narrow)
    await lane(page, 'Shell').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
    expect(await graveOn(page)).toEqual([])
    await page
      .getByTestId('timeline-slowest')
      .getByRole('link', { name: /^Shell/ })
      .tap()
    await page.getByTestId('run-events').locator('[data-entry][aria-current]').waitFor()
  })
})
