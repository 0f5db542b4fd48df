/** The account, and the pages for admins. */
import { goTo } from '../support/pages.ts'
import type { Place } from './place.ts'
import type { Visitor } from './visitor.ts'

export const people = async (visitor: Visitor, { owner, admin, newcomer }: Place): Promise<void> => {
  const mine = await visitor.open(owner, '/account')
  await mine.getByTestId('sign-ins').waitFor()
  await mine.getByTestId('token-nightly build').waitFor()
  await visitor.see(mine, 'account')
  await visitor.further(mine, 'sign-ins', 'account-sign-ins')
  await visitor.further(mine, 'new-token', 'account-end')
  await visitor.choose(mine, 'new-token')
  await mine.getByTestId('token-form').scrollIntoViewIfNeeded()
  await visitor.see(mine, 'account-token')
  await mine.getByTestId('token-form').getByLabel('Name').fill('a job')
  await mine.getByRole('button', { name: 'Create token' }).click()
  await mine.getByTestId('token-created').scrollIntoViewIfNeeded()
  await visitor.see(mine, 'account-token-created')

  const page = await visitor.open(admin, '/users')
  await page.getByTestId('users').waitFor()
  await visitor.see(page, 'users')
  await visitor.choose(page, 'add-user')
  await page.getByTestId('invite-form').waitFor()
  await visitor.see(page, 'users-add')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Change pelle@example.org' }).click()
  await page.getByRole('menuitem', { name: 'New invite link' }).waitFor()
  await visitor.see(page, 'users-menu')
  await page.getByRole('menuitem', { name: 'New invite link' }).click()
  await page.getByTestId('invitation-link').waitFor()
  await visitor.see(page, 'users-invitation')
  await page.keyboard.press('Escape')
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
  await visitor.see(page, 'audit-nothing')
  await goTo(page, '/platform')
  await page.getByTestId('credentials').waitFor()
  await visitor.see(page, 'platform')
}
