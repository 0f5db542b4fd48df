/** The terminal's size: fullscreen, Escape, and the window's edge. */
// In the short form `steps-sessions.test.ts` has Escape in full screen, the walk has full screen (`terminal-fullscreen`), and
// `e2e/protocol/terminal-session.test.ts` resizes a terminal.
import '@slipway/testing/long'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { newUser, signInAdmin } from '../../support/api.ts'
import { startCat } from '../../support/terminal/cat.ts'
import { type ContextOptions, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })

const bash = async (options: ContextOptions = {}): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path, options))
  await screen.shell()
  return screen
}
const fullscreen = (page: Page, is: boolean): Promise<void> =>
  page.locator(`[data-testid="terminal-panel"][data-fullscreen="${is}"]`).waitFor()
const enter = async ({ page }: Screen): Promise<void> => {
  await page.getByTestId('terminal-fullscreen').click()
  await fullscreen(page, true)
}

describe('Test steps', () => {
  it('Fullscreen Toggle', async () => {
    const screen = await bash()
    const { page } = screen
    await screen.run('echo kept-$((40+2))')
    const before = await screen.agreesOnSize()
    await enter(screen)
    expect(await page.getByTestId('terminal-panel').boundingBox()).toEqual({ x: 0, y: 0, width: 1280, height: 800 })
    await expect.poll(async () => (await screen.size()).cols).toBeGreaterThan(before.cols)
    const during = await screen.agreesOnSize()
    expect(during.rows).toBeGreaterThan(before.rows)
    expect(await screen.text()).toContain('kept-42')
    await page.getByTestId('terminal-fullscreen').click()
    await fullscreen(page, false)
    await expect.poll(() => screen.size()).toEqual(before)
  })

  it('ESC to Exit Fullscreen', async () => {
    const screen = await bash()
    const before = await screen.agreesOnSize()
    await enter(screen)
    await screen.agreesOnSize()
    await startCat(screen, its.container)
    await screen.press('Escape')
    await fullscreen(screen.page, false)
    // The program got the key, too.
    await screen.shows('^[')
    await screen.press('Control+c')
    await screen.prompt()
    expect(await screen.agreesOnSize()).toEqual(before)
  })

  it('Terminal Resize', async () => {
    const screen = await bash({ webgl: true })
    await screen.drawnBy('webgl')
    const line = 'a line that is as long as it is so that a narrow window has to wrap it somewhere'
    await screen.run(`echo ${line}`)
    const before = await screen.agreesOnSize()
    // A window passes through many sizes while the user drags its edge.
    for (const width of [1200, 1100, 950, 800]) await screen.page.setViewportSize({ width, height: 600 })
    await expect.poll(async () => (await screen.size()).cols).toBeLessThan(before.cols)
    const during = await screen.agreesOnSize()
    expect(during.rows).toBeLessThan(before.rows)
    expect((await screen.text()).split('\n')).toContain(line)
    expect(await screen.prompt()).toMatch(/\$ ?$/)
    await screen.page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(() => screen.size()).toEqual(before)
    await screen.agreesOnSize()
  })
})

describe('keeping Escape in the terminal', () => {
  it('gives Escape to the program alone, Shift+Escape to the page, and is remembered', async () => {
    const screen = await bash()
    const { page } = screen
    const before = await screen.agreesOnSize()
    await enter(screen)
    const during = await screen.agreesOnSize()
    expect(during.rows).toBeGreaterThan(before.rows)
    // A user who has not chosen is asked. The terminal keeps the focus and its size.
    await page.getByTestId('escape-question').getByText('Shift+Esc leaves').waitFor()
    await screen.type('echo typed-$((40+2))\n')
    await screen.shows('typed-42')
    await page.getByTestId('escape-kept').click()
    await page.getByTestId('escape-question').waitFor({ state: 'detached' })
    expect(await screen.agreesOnSize()).toEqual(during)
    await screen.hasKeys()
    await startCat(screen, its.container)
    await screen.press('Escape')
    await screen.shows('^[')
    await fullscreen(page, true)
    await screen.press('Enter')
    await screen.shows(/^\^\[\n\^\[$/m)
    await screen.press('Shift+Escape')
    await fullscreen(page, false)
    await screen.type('after\n')
    await screen.shows(/^after\nafter$/m)

    await reload(page)
    await screen.is('connected')
    await enter(screen)
    expect(await page.getByTestId('escape-question').count()).toBe(0)
    expect(await page.getByRole('switch', { name: 'Keep Escape' }).getAttribute('aria-checked')).toBe('true')
    await screen.press('Escape')
    await fullscreen(page, true)
    await page.getByTestId('terminal-fullscreen').click()
    await fullscreen(page, false)
  })

  // The test before has the other answer, which is remembered, too.
  longIt('asks each user once, with either answer', async () => {
    const other = await newUser(await signInAdmin())
    await its.owner.ok('POST', `/agents/${its.agent.name}/shares`, { email: other.email })
    const screen = new Screen(await visit(other, its.path))
    await screen.shell()
    await enter(screen)
    await screen.page.getByTestId('escape-leaves').click()
    await screen.hasKeys()
    await screen.press('Escape')
    await fullscreen(screen.page, false)
    await reload(screen.page)
    await screen.is('connected')
    await enter(screen)
    const toggle = screen.page.getByRole('switch', { name: 'Keep Escape' })
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
    expect(await screen.page.getByTestId('escape-question').count()).toBe(0)
  })
})
