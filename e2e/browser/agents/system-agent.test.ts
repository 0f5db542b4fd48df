/** The system agent's page: an admin's, and nobody else's. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

useBrowser()
let admin: Client
let user: Client

beforeAll(async () => {
  const first = await signInAdmin()
  ;[admin, user] = await Promise.all([newUser(first, 'admin'), newUser(first)])
})

describe('the system agent', () => {
  it('opens Claude for an admin, without the permissions skipped', async () => {
    const page = await visit(admin, '/')
    await page.getByTestId('rail-agent-system').click()
    await page.waitForURL('**/system-agent')
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.shows(/Claude Code v/)
    expect(await screen.shows('? for shortcuts')).not.toContain('bypass permissions')
    expect(await page.getByTestId('tab-sharing').count()).toBe(0)
    await page.getByTestId('agent-menu').click()
    await page.getByRole('menuitem', { name: 'Recreate' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)
  })

  it('does not exist for a user', async () => {
    const page = await visit(user, '/system-agent')
    await page.getByTestId('not-found').waitFor()
    expect(await page.getByTestId('rail-list').getByText('System').count()).toBe(0)
    await goTo(page, '/users')
    await page.getByTestId('not-found').waitFor()
  })
})
