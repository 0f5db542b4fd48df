/** On a phone, a thumb reaches everything. */
import type { Agent } from '@slipway/protocol'
import { isLongForm, longIt } from '@slipway/testing/forms'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { startCat } from '../../support/terminal/cat.ts'
import { contextOf, goTo, useBrowser, visit, withoutHttps } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { thumbHeight } from '../../support/page/thumb.ts'

/** Smallest touch target, in CSS pixels. It allows for rounding at both ends. */
const THUMB = 44 - 2

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

useBrowser({ ownClipboard: true })
let owner: Client
let agent: Agent
let container: string

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = await owner.agent()
  container = `${inject('namespace')}-agent-${agent.name}`
})
afterAll(() => owner.ok('DELETE', `/agents/${agent.name}`))

describe('a phone', () => {
  it('has the rail as a sheet, and a terminal with a bar of keys', async () => {
    const page = await visit(owner, '/', PHONE)
    await page.getByTestId(`agent-row-${agent.name}`).waitFor()
    await page.getByTestId('rail').waitFor({ state: 'hidden' })
    await page.getByTestId('rail-toggle').tap()
    const sheet = page.getByRole('dialog')
    await sheet.getByTestId(`rail-agent-${agent.name}`).tap()
    await sheet.waitFor({ state: 'detached' })
    const screen = new Screen(page)
    await screen.is('connected')
    await page.getByTestId('terminal-mode-bash').tap()
    await page.getByTestId('confirm-action').tap()
    await screen.prompt()
    expect((await screen.size()).cols).toBeGreaterThanOrEqual(45)
    await screen.element.tap()
    await screen.hasKeys()
    expect(await screen.run('echo by thumb $((40+2))')).toBe('by thumb 42')
    await startCat(screen, container)
    const bar = page.getByTestId('key-bar')
    for (const key of ['Tab', 'Esc', 'Up']) await bar.getByRole('button', { name: key, exact: true }).tap()
    await screen.shows(/\^\[\^\[\[A/)
    await bar.getByRole('button', { name: 'Control and C' }).tap()
    await screen.prompt()
    // Ctrl applies to the next key of either keyboard, and to no other.
    await startCat(screen, container)
    await bar.getByTestId('key-ctrl').tap()
    await bar.getByRole('button', { name: 'Left', exact: true }).tap()
    await screen.type('a')
    await screen.shows(/\^\[\[1;5Da$/)
    await bar.getByTestId('key-ctrl').tap()
    expect(await bar.getByTestId('key-ctrl').getAttribute('aria-pressed')).toBe('true')
    await screen.type('c')
    await screen.prompt()
    expect(await bar.getByTestId('key-ctrl').getAttribute('aria-pressed')).toBe('false')
    // Programs that ask for application cursor keys get them.
    await screen.type("printf '\\e[?1hasked''for\\n'; cat -v\n")
    await screen.shows(/^askedfor$/m)
    await bar.getByRole('button', { name: 'Up', exact: true }).tap()
    await screen.shows(/\^\[OA$/)
    await bar.getByRole('button', { name: 'Control and C' }).tap()
    await screen.prompt()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
    await page.evaluate(() => navigator.clipboard.writeText('echo pasted by thumb'))
    await bar.getByTestId('key-paste').tap()
    await screen.shows(/\$ echo pasted by thumb$/)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })

  // The test before pastes with it.
  longIt('pastes without https, too: into a field that the browser’s own menu reaches', async () => {
    const context = await contextOf(owner, PHONE)
    await withoutHttps(context)
    const page = await context.newPage()
    await goTo(page, `/agents/${agent.name}`)
    const screen = new Screen(page)
    await screen.is('connected')
    await page.getByTestId('terminal-mode-bash').tap()
    await page.getByTestId('confirm-action').tap()
    await screen.prompt()
    await screen.element.tap()
    await screen.hasKeys()
    const field = page.getByTestId('paste-field')
    await page.getByTestId('key-paste').tap()
    await field.fill('echo first')
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('paste-do').tap()
    await field.waitFor({ state: 'detached' })
    await screen.shows(/\$ echo first$/)
    // The menu of a long press has Paste, too.
    await screen.element.click({ button: 'right', position: { x: 60, y: 120 } })
    await page.getByRole('menuitem', { name: 'Paste' }).tap()
    await field.fill(' second')
    await page.getByTestId('paste-do').tap()
    await screen.shows(/\$ echo first second$/)
    await screen.hasKeys()
  })

  it('gives a thumb room in its bars, also where they show less', async () => {
    const page = await visit(owner, `/agents/${agent.name}`, PHONE)
    await new Screen(page).is('connected')
    const bars = [
      'tab-overview',
      'terminal-mode-bash',
      'terminal-share',
      'terminal-fullscreen',
      'people-here',
      'key-ctrl',
    ]
    for (const id of bars) expect(await thumbHeight(page.getByTestId(id)), id).toBeGreaterThanOrEqual(THUMB)
  })

  // The test before has the bars.
  longIt('gives a thumb room in its forms: switches, boxes, choices and fields, which press nothing else', async () => {
    const page = await visit(owner, `/agents/${agent.name}/settings`, PHONE)
    const roomy = async (...controls: Locator[]): Promise<void> => {
      for (const control of controls) {
        await control.scrollIntoViewIfNeeded()
        expect(await thumbHeight(control), String(control)).toBeGreaterThanOrEqual(THUMB)
      }
    }
    const words = (text: string): Locator => page.locator('label').filter({ hasText: text })
    await page.getByTestId('settings-record').click()
    await roomy(
      page.getByTestId('settings-model'),
      page.getByTestId('settings-keep'),
      page.getByTestId('settings-record'),
      words('Record terminals'),
      page.getByTestId('settings-record-input'),
      page.getByTestId('use-git-token'),
    )
    await goTo(page, '/account')
    await page.getByTestId('new-token').click()
    const boxes = page.getByRole('checkbox')
    await roomy(page.getByLabel('Name'), page.getByLabel('Expires'), ...(await boxes.all()), words('Create, change'))
    const ticked = (): Promise<(string | null)[]> =>
      Promise.all([0, 1, 2].map((at) => boxes.nth(at).getAttribute('aria-checked')))
    await words('Open terminals').tap()
    expect(await ticked()).toEqual(['true', 'false', 'true'])
  })

  it('has its toasts below the controls of the terminal, also where a banner has moved these', async () => {
    const page = await visit(owner, `/agents/${agent.name}`, PHONE)
    const screen = new Screen(page)
    await screen.is('connected')
    await page.getByTestId('terminal-mode-bash').tap()
    await page.getByTestId('confirm-action').tap()
    await screen.prompt()
    const below = async (text: string): Promise<void> => {
      await screen.element.tap()
      await screen.hasKeys()
      await screen.run(`printf '\\e]52;c;%s\\a' ${Buffer.from(text).toString('base64')}`)
      const toast = page.locator('li').filter({ hasText: text })
      const edges = async (): Promise<[number, number]> => {
        const [bar, shown] = await Promise.all([
          page.getByRole('toolbar', { name: 'Terminal' }).boundingBox(),
          toast.first().boundingBox(),
        ])
        return [(bar?.y ?? 0) + (bar?.height ?? 0), shown?.y ?? 0]
      }
      await expect.poll(async () => (([bar, top]) => top >= bar && top < bar + 40)(await edges())).toBe(true)
      await toast.getByRole('button', { name: 'Close' }).first().tap()
    }
    await below('without a banner')
    // The other places take seconds.
    if (!isLongForm) return
    await owner.ok('PATCH', `/agents/${agent.name}`, { cpus: 0.5 })
    await page.getByTestId('restart-banner').waitFor()
    await below('under a banner')
    await page.getByTestId('terminal-fullscreen').tap()
    await below('in full screen')
  })

  it('fades the tabs where they are cut', async () => {
    const page = await visit(owner, `/agents/${agent.name}/overview`, PHONE)
    const tabs = page.getByRole('navigation', { name: 'pages' })
    const fades = (): Promise<string[]> =>
      tabs.evaluate((bar) => [...bar.classList].filter((name) => name.startsWith('fades-')))
    await expect.poll(fades).toEqual(['fades-right'])
    await tabs.evaluate((bar) => bar.scrollTo(20, 0))
    await expect.poll(fades).toEqual(['fades-both'])
    await tabs.evaluate((bar) => bar.scrollTo(1000, 0))
    await expect.poll(fades).toEqual(['fades-left'])
    await page.setViewportSize({ width: 700, height: 844 })
    await expect.poll(fades).toEqual([])
  })

  it('shows every page of an agent without scrolling sideways', async () => {
    const page = await visit(owner, `/agents/${agent.name}/overview`, PHONE)
    for (const tab of ['overview', 'sharing', 'settings']) {
      await page.getByTestId(`tab-${tab}`).tap()
      await page.getByTestId(tab).waitFor()
      const widest = await page
        .getByTestId(tab)
        .evaluate((element) => Math.max(element.scrollWidth, document.documentElement.scrollWidth))
      expect(widest, tab).toBeLessThanOrEqual(390)
      // Scrolling the tab into view has not moved the page.
      expect((await page.getByTestId(tab).boundingBox())?.x, tab).toBeGreaterThanOrEqual(0)
      const { x, width } = (await page.getByTestId(`tab-${tab}`).boundingBox())!
      expect(x + width, tab).toBeLessThanOrEqual(390)
    }
  })
})
