/** A browser like Chrome on Android. It has notifications and reports them as allowed, but refuses those of a page. */
// In the short form `attention.test.ts` has browsers that do not notify for other reasons.
import '@slipway/testing/long'
import { DEFAULT_PREFERENCES } from '@slipway/protocol'
import { expect, inject, it } from 'vitest'
import { newUser, signInAdmin } from '../../support/api.ts'
import { goTo, useBrowser, visit } from '../../support/pages.ts'

useBrowser({ without: 'NotificationConstructor' })

it('a browser that cannot notify says so, and its switch is disabled', async () => {
  const owner = await newUser(await signInAdmin())
  await owner.ok('PUT', '/users/me/preferences', { terminal: { ...DEFAULT_PREFERENCES.terminal, notify: true } })
  const page = await visit(owner, '/')
  await page.context().grantPermissions(['notifications'], { origin: inject('baseUrl') })
  await goTo(page, '/account')
  await page.getByTestId('notify-why').getByText('This browser does not support notifications.').waitFor()
  expect(await page.evaluate(() => Notification.permission)).toBe('granted')
  expect(await page.getByTestId('notify').getAttribute('aria-checked')).toBe('false')
  expect(await page.getByTestId('notify').isDisabled()).toBe(true)
})
