/**
 * From the sign-in to a command in a terminal with Tab, Enter, arrows and letters alone. The focus is always visible.
 */
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { passwordOf } from '../../support/api.ts'
import { goTo, newContext, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/** More Tabs than any page has stops. */
const STOPS_MAX = 60

useBrowser()
const its = useAgent({ memoryMb: 1024 })

/** The focused element: its accessible name, and whether its focus is visible. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement) || element === document.body) return null
    const { width, height, top, left } = element.getBoundingClientRect()
    // A focus ring is an outline, border or shadow, of the field itself or of the row that it fills.
    const look = (each: Element): string => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(each)
      return [outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, backgroundColor].join('|')
    }
    const now = [element, element.parentElement!].map(look).join()
    const onScreen = width > 0 && height > 0 && top < innerHeight && left < innerWidth && top + height > 0
    const name = element.getAttribute('aria-label') ?? element.textContent.trim()
    const isTerminal = element.closest('.xterm') !== null
    element.blur()
    const without = [element, element.parentElement!].map(look).join()
    element.focus()
    return { name, onScreen: onScreen || isTerminal, isMarked: now !== without || isTerminal }
  })

/** Presses Tab until the focused element has this name. Each stop on the way must have a visible focus. */
const tabTo = async (page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
  const stops: string[] = []
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press(key)
    const at = await focused(page)
    stops.push(at?.name ?? 'the page itself')
    if (at === null) continue
    expect(at, `after ${stops.join(' → ')}`).toMatchObject({ onScreen: true, isMarked: true })
    if (typeof name === 'string' ? at.name === name : name.test(at.name)) return
  }
  throw new Error(`no Tab leads to ${name}: ${stops.join(' → ')}`)
}

describe('the keyboard alone', () => {
  it('leads from the sign-in to a command in bash, through the tabs, and never gets lost', async () => {
    const page = await (await newContext()).newPage()
    await goTo(page, '/')
    await page.locator('[data-testid="login-form"] input:focus').waitFor()
    await page.keyboard.type(its.owner.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(passwordOf(its.owner))
    await page.keyboard.press('Enter')
    await page.getByTestId(`agent-row-${its.agent.name}`).waitFor()

    await tabTo(page, new RegExp(`^${its.agent.name}`))
    await page.keyboard.press('Enter')
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.hasKeys()
    // A terminal passes Tab to its program. The palette is the way out of it, and back.
    await page.keyboard.press('Control+Shift+K')
    await page.getByTestId('palette').waitFor()
    await page.keyboard.type('terminal in bash')
    // The list has it before what is typed, too.
    await page.getByRole('option', { name: 'Terminal in Bash' }).and(page.locator('[data-highlighted]')).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="confirm-action"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await screen.prompt()
    await screen.hasKeys()
    expect(await screen.run('echo by keys $((40+2))')).toBe('by keys 42')
  })

  // The test before finds a command in the palette.
  longIt('finds what belongs to a terminal in the palette, and comes back from there', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.hasKeys()
    const choose = async (command: string): Promise<void> => {
      await page.keyboard.press('Control+Shift+K')
      await page.getByTestId('palette').waitFor()
      await page.keyboard.type(command)
      await page.getByRole('option', { name: command }).and(page.locator('[data-highlighted]')).waitFor()
      await page.keyboard.press('Enter')
      await page.getByTestId('palette').waitFor({ state: 'detached' })
    }
    const leave = async (dialog: string): Promise<void> => {
      await page.getByTestId(dialog).waitFor()
      await page.keyboard.press('Escape')
      await page.getByTestId(dialog).waitFor({ state: 'detached' })
      await screen.hasKeys()
    }
    await choose('Terminal settings')
    await leave('terminal-settings')
    await choose('Invite to this terminal')
    await leave('share-dialog')
    await choose('Recordings')
    await page.getByText('Recording is off').waitFor()
    await choose('Invite to this terminal')
    await page.getByTestId('share-dialog').waitFor()
    expect(new URL(page.url()).pathname).toBe(its.path)
    await leave('share-dialog')
    // A terminal that is not connected cannot be shared.
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await page.keyboard.press('Control+Shift+K')
    await page.getByRole('option', { name: 'Recordings' }).waitFor()
    expect(await page.getByRole('option', { name: 'Invite to this terminal' }).count()).toBe(0)
  })

  // The first test walks by Tab through the list, and axe looks at these pages.
  longIt('reaches every control of the pages beside the terminal', async () => {
    const page = await (await newContext()).newPage()
    await goTo(page, `${its.path}/logs`)
    await page.locator('[data-testid="login-form"] input:focus').waitFor()
    await page.keyboard.type(its.owner.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(passwordOf(its.owner))
    await page.keyboard.press('Enter')
    await page.getByTestId('logs').waitFor()
    for (const name of ['Search in the log', 'Wrap long lines', 'Download as a file', `Log of ${its.agent.name}`])
      await tabTo(page, name)
    await tabTo(page, 'Overview', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByTestId('usage').waitFor()
    await tabTo(page, 'Show table')
    await page.keyboard.press('Enter')
    await page.getByTestId('usage-table').waitFor()
    await tabTo(page, 'The last hour')
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="usage-span-60"][aria-checked="true"]').waitFor()
    await tabTo(page, 'Settings', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByTestId('settings-form').waitFor()
    await tabTo(page, 'Delete agent')
    await page.keyboard.press('Enter')
    await page.locator('[data-testid="confirm-typed"]:focus').waitFor()
    await page.keyboard.press('Escape')
    // The focus has returned.
    await expect.poll(async () => (await focused(page))?.name).toBe('Delete agent')
  })
})
