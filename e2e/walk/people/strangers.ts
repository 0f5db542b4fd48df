/** Pages before the sign-in. */
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

export const strangers = async (visitor: Visitor, { invitation }: FurnishedServer): Promise<void> => {
  const page = await visitor.open(null, '/login')
  await page.getByTestId('login-form').waitFor()
  await visitor.see(page, 'login')
  await page.getByLabel('E-mail').fill('nobody@example.org')
  await page.getByLabel('Password', { exact: true }).fill('not the right one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await visitor.see(page, 'login-refused')

  await goTo(page, '/setup')
  await page.getByTestId('setup-help').waitFor()
  await visitor.see(page, 'setup-without-link')
  await goTo(page, '/login')
  await goTo(page, '/setup#token=none')
  await page.getByTestId('setup-form').waitFor()
  await visitor.pass(page, 'setup')

  await goTo(page, '/invitation')
  await page.getByText('This link is incomplete').waitFor()
  await visitor.see(page, 'invitation-incomplete')
  await goTo(page, invitation)
  await page.getByTestId('invitation-form').waitFor()
  await visitor.see(page, 'invitation')
  await goTo(page, '/login')
  await goTo(page, '/invitation#token=spent')
  await page.getByText('This link no longer works').waitFor()
  await visitor.pass(page, 'invitation-spent')

  await intercept(page, '*/api/auth/*', (request) => request.abort())
  await goTo(page, '/')
  await page.getByTestId('unreachable').waitFor()
  await visitor.see(page, 'unreachable')
}
