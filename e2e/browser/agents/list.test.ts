/** The list of agents: what each does, its order, its filter, and the menu of a row. */
// In the short form the walk has the list (`agents`), and `live-state.test.ts` a state that changes in it.
import '@slipway/testing/long'
import { expect, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { thumbHeight } from '../../support/page/thumb.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { openBash } from '../../support/terminal/open-bash.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })

it('says what happens in an agent, is sorted and filtered, and leads to its pages', async () => {
  const page = await visit(its.owner, '/agents', { viewport: { width: 1440, height: 900 } })
  const row = page.getByTestId(`agent-row-${its.agent.name}`)
  await row.getByTestId('agent-does').getByText('Idle').waitFor()
  const terminal = await openBash(its.owner, its.agent.name)
  await row.getByTestId('agent-does').getByText('1 terminal open').waitFor()
  await row.getByTestId('agent-active').getByText('just now').waitFor()
  terminal.type('while sleep 0.2; do date; done\r')
  await row.getByTestId('agent-does').getByText('Works in 1 terminal').waitFor()
  terminal.type('\u0003')
  await row.getByTestId('agent-does').getByText('1 terminal open').waitFor()
  await terminal.disconnect()
  await row.getByTestId('agent-does').getByText('Idle').waitFor()
  expect(await graveOn(page)).toEqual([])

  const head = page.getByTestId('agents-sort-activity')
  await head.click()
  await head.and(page.locator('[aria-pressed="true"]')).waitFor()
  await row.waitFor()
  await page.getByTestId('agents-state').click()
  await page.getByRole('option', { name: 'Stopped' }).click()
  await page.getByText('No agent is in this state').waitFor()
  await page.getByTestId('agents-state').click()
  await page.getByRole('option', { name: 'Running' }).click()
  await row.getByTestId('agent-row-menu').click()
  await page.getByRole('menuitem', { name: 'Logs' }).click()
  await page.waitForURL((url) => url.pathname === `${its.path}/logs`)
})

it('is filtered and sorted on a phone in one row, and shows the people in an agent', async () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
  const page = await visit(its.owner, '/agents', phone)
  const row = page.getByTestId(`agent-row-${its.agent.name}`)
  const terminal = await openBash(its.owner, its.agent.name)
  await row.getByTestId('people-here').tap()
  await page.getByText('In a terminal now', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await terminal.disconnect()
  await row.getByTestId('people-here').waitFor({ state: 'detached' })

  const [state, order, reverse] = ['state', 'sort', 'reverse'].map((id) => page.getByTestId(`agents-bar-${id}`))
  for (const control of [state!, order!, reverse!]) expect(await thumbHeight(control)).toBeGreaterThanOrEqual(42)
  await order!.tap()
  await page.getByRole('option', { name: 'Last activity' }).tap()
  await order!.getByText('Last activity').waitFor()
  await reverse!.tap()
  await reverse!.and(page.locator('[aria-pressed="true"]')).waitFor()
  await state!.tap()
  await page.getByRole('option', { name: 'Stopped' }).tap()
  await page.getByText('No agent is in this state').waitFor()
  expect(await graveOn(page)).toEqual([])
  await state!.tap()
  await page.getByRole('option', { name: 'All states' }).tap()
  await row.waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
