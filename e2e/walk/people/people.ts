/** The account, and the pages for admins. */
import type { CreatedDeviceLogin } from '@slipway/protocol'
import type { Page } from 'playwright'
import type { Client } from '../../support/api.ts'
import { goTo } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

export const people = async (visitor: Visitor, { owner, admin, newcomer }: FurnishedServer): Promise<void> => {
  const mine = await visitor.open(owner, '/account')
  await mine.getByTestId('sign-ins').waitFor()
  await mine.getByTestId('token-nightly build').waitFor()
  await mine.getByTestId('ssh-key-noor@laptop').waitFor()
  await mine.getByTestId('ssh-off').waitFor()
  await visitor.see(mine, 'account')
  await visitor.further(mine, 'sign-ins', 'account-sign-ins')
  await visitor.further(mine, 'new-token', 'account-end')
  await visitor.choose(mine, 'new-token')
  await mine.getByTestId('token-form').scrollIntoViewIfNeeded()
  await visitor.see(mine, 'account-token')
  await mine.getByTestId('token-form').getByLabel('Name').fill('a job')
  await mine.getByRole('button', { name: 'Create token' }).click()
  await mine.getByTestId('token-created').scrollIntoViewIfNeeded()
  await visitor.pass(mine, 'account-token-created')

  await mine.getByRole('button', { name: 'Done' }).click()
  await visitor.choose(mine, 'add-ssh-key')
  await mine.getByTestId('ssh-key-text').fill('-----BEGIN OPENSSH PRIVATE KEY-----')
  await mine.getByTestId('ssh-key-name').fill('my laptop')
  await visitor.choose(mine, 'ssh-key-submit')
  await mine.getByTestId('ssh-key-form').getByRole('alert').waitFor()
  await mine.getByTestId('ssh-key-form').scrollIntoViewIfNeeded()
  await visitor.see(mine, 'account-ssh-key-refused')

  await device(visitor, mine, owner)

  const page = await visitor.open(admin, '/users')
  await page.getByTestId('users').waitFor()
  await visitor.see(page, 'users')
  await visitor.choose(page, 'add-user')
  await page.getByTestId('invite-form').waitFor()
  await visitor.see(page, 'users-add')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Change pelle@example.org' }).click()
  await page.getByRole('menuitem', { name: 'New invite link' }).waitFor()
  await visitor.pass(page, 'users-menu')
  await page.getByRole('menuitem', { name: 'New invite link' }).click()
  await page.getByTestId('invitation-link').waitFor()
  await visitor.pass(page, 'users-invitation')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByTestId('invitation').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Change ${owner.email}` }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByTestId('delete-user').waitFor()
  await visitor.see(page, 'users-delete')

  await goTo(page, '/audit')
  await page.getByTestId('audit-events').waitFor()
  await visitor.see(page, 'audit')
  if (visitor.screen === 'narrow') {
    await visitor.choose(page, 'audit-filters-toggle')
    await visitor.see(page, 'audit-filters')
  }
  await page.getByTestId('audit-events').getByRole('button').nth(2).click()
  await page.getByTestId('audit-detail').waitFor()
  await visitor.see(page, 'audit-detail')
  await goTo(page, `/audit?actor=${encodeURIComponent(newcomer.email)}&action=agent.delete`)
  await page.getByText('No matching events').waitFor()
  await visitor.pass(page, 'audit-nothing')
  await goTo(page, '/platform')
  await page.getByTestId('credentials').waitFor()
  await visitor.see(page, 'platform')
}

/** Lets a program of another device use Slipway. */
const device = async (visitor: Visitor, page: Page, owner: Client): Promise<void> => {
  const body = { name: 'slipway on laptop', scopes: ['agents:read', 'terminal', 'tasks:read', 'tasks:write'] }
  const begin = () => owner.ok<CreatedDeviceLogin>('POST', '/device-logins', body)
  const open = async ({ path, userCode }: CreatedDeviceLogin): Promise<void> => {
    await goTo(page, `${path}#code=${userCode}`)
    await page.getByTestId('device-decision').waitFor()
  }
  await goTo(page, '/device')
  await page.getByTestId('device-code').fill('AAAAA-AAAAA')
  await visitor.choose(page, 'device-continue')
  await page.getByTestId('device-page').getByRole('alert').waitFor()
  await visitor.see(page, 'device-wrong-code')
  await open(await begin())
  await visitor.see(page, 'device-decision')
  await visitor.choose(page, 'device-allow')
  await page.getByTestId('device-allowed').waitFor()
  await visitor.pass(page, 'device-allowed')
  await open(await begin())
  await visitor.choose(page, 'device-deny')
  await page.getByTestId('device-denied').waitFor()
  await visitor.see(page, 'device-denied')
}
