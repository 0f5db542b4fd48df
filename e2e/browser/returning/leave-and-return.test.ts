/** A terminal outlives its agent's page. Its controls are back after a visit to any other page, at any width. */
import type { Agent } from '@slipway/protocol'
import { inLongForm, longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

/** Below and above the width at which the controls share the tabs' line. Both widths show the rail. */
const NARROW = { width: 800, height: 800 }
const WIDE = { width: 1600, height: 800 }

/** The toolbar's controls of a connected terminal. */
const CONTROLS = [
  'terminal-status',
  'terminal-recorded',
  'terminal-mode-cli',
  'terminal-mode-bash',
  'terminal-disconnect',
  'terminal-share',
  'terminal-search',
  'terminal-open-settings',
  'terminal-fullscreen',
]

const AWAY: readonly (readonly [way: string, leave: (page: Page) => Promise<void>])[] = [
  ['Users', (page) => leaveBy(page, 'Users', 'Users')],
  ['Audit log', (page) => leaveBy(page, 'Audit log', 'Audit log')],
  ['Shared credentials', (page) => leaveBy(page, 'Shared credentials', 'Shared credentials')],
  ['the logo', (page) => leaveBy(page, 'Slipway', 'Dashboard')],
]

useBrowser()
let admin: Client
let agent: Agent
let other: Agent

beforeAll(async () => {
  admin = await newUser(await signInAdmin(), 'admin')
  const settings = { runtime: 'bash', memoryMb: 512, record: true }
  ;[agent, other] = await Promise.all([admin.agent(settings), admin.agent(settings)])
})
afterAll(() => Promise.all([agent, other].map(({ name }) => admin.ok('DELETE', `/agents/${name}`))))

const rail = (page: Page) => page.getByTestId('rail').filter({ visible: true })
const leaveBy = async (page: Page, link: string, heading: string): Promise<void> => {
  await rail(page).getByRole('link', { name: link, exact: true }).click()
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  expect(await page.getByRole('toolbar', { name: 'Terminal' }).filter({ visible: true }).count()).toBe(0)
}
const openAgent = (page: Page, name: string): Promise<void> => rail(page).getByTestId(`rail-agent-${name}`).click()

/** Each control is visible exactly once: in the tabs' line if there is room, otherwise above the terminal. */
const hasControls = async (page: Page, isWide: boolean): Promise<void> => {
  const toolbar = page.getByRole('toolbar', { name: 'Terminal' }).filter({ visible: true })
  await toolbar.waitFor()
  await expect
    .poll(async () => {
      const [bar, tabs] = await Promise.all([toolbar.boundingBox(), page.getByTestId('tab-terminal').boundingBox()])
      return bar!.y < tabs!.y + tabs!.height
    })
    .toBe(isWide)
  for (const control of CONTROLS) {
    await toolbar.getByTestId(control).waitFor()
    expect(await page.getByTestId(control).filter({ visible: true }).count(), control).toBe(1)
  }
}

/** The agent's page, connected, with text on its screen that a new terminal would not have. */
const begin = async (path = `/agents/${agent.name}`): Promise<{ page: Page; screen: Screen }> => {
  const page = await visit(admin, path, { viewport: WIDE })
  const screen = new Screen(page)
  await screen.shell()
  await screen.run('echo still $((40+2))')
  await hasControls(page, true)
  return { page, screen }
}

describe('a terminal whose page is left and opened again', () => {
  // The next test takes all of these ways.
  it.each(inLongForm(AWAY))('has its controls after %s, and they work', async (_way, leave) => {
    const { page, screen } = await begin()
    for (let times = 0; times < 2; times++) {
      await leave(page)
      await openAgent(page, agent.name)
      await hasControls(page, true)
    }
    expect(await screen.text()).toContain('still 42')
    await page.getByTestId('terminal-search').click()
    await page.getByTestId('terminal-search-input').waitFor()
    await page.keyboard.press('Escape')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await page.getByTestId('terminal-connect').click()
    await screen.shell()
  })

  it('has them after every way at once, the browser’s own back and forward included', async () => {
    const { page, screen } = await begin()
    for (const [, leave] of AWAY) await leave(page)
    await rail(page).getByRole('link', { name: 'Users', exact: true }).click()
    await page.goBack()
    for (let steps = 0; steps < AWAY.length; steps++) await page.goBack()
    await hasControls(page, true)
    await page.goForward()
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
    await page.goBack()
    await hasControls(page, true)
    expect(await screen.text()).toContain('still 42')
    await page.getByTestId('terminal-search').click()
    await page.getByTestId('terminal-search-input').waitFor()
  })

  // The test before takes many ways.
  longIt('has them after its agent’s other tabs, another agent and the system agent', async () => {
    const { page, screen } = await begin()
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('usage').waitFor()
    await page.getByTestId('tab-terminal').click()
    await hasControls(page, true)
    await openAgent(page, other.name)
    await screen.shell()
    await hasControls(page, true)
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL('**/system-agent')
    await screen.is('connected')
    await openAgent(page, agent.name)
    await hasControls(page, true)
    expect(await screen.text()).toContain('still 42')
    await openAgent(page, other.name)
    await hasControls(page, true)
  })

  // The test before returns at one width, and `pages/phone.test.ts` has the bars of a phone.
  longIt('has them when the window became narrow or wide meanwhile, here or there', async () => {
    const { page } = await begin()
    const leave = (): Promise<void> => leaveBy(page, 'Users', 'Users')
    for (const size of [NARROW, WIDE, NARROW]) {
      const isWide = size === WIDE
      await leave()
      await page.setViewportSize(size)
      await openAgent(page, agent.name)
      await hasControls(page, isWide)
      await page.setViewportSize(isWide ? NARROW : WIDE)
      await hasControls(page, !isWide)
      await page.setViewportSize(size)
      await hasControls(page, isWide)
      await leave()
      await openAgent(page, agent.name)
      await hasControls(page, isWide)
    }
  })

  // The walk has full screen and leaves it (`terminal-fullscreen`).
  longIt('has them after fullscreen, left by its button or by the browser’s back', async () => {
    const { page } = await begin()
    const fullscreen = page.locator('[data-testid="terminal-panel"][data-fullscreen="true"]')
    const enter = async (): Promise<void> => {
      await page.getByTestId('terminal-fullscreen').click()
      await fullscreen.waitFor()
    }
    await enter()
    await page.getByTestId('terminal-fullscreen').click()
    await fullscreen.waitFor({ state: 'detached' })
    await hasControls(page, true)
    await leaveBy(page, 'Users', 'Users')
    await openAgent(page, agent.name)
    await enter()
    await page.goBack()
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
    await page.goForward()
    await hasControls(page, true)
  })
})
