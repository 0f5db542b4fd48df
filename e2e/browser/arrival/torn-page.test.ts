/** A page with a missing part: the server has newer files, or the network is away for long. */
import { longIt } from '@slipway/testing/forms'
import type { BrowserContext, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { type Held, intercept } from '../../support/network/intercept.ts'
import { countLoads, type Loads } from '../../support/network/loads.ts'
import { Tunnels } from '../../support/network/losing.ts'
import { answered, type ContextOptions, contextOf, goTo, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 256, keepSeconds: 60 })

const open = async (options: ContextOptions = {}): Promise<BrowserContext> => {
  const provoked = [answered(404), /ERR_FAILED|ERR_CONNECTION_RESET|dynamically imported module|PART_REPLACED/]
  // The tests need lost files, so the page must not preload them.
  return contextOf(its.owner, { provoked, preloads: false, ...options })
}

/** A context in which the first `times` requests for the part fail with `fault`. */
const losing = async (part: string, fault: 'missing' | 'reset', times: number): Promise<BrowserContext> => {
  const tunnels = await Tunnels.open()
  let left = times
  tunnels.become((path) => {
    if (!path.startsWith(`/assets/${part}-`) || left === 0) return null
    left -= 1
    return fault
  })
  return open({ proxy: { server: tunnels.url } })
}

const counted = async (context: BrowserContext): Promise<{ page: Page; loads: Loads }> => {
  const page = await context.newPage()
  return { page, loads: countLoads(page) }
}
const torn = (page: Page) => page.getByText('A part of this page could not be loaded', { exact: true }).first()
const email = (page: Page) => page.getByTestId('share-form').getByRole('textbox')

describe('a page of which a part is not on the server any more', () => {
  it('is loaded anew where its user goes, and its terminal goes on', async () => {
    const { page, loads } = await counted(await losing('AccountPage', 'missing', 1))
    await goTo(page, its.path)
    const screen = new Screen(page)
    await screen.shell()
    await screen.type('mooring=seven\n')
    await screen.shows(/mooring=seven\n.*\$$/)
    await page.getByTestId('user-menu').click()
    await page.locator('[role="menuitem"][href="/account"]').click()
    await page.getByTestId('sign-ins').waitFor()
    loads.are(2)
    await page.getByTestId(`rail-agent-${its.agent.name}`).click()
    await screen.is('connected')
    await screen.hasKeys()
    await screen.type('echo berth $mooring\n')
    await screen.shows('berth seven')
  })

  // The first test loads it anew, and it helps.
  longIt('is loaded anew once, and says what to do where that does not help', async () => {
    const { page, loads } = await counted(await losing('AccountPage', 'missing', 2))
    await goTo(page, '/')
    await page.getByTestId('user-menu').click()
    await page.locator('[role="menuitem"][href="/account"]').click()
    await page.getByTestId('unreachable').waitFor()
    loads.are(2)
    expect(new URL(page.url()).pathname).toBe('/account')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByTestId('sign-ins').waitFor()
    loads.are(3)
  })

  it('is not loaded anew under something that is typed, and its user is asked', async () => {
    const { page, loads } = await counted(await losing('HelpDialog', 'missing', 1))
    await goTo(page, `${its.path}/sharing`)
    await email(page).fill('colleague@example.org')
    loads.restart()
    await page.getByTestId('tab-sharing').focus()
    await page.keyboard.press('?')
    await torn(page).waitFor()
    loads.are(0)
    expect(await email(page).inputValue()).toBe('colleague@example.org')
    await page.getByRole('button', { name: 'Reload', exact: true }).click()
    await email(page).waitFor()
    await expect.poll(() => email(page).inputValue()).toBe('')
    loads.are(1)
    expect(new URL(page.url()).pathname).toBe(`${its.path}/sharing`)
    await page.keyboard.press('?')
    await page.getByTestId('help').waitFor()
  })

  // The first test loads it anew.
  longIt('is loaded anew where the browser has found a part and lost it again', async () => {
    const seen: string[] = []
    const loseAfterwards = (request: Held): Promise<void> => {
      seen.push(request.kind)
      return seen.length === 1 ? request.continue() : request.abort()
    }
    const { page, loads } = await counted(await open())
    await intercept(page, '*/assets/AccountPage-*', loseAfterwards, { times: 2 })
    await goTo(page, '/')
    await page.getByTestId('user-menu').click()
    await page.locator('[role="menuitem"][href="/account"]').click()
    await page.getByTestId('sign-ins').waitFor()
    expect(seen).toEqual(['XHR', 'Script'])
    loads.are(2)
  })
})

// `frontend/src/lib/browser/parts.test.ts`, “a part whose files are lost is awaited, however long that takes”.
longIt(
  'a page whose network is away for longer than a moment says so, and goes on by itself where its user went',
  async () => {
    const { page, loads } = await counted(await losing('AccountPage', 'reset', 5))
    await goTo(page, '/')
    await page.getByTestId('user-menu').click()
    await page.locator('[role="menuitem"][href="/account"]').click()
    const note = page.getByText('A part of this page did not load', { exact: true }).first()
    await note.waitFor()
    await page.getByTestId('sign-ins').waitFor()
    await note.waitFor({ state: 'detached' })
    loads.are(1)
  },
)

// The test before loses the network later.
longIt('a page whose network is away says so at its start, too', async () => {
  const { page, loads } = await counted(await losing('AccountPage', 'reset', 5))
  await goTo(page, '/account')
  await page.getByTestId('unreachable').waitFor()
  await page.getByTestId('sign-ins').waitFor()
  loads.are(1)
})
