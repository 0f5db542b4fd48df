/** A shared agent, the users it is shared with, and strangers, who learn nothing about it. */
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { answered, goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/**
 * How soon a page has to tell a revoked right on a busy machine, in milliseconds. Without being told, it would find out when
 * its access token ends, after minutes. `backend/test/rights/taken.test.ts` has how soon the server closes what is open.
 */
const WITHIN_MS = 60_000

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client
let stranger: Client

beforeAll(async () => {
  const admin = await signInAdmin()
  ;[colleague, stranger] = await Promise.all([newUser(admin), newUser(admin)])
})

describe('sharing', () => {
  it('gives a colleague the terminal, and takes it away with the reason at once', async () => {
    const theirs = await visit(colleague, '/', { provoked: [answered(404)] })
    const mine = await visit(its.owner, `${its.path}/sharing`)
    await mine.getByTestId('shares-none').waitFor()
    await mine.getByLabel('E-mail address to share with').fill(colleague.email)
    await mine.getByRole('button', { name: 'Share', exact: true }).click()
    await mine.getByTestId(`share-${colleague.email}`).waitFor()

    await theirs.getByTestId(`rail-agent-${its.agent.name}`).click()
    const screen = new Screen(theirs)
    await screen.shell()
    expect(await screen.run('whoami')).toBe('developer')
    expect(await theirs.getByTestId('tab-sharing').count()).toBe(0)

    await mine.getByTestId('people-here').waitFor()
    await mine.getByRole('button', { name: `Remove ${colleague.email}` }).click()
    const taken = mine.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await mine.getByTestId('confirm-action').click()
    await taken
    const reason = theirs.getByTestId('not-found').getByText('Your access to this agent was revoked.')
    await reason.waitFor({ timeout: WITHIN_MS })
    await theirs.getByTestId(`rail-agent-${its.agent.name}`).waitFor({ state: 'detached' })
    await mine.getByTestId('shares-none').waitFor()
  })

  // The walk has this answer (`sharing-refused`), and `people.test.ts` the invitation.
  longIt('leads from an address without an account to an invitation for it, which only admins can make', async () => {
    const email = `${its.agent.name}@example.org`
    const ask = async (client: Client): Promise<Page> => {
      const page = await visit(client, `${its.path}/sharing`, { provoked: [answered(404)] })
      await page.getByLabel('E-mail address to share with').fill(email)
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByTestId('share-unknown').waitFor()
      return page
    }
    const owners = await ask(its.owner)
    await owners.getByTestId('share-unknown').getByText('Ask an admin to invite this person').waitFor()
    expect(await owners.getByTestId('share-unknown').getByRole('link').count()).toBe(0)
    await owners.getByLabel('E-mail address to share with').fill('another@example.org')
    await owners.getByTestId('share-unknown').waitFor({ state: 'detached' })

    const admins = await ask(await signInAdmin())
    await admins.getByRole('link', { name: 'Invite this person' }).click()
    expect(await admins.getByTestId('invite-form').getByLabel('E-mail').inputValue()).toBe(email)
    await admins.waitForURL((url) => url.search === '')
    await admins.getByRole('button', { name: 'Create invite link' }).click()
    await admins.getByTestId('invitation-link').waitFor()
    await admins.getByRole('button', { name: 'Done' }).click()
    await admins.getByTestId(`user-${email}`).getByTestId('user-status').getByText('Invited').waitFor()
    for (const head of ['User', 'Role', 'Status', 'Added'])
      await admins.getByRole('columnheader', { name: head, exact: true }).waitFor()
  })

  // `backend/test/rights/walk.test.ts` has the same answer for both, and the walk the page (`agent-not-found`).
  longIt('shows a stranger the same page for an agent of others as for none', async () => {
    const page = await visit(stranger, '/', { provoked: [answered(404)] })
    const look = async (name: string): Promise<string> => {
      await goTo(page, `/agents/${name}`)
      await page.getByTestId('not-found').waitFor()
      // A component that is still loading leaves an empty comment.
      const main = (await page.locator('main').innerHTML()).replaceAll('<!---->', '')
      return [main, await page.title(), new URL(page.url()).pathname].join('\n').replaceAll(name, 'NAME')
    }
    const theirs = await look(its.agent.name)
    expect(theirs).toContain('No agent named')
    expect(await look('nobody-has-this')).toBe(theirs)
    for (const tab of ['overview', 'sharing', 'settings']) {
      await goTo(page, `${its.path}/${tab}`)
      await page.getByTestId('not-found').waitFor()
    }
  })
})
