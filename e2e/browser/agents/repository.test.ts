/** A new agent that begins with a repository: its form, and what its page says until it is ready. */
// In the short form `arrival/newcomer.test.ts` begins with a repository, the walk has each state of it (`begins-failed`
// and others), and `backend/src/modules/preparations/preparations.test.ts` what goes wrong.
import '@slipway/testing/long'
import { gitHostScript, gitHostUrl } from '@slipway/testing/git-host'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { newUser, signInAdmin, uniqueName } from '../../support/api.ts'
import { answered, reload, useBrowser, visit } from '../../support/pages.ts'
import { sh } from '../../support/tasks/model.ts'

useBrowser()

const text = (page: Page) => expect.poll(() => page.getByTestId('preparation-text').textContent(), { timeout: 60_000 })
const DEVCONTAINER = { containerEnv: { PORT: '3000' }, postCreateCommand: 'echo from-the-repository' }
/** Whether nothing of the page is wider than the window. */
const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

it('is cloned and set up, says what went wrong, and survives a reload on a phone', async () => {
  const user = await newUser(await signInAdmin())
  const page = await visit(user, '/', {
    viewport: { width: 390, height: 844 },
    provoked: [answered(400)],
  })
  const form = page.getByTestId('agent-form')
  // The name that the form proposes may be another test's.
  const name = uniqueName()
  await page.getByTestId('agent-form-name').fill(name)
  expect(await page.getByTestId('agent-form-repository').count()).toBe(0)
  await page.getByTestId('agent-form-begins').click()
  await page.getByTestId('agent-form-repository').fill('https://ada:secret@git.example.org/api')
  await page.getByTestId('agent-form-setup').fill('cat code && echo set-up-is-over')
  await page.getByTestId('agent-form-submit').click()
  await form.getByText('must not contain a user name or a password').waitFor()
  await page.getByTestId('agent-form-repository').fill(gitHostUrl('api'))
  expect(await fits(page)).toBe(true)
  await page.getByTestId('agent-form-submit').click()
  await page.waitForURL(`**/agents/${name}`)

  // Nothing answers there yet.
  await text(page).toMatch(/Could not clone .*api/)
  await page.getByTestId('preparation-error').getByText('Git could not clone the repository.').waitFor()
  expect(await page.getByTestId('preparation-output').textContent()).toMatch(/connect/)
  await reload(page)
  await text(page).toMatch(/Could not clone .*api/)
  expect(await fits(page)).toBe(true)

  const make = `echo one >code; echo '${JSON.stringify(DEVCONTAINER)}' >.devcontainer.json; git add -A; git commit -qm start`
  await sh(user, name, gitHostScript('api', make))
  await page.getByTestId('preparation-retry').click()
  await text(page).toMatch(/api wants to set up the agent$/)
  const offer = page.getByTestId('preparation-offer')
  await offer.getByText(DEVCONTAINER.postCreateCommand).waitFor()
  await offer.getByText('PORT=3000').waitFor()
  expect(await fits(page)).toBe(true)
  await page.getByTestId('offer-confirm').click()
  await text(page).toMatch(/api is ready in ~\/api$/)
  await page.getByTestId('preparation-output-toggle').click()
  expect(await page.getByTestId('preparation-output').textContent()).toContain(
    'from-the-repository\none\nset-up-is-over',
  )
  await page.getByTestId('preparation-new-task').waitFor()
  await page.getByTestId('preparation-hide').click()
  await page.getByTestId('preparation').waitFor({ state: 'detached' })
  expect(await sh(user, name, 'git -C api remote get-url origin')).toBe(`${gitHostUrl('api')}\n`)
  await user.ok('DELETE', `/agents/${name}`)
})
