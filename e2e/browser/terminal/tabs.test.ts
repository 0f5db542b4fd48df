/** Terminals side by side, in tabs of the page. */
import type { Agent } from '@slipway/protocol'
import type { Terminal } from '@xterm/headless'
import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { processesIn, runIn } from '../../support/engine.ts'
import { graveOn } from '../../support/page/axe.ts'
import { PATIENCE_MS, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'claude-code', keepSeconds: 300 })

/** The terminal in a tab of the page. The page keeps its emulator on the element. */
const terminalIn = (page: Page, tab: string): Locator => page.locator(`[data-tab="${tab}"] [data-testid="terminal"]`)
const isConnected = (page: Page, tab: string): Promise<void> =>
  terminalIn(page, tab).and(page.locator('[data-state="connected"]')).waitFor({ state: 'attached' })
const textIn = (page: Page, tab: string): Promise<string> =>
  terminalIn(page, tab).evaluate((element) => {
    const buffer = (element as HTMLElement & { readonly xterm?: Terminal }).xterm?.buffer.active
    if (buffer === undefined) return ''
    return Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? '').join(
      '\n',
    )
  })
const shows = (page: Page, tab: string, what: RegExp) =>
  expect.poll(() => textIn(page, tab), { timeout: PATIENCE_MS }).toMatch(what)
const run = async (page: Page, tab: string, line: string): Promise<void> => {
  await terminalIn(page, tab).click()
  await terminalIn(page, tab).locator('textarea:focus').waitFor({ state: 'attached' })
  await page.keyboard.type(`${line}\n`)
}

it('opens Bash beside a CLI that goes on, both over a reload, and closes it alone', async () => {
  const page = await visit(its.owner, its.path, { viewport: { width: 1440, height: 900 } })
  await new Screen(page).shows(/^❯/m)
  await page.getByTestId('terminal-mode-bash').click()
  await page.getByTestId('confirm-other').click()

  await isConnected(page, 'bash')
  await shows(page, 'bash', /\$ ?$/m)
  await isConnected(page, 'first')
  const [left, right] = [await terminalIn(page, 'first').boundingBox(), await terminalIn(page, 'bash').boundingBox()]
  expect(right!.x).toBeGreaterThanOrEqual(left!.x + left!.width)
  expect(await its.owner.ok<Agent>('GET', its.path)).toMatchObject({ terminalsPerUser: 2 })
  expect(await graveOn(page)).toEqual([])

  await run(page, 'bash', 'mine=kept; echo beside-$((40+2))')
  await shows(page, 'bash', /beside-42/)
  expect(await textIn(page, 'first')).not.toContain('beside')
  await page.getByTestId('terminal-tab-bash').dblclick()
  await page.getByTestId('terminal-tab-title').fill('git')
  await page.keyboard.press('Enter')
  await page.getByTestId('terminal-tab-bash').getByText('git').waitFor()

  await reload(page)
  await page.getByTestId('terminal-tab-bash').getByText('git').waitFor()
  await Promise.all([isConnected(page, 'first'), isConnected(page, 'bash')])
  await shows(page, 'first', /^❯/m)
  await run(page, 'bash', 'echo $mine-still')
  await shows(page, 'bash', /kept-still/)

  await page.getByTestId('terminal-split').click()
  await run(page, 'bash', 'until [ -e go ]; do sleep 0.1; done; echo unse""en; cat')
  await page.keyboard.press('Control+Shift+Digit1')
  await terminalIn(page, 'first').locator('textarea:focus').waitFor({ state: 'attached' })
  await expect.poll(() => terminalIn(page, 'bash').isVisible()).toBe(false)
  await runIn(its.container, ['touch', '/home/developer/go'])
  await page.getByTestId('terminal-tab-bash').and(page.locator('[data-mark="printed"]')).waitFor()
  await page.getByTestId('terminal-tab-bash').click()
  await shows(page, 'bash', /^unseen$/m)
  await page.locator('[data-testid="terminal-tab-bash"]:not([data-mark])').waitFor()

  await page.getByTestId('terminal-tab-bash').focus()
  await page.keyboard.press('Delete')
  await page.getByTestId('confirm-action').click()
  await page.getByTestId('terminal-tab-bash').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await processesIn(its.container)).includes('cat'), { timeout: PATIENCE_MS })
    .toBe(false)
  await isConnected(page, 'first')
  await shows(page, 'first', /^❯/m)
})
