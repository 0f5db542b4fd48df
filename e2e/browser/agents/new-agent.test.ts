/** The form of a new agent: what every user should see before the first terminal. */
import type { Agent } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'

useBrowser()
let user: Client

beforeEach(async () => {
  user = await newUser(await signInAdmin())
})

const choose = (page: Page, runtime: string) =>
  page
    .locator('label')
    .filter({ has: page.getByTestId(`runtime-${runtime}`) })
    .click()

describe('the form of a new agent', () => {
  it('shows that permission prompts are skipped, with the reason, and takes a no', async () => {
    const page = await visit(user, '/')
    const form = page.getByTestId('agent-form')
    const skip = form.getByRole('switch', { name: 'Skip permission prompts' })
    expect(await skip.isChecked()).toBe(true)
    await form.getByText('The container is the boundary').waitFor()
    await skip.click()
    await form.getByText('The CLI asks before it changes files or runs commands.').waitFor()
    // The switch exists once: the other settings do not repeat it.
    await page.getByTestId('agent-form-more').click()
    await page.getByTestId('settings-model').waitFor()
    expect(await page.getByTestId('settings-skip').count()).toBe(1)
    // Runtimes that ignore the setting do not offer it.
    for (const runtime of ['gemini-cli', 'copilot', 'opencode']) {
      await choose(page, runtime)
      await page.getByTestId('settings-skip').waitFor({ state: 'detached' })
    }
    await choose(page, 'codex')
    expect(await skip.isChecked()).toBe(false)

    const sent = page.waitForRequest((request) => request.method() === 'POST' && /agents/.test(request.url()))
    await page.getByTestId('agent-form-submit').click()
    expect((await sent).postDataJSON()).toMatchObject({ runtime: 'codex', skipPermissions: false })
    await page.waitForURL('**/agents/*')
    const [agent] = (await user.ok<{ items: Agent[] }>('GET', '/agents')).items
    // Its page is closed by then: what it still asks would be answered with an error.
    onTestFinished(() => user.ok('DELETE', `/agents/${agent!.name}`).then(() => undefined))
    await page.getByTestId('tab-settings').click()
    expect(await page.getByRole('switch', { name: 'Skip permission prompts' }).isChecked()).toBe(false)
  })

  // `arrival/newcomer.test.ts` goes from this form to that of a key.
  longIt('says which CLI has no key, and leads beside itself to the form for one', async () => {
    const page = await visit(user, '/')
    const form = page.getByTestId('agent-form')
    await form.getByText('Claude Code has no key.').waitFor()
    await choose(page, 'codex')
    await form.getByText('Codex has no key.').waitFor()
    expect(await form.getByTestId('no-key').textContent()).toContain('or run codex login --device-auth in Bash')
    const opened = page.waitForEvent('popup')
    await page.getByTestId('no-key-me').click()
    const account = await opened
    await account.waitForURL('**/account?add=openai-api-key')
    await account.getByTestId('credential-value').fill('sk-nobody-has-this-one')
    await account.getByTestId('credential-save').click()
    await account.getByTestId('credential-openai-api-key').waitFor()
    await account.close()
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await form.getByTestId('no-key').waitFor({ state: 'detached' })
    // OpenCode can use this key, Claude cannot.
    await choose(page, 'opencode')
    expect(await form.getByTestId('no-key').count()).toBe(0)
    await choose(page, 'claude-code')
    await form.getByText('Claude Code has no key.').waitFor()
  })
})
