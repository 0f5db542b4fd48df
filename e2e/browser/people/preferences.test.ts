/** A user's preferences for terminals: each change applies at once, the account keeps it, and other devices have it. */
import type { Preferences } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { intercept } from '../../support/network/intercept.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

const path = () => its.path
const background = (page: Page): Promise<string> =>
  page.locator('[data-testid="terminal"]').evaluate((element) => getComputedStyle(element).backgroundColor)
const options = (page: Page) =>
  page
    .locator('[data-testid="terminal"]')
    .evaluate((element: HTMLElement & { xterm?: { options: Record<string, unknown> } }) => {
      const { fontSize, lineHeight, fontFamily } = element.xterm!.options
      return { fontSize, lineHeight, fontFamily }
    })
const choose = async (page: Page, id: string, name: string): Promise<void> => {
  await page.getByTestId(id).click()
  await page.getByRole('option', { name, exact: true }).click()
}
const kept = async () => (await its.owner.ok<Preferences>('GET', '/users/me/preferences')).terminal

describe('the terminal’s settings', () => {
  it('change it at once, follow the person to another device, and leave the program its size', async () => {
    const page = await visit(its.owner, path(), { webgl: true })
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.drawnBy('webgl')
    await screen.prompt()
    const before = await screen.agreesOnSize()
    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('theme-dusk').click()
    await expect.poll(() => background(page)).toBe('rgb(27, 29, 43)')
    await choose(page, 'font-size', '20 px')
    await choose(page, 'line-height', '1.5')
    await page.getByTestId('font-family').fill('Fira Code')
    await page.keyboard.press('Tab')
    await expect.poll(() => options(page)).toMatchObject({ fontSize: 20, lineHeight: 1.5 })
    await expect.poll(async () => (await options(page)).fontFamily).toContain('"Fira Code", "JetBrains Mono Variable"')
    await expect.poll(kept).toMatchObject({ darkTheme: 'dusk', fontSize: 20, lineHeight: 1.5, fontFamily: 'Fira Code' })
    await page.keyboard.press('Escape')
    await screen.element.click()
    await screen.hasKeys()
    const after = await screen.agreesOnSize()
    expect(after.cols).toBeLessThan(before.cols)
    expect(after.rows).toBeLessThan(before.rows)
    await page.getByTestId('terminal-disconnect').click()

    const other = await visit(its.owner, path(), { colorScheme: 'light' })
    await new Screen(other).is('connected')
    // A page follows the system until its user chooses. Light pages have a theme setting of their own.
    await expect.poll(() => background(other)).toBe('rgb(255, 255, 255)')
    await other.getByTestId('user-menu').click()
    await other.getByRole('menuitemcheckbox', { name: 'Dark' }).click()
    await expect.poll(() => background(other)).toBe('rgb(27, 29, 43)')
    expect(await options(other)).toMatchObject({ fontSize: 20 })
    await other.getByTestId('user-menu').click()
    await other.getByRole('menuitemcheckbox', { name: 'Light' }).click()
    await expect.poll(() => background(other)).toBe('rgb(255, 255, 255)')
    await other.getByTestId('terminal-open-settings').click()
    await other.getByTestId('theme-sand').click()
    await expect.poll(() => background(other)).toBe('rgb(247, 241, 227)')

    // A change on one device reaches another when the user returns to it.
    await expect.poll(kept).toMatchObject({ lightTheme: 'sand' })
    await its.owner.ok('PUT', '/users/me/preferences', { terminal: { ...(await kept()), darkTheme: 'ink' } })
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await expect.poll(() => background(page)).toBe('rgb(0, 0, 0)')
  })

  // `frontend/src/stores/identity/preferences.test.ts` sends again what failed.
  longIt('say when the account could not be told, and go on trying', async () => {
    const page = await visit(its.owner, '/account', { provoked: [answered(503)] })
    const failing = await intercept(page, '*/api/users/me/preferences', (request) =>
      request.method === 'PUT' ? request.fulfill({ status: 503, json: {} }) : request.continue(),
    )
    await page.getByTestId('copy-on-select').click()
    await page.getByText('Saved on this device only.').waitFor()
    expect(await kept()).toMatchObject({ copyOnSelect: false })
    await failing.stop()
    await page.getByTestId('terminal-settings').getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Saved on this device only.').waitFor({ state: 'detached' })
    expect(await kept()).toMatchObject({ copyOnSelect: true })
  })
})
