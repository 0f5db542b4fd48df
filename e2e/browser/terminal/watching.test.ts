/** Guests in a live terminal see it as it is. */
// In the short form `watching-control.test.ts` has a colleague in a terminal, and
// `backend/test/rights/taken.test.ts` a link that is revoked.
import '@slipway/testing/long'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, passwordOf, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { cuttable } from '../../support/network/cuttable.ts'
import { contextOf, goTo, newContext, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { ANYONE, linkFrom, looksLike, ownTerminal, PHONE, share, WITH_ACCESS } from '../../support/terminal/watching.ts'
import { useAgent } from '../../support/use-agent.ts'

/** How soon a guest must be disconnected after their link was revoked, in milliseconds. */
const SOON_MS = 10_000

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client
let stranger: Client

beforeAll(async () => {
  const admin = await signInAdmin()
  ;[colleague, stranger] = await Promise.all([newUser(admin), newUser(admin)])
  await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
})

describe('a shared terminal', () => {
  it('is closed for a guest at once after their link is revoked, and for no other user', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'View only', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await theirs.is('connected')
    await theirs.page.getByTestId('watch-role').getByText('View only').waitFor()
    await mine.page.getByTestId('terminal-share').click()
    const dialog = mine.page.getByTestId('share-dialog')
    await dialog.getByTestId(`person-${colleague.email}`).waitFor()
    await dialog.getByTestId('link').getByTestId('row-remove').first().click()
    const gone = theirs.error.getByText('This link no longer works.')
    const revoked = mine.page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await mine.page.getByTestId('confirm-action').click()
    await revoked
    await gone.waitFor({ timeout: SOON_MS })
    await dialog.getByTestId(`person-${colleague.email}`).waitFor({ state: 'detached' })
    await mine.page.keyboard.press('Escape')
    await mine.is('connected')
    await reload(theirs.page)
    await theirs.error.getByText('You cannot open this terminal.').waitFor()
  })

  // `useEndQuestions.test.ts` asks, and `frontend/src/terminal/session/guestEnds.test.ts` has the end of a guest.
  longIt('is ended by Disconnect only when its user confirms the end for every user in it', async () => {
    const mine = await ownTerminal(its)
    const theirs = new Screen(await visit(colleague, await share(mine.page, 'View only', WITH_ACCESS)))
    await theirs.is('connected')
    await mine.page.getByTestId('terminal-people').waitFor()
    await mine.page.getByTestId('terminal-disconnect').click()
    const question = mine.page.getByRole('dialog', { name: 'End this terminal for everyone?' })
    await question.getByText(`${colleague.email} is in it. Disconnecting ends Bash and its current work.`).waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    await mine.hasKeys()
    expect(await mine.run('echo still $((40+2))')).toBe('still 42')
    await looksLike(theirs, mine)
    await mine.page.getByTestId('terminal-disconnect').click()
    await question.getByTestId('confirm-action').click()
    await theirs.error.getByText('The terminal was closed.').waitFor()
    await mine.is('disconnected')
  })

  // Who may share: `backend/test/rights/walk.test.ts`, POST /api/terminal-sessions/:sessionId/links.
  longIt('can be shared by the agent’s owner, too, and not by its other users', async () => {
    const theirs = new Screen(await visit(colleague, its.path))
    await theirs.shell()
    await theirs.run('echo theirs $((40+2))')
    const mine = await ownTerminal(its)
    await mine.page.getByTestId('people-here').click()
    await mine.page.getByTestId(`live-${colleague.email}`).getByTestId('live-share').click()
    await mine.page.getByRole('heading', { name: `Invite to the terminal of ${colleague.email}` }).waitFor()
    await mine.page.getByText(`They see what ${colleague.email} sees`).waitFor()
    const watching = new Screen(await visit(its.owner, await linkFrom(mine.page, 'View only', WITH_ACCESS)))
    await watching.shows('theirs 42')
    await looksLike(watching, theirs)
    await theirs.page.getByTestId('terminal-people').getByText('2').waitFor()
    // Before a revocation, the list must show who created each link and when.
    await share(theirs.page, 'View only', WITH_ACCESS)
    await theirs.page.getByTestId('terminal-share').click()
    const links = theirs.page.getByTestId('link')
    await links.getByText('created just now by you').waitFor()
    await links.getByText(`created just now by ${its.owner.email}`).waitFor()
    const made = links.first().locator('time').last()
    expect(Date.parse((await made.getAttribute('title'))!)).toBeGreaterThan(Date.now() - 600_000)
    await links
      .last()
      .getByRole('button', { name: `by ${its.owner.email}` })
      .waitFor()
    await theirs.page.keyboard.press('Escape')
    await theirs.page.getByTestId('share-dialog').waitFor({ state: 'detached' })

    await theirs.page.getByTestId('people-here').click()
    await theirs.page.getByTestId(`live-${colleague.email}`).getByTestId('live-share').waitFor()
    const others = theirs.page.getByTestId(`live-${its.owner.email}`)
    await others.waitFor()
    expect(await others.getByTestId('live-share').count()).toBe(0)
  })

  // `edge-cases.test.ts` has the same link to a terminal of one’s own, and
  // `frontend/src/terminal/session/guestEnds.test.ts` guests.
  longIt('reconnects a guest after a lost network', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'View only', WITH_ACCESS)
    const network = await cuttable()
    const provoked = [/ERR_|WebSocket connection to/]
    const context = await contextOf(colleague, { proxy: { server: network.url }, provoked })
    const theirs = new Screen(await context.newPage())
    await goTo(theirs.page, link)
    await theirs.is('connected')
    network.cut()
    await theirs.is('reconnecting')
    await mine.run('seq 5')
    network.mend()
    await theirs.is('connected')
    await looksLike(theirs, mine)
    await context.close()
    await network.close()
  })

  // Who may watch: `backend/test/rights/taken.test.ts` and `walk.test.ts`.
  longIt('is not found by a stranger, unless its user shares it with anyone', async () => {
    const mine = await ownTerminal(its)
    const forUs = await share(mine.page, 'With control', WITH_ACCESS)
    const refused = new Screen(await visit(stranger, forUs))
    await refused.error.getByText('You cannot open this terminal.').waitFor()
    await refused.is('disconnected')

    const open = await share(mine.page, 'With control', ANYONE)
    const page = await (await newContext()).newPage()
    const guest = new Screen(page)
    await goTo(page, open)
    await guest.is('connected')
    await mine.page.getByTestId('terminal-people').click()
    await mine.page.getByTestId('person-Guest 1').getByText('Joined with a link').waitFor()
    await mine.page.keyboard.press('Escape')
    await looksLike(guest, mine)
    await page.getByTestId('watch-role').getByText('View only').waitFor()
    await guest.hasKeys()
    await guest.type('rm -rf /\n')
    await mine.element.click()
    expect(await mine.run('echo $((40+2))')).toBe('42')
    expect(await mine.text()).not.toContain('rm -rf')

    // The sign-in that a link asks for leads back to the link.
    await goTo(page, '/login')
    await goTo(page, forUs)
    await page.getByLabel('E-mail').fill(colleague.email)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(colleague))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await guest.is('connected')
    expect(page.url()).toContain(forUs)
    await looksLike(guest, mine)
  })

  // `watching-control.test.ts` has the screen of a colleague in a smaller window.
  longIt('fits on a phone, small and without a bar of keys, and can be shared from one', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const page = await visit(colleague, link, PHONE)
    const theirs = new Screen(page)
    await theirs.is('connected')
    await looksLike(theirs, mine)
    expect(await page.getByTestId('key-bar').count()).toBe(0)
    // If the screen does not fit at a readable font size, it scrolls inside the terminal.
    expect(await theirs.element.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('control-ask').tap()
    await mine.page.getByTestId('control-hand-over').click()
    await page.getByTestId('key-bar').waitFor()
    await expect.poll(async () => (await theirs.size()).cols).toBeLessThan(80)
    const differences = async (): Promise<number[]> => {
      const [own, other] = await Promise.all([mine.size(), theirs.size()])
      return [own.cols - other.cols, own.rows - other.rows]
    }
    await expect.poll(differences).toEqual([0, 0])
    await page.getByTestId('control-give-back').tap()
    await page.getByTestId('key-bar').waitFor({ state: 'detached' })

    await mine.page.setViewportSize(PHONE.viewport)
    await mine.page.getByTestId('terminal-people').click()
    // If the bar has no room for both, the participants' button leads to the links.
    await mine.page.getByTestId('people-links').click()
    await mine.page.getByTestId('link-form').waitFor()
    expect(await graveOn(mine.page)).toEqual([])
    expect(await mine.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })
})
