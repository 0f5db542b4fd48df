/** A screen reader can read the terminal. Users who want it get its output in the browser's accessibility tree. */
// In the short form `steps-sessions.test.ts` turns it on in the palette, and finds a line.
import '@slipway/testing/long'
import { DEFAULT_PREFERENCES, type Preferences } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, describe, expect, it } from 'vitest'
import { readable, reads, turnOnScreenReader } from '../../support/page/readable.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

afterEach(() => its.owner.ok('PUT', '/users/me/preferences', DEFAULT_PREFERENCES))

/** What the page has announced since the last key. */
const announced = (page: Page) => page.locator('.xterm [aria-live]').textContent()
const kept = async () => (await its.owner.ok<Preferences>('GET', '/users/me/preferences')).terminal.screenReader

const open = async (screenReader: boolean) => {
  await its.owner.ok('PUT', '/users/me/preferences', { terminal: { screenReader } })
  const page = await visit(its.owner, its.path)
  const screen = new Screen(page)
  await screen.shell()
  return { page, screen }
}

describe('a screen reader', () => {
  it('finds nothing of the output until it is turned on in the palette, then each line, on every device', async () => {
    const { page, screen } = await open(false)
    await screen.run('echo "first"" line"')
    expect(await readable(page)).not.toContain('first line')

    await turnOnScreenReader(page)
    await reads(page, 'first line')
    await expect.poll(kept).toBe(true)
    await screen.hasKeys()
    await screen.run('echo "second"" line"; printf "caf\\303\\251 \\346\\227\\245\\n"')
    await reads(page, 'second line')
    await reads(page, 'café 日')
    await expect.poll(() => announced(page)).toContain('second line')

    // Drawn text is read at its position, and erased text is not read.
    await screen.type("clear; printf '\\033[5;1Hhere\\033[7;1H'\n")
    await reads(page, 'here')
    await expect.poll(() => readable(page)).not.toContain('second line')

    // A new shell: this agent's sessions do not wait after their page has gone.
    await reload(page)
    await screen.shell()
    await screen.run('echo "third"" line"')
    await reads(page, 'third line')
  })

  it('leaves typing as it is: each key once, and Tab for the program', async () => {
    const { page, screen } = await open(true)
    await screen.run('mkdir -p try && cd try && touch completed-by-tab.txt')
    await screen.type('echo aab')
    await screen.press('Backspace')
    await screen.press('ArrowLeft')
    await screen.type('c ')
    await screen.press('End')
    await screen.type('b comp')
    await screen.press('Tab')
    await screen.shows('completed-by-tab.txt')
    await screen.hasKeys()
    await screen.press('Enter')
    await screen.shows(/^ac ab completed-by-tab\.txt$/m)
    await reads(page, 'ac ab completed-by-tab.txt')
  })

  it('is read a bounded number of lines at once, and finds the rest in its place', async () => {
    const { page, screen } = await open(true)
    await screen.type('seq -f "row %g" 200000; echo "the"" end"\n')
    await screen.shows(/^the end$/m)
    await reads(page, 'row 200000')
    const said = (await announced(page)) ?? ''
    expect(said.length).toBeLessThan(2000)
    expect(await screen.run('echo "still"" here"')).toBe('still here')
  })

  // The first test turns it on in the palette, which changes the same preference.
  longIt('can be turned off again in the settings', async () => {
    const { page, screen } = await open(true)
    await screen.run('echo "first"" line"')
    await reads(page, 'first line')
    await page.getByTestId('terminal-open-settings').click()
    const choice = page.getByRole('switch', { name: 'Screen reader support' })
    expect(await choice.isChecked()).toBe(true)
    await choice.click()
    await expect.poll(kept).toBe(false)
    await page.keyboard.press('Escape')
    await page.getByTestId('terminal-settings').waitFor({ state: 'detached' })
    expect(await readable(page)).not.toContain('first line')
  })
})
