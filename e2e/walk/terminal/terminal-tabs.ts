/** An agent's terminals in tabs: two side by side where there is room, and a title that is being typed. */
import type { Page } from 'playwright'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

export const terminalTabs = async (
  visitor: Visitor,
  page: Page,
  { owner, running }: FurnishedServer,
): Promise<void> => {
  await owner.ok('PATCH', `/agents/${running.name}`, { terminalsPerUser: 2 })
  await visitor.choose(page, 'terminal-tab-new')
  await page.getByRole('menuitem', { name: 'Bash' }).click()
  await page.locator('[data-tab="bash"] [data-testid="terminal"][data-state="connected"]').waitFor()
  await visitor.see(page, 'terminal-tabs')
  await page.getByTestId('terminal-tab-bash').focus()
  await page.keyboard.press('F2')
  await page.getByTestId('terminal-tab-title').fill('git')
  await visitor.see(page, 'terminal-tab-title')
  await page.keyboard.press('Escape')
  await visitor.choose(page, 'terminal-tab-close-bash')
  await page.getByTestId('confirm-action').waitFor()
  await visitor.see(page, 'terminal-tab-close')
  await page.getByTestId('confirm-action').click()
  await page.getByTestId('terminal-tab-bash').waitFor({ state: 'detached' })
  await owner.ok('PATCH', `/agents/${running.name}`, { terminalsPerUser: 1 })
  await page.getByTestId('terminal-tabs').waitFor({ state: 'detached' })
}
