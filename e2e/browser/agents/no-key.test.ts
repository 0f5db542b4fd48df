/** A CLI without a key: the page tells the user where to add one, leads them there, and stops once a key exists. */
import type { Agent, CliAccess } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

const VALUE = 'sk-ant-api03-nobody-has-this-one'
const PHONE = { viewport: { width: 390, height: 844 } }

useBrowser()
const its = useAgent({ memoryMb: 1536, keepSeconds: 300 })
let colleague: Client

beforeAll(async () => {
  colleague = await newUser(await signInAdmin())
})
afterEach(async () => {
  await its.owner.call('DELETE', `/agents/${its.agent.name}/credentials/anthropic-api-key`)
  await its.owner.call('DELETE', '/users/me/credentials/anthropic-api-key')
  await runIn(its.agent.name, 'rm -f ~/.claude/.credentials.json ~/.gemini/.env')
})

const strip = (page: Page) => page.getByTestId('key-strip')
const isGone = (page: Page) => strip(page).waitFor({ state: 'detached' })
const focus = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')))
const begin = async (client = its.owner, options = {}): Promise<{ page: Page; screen: Screen }> => {
  const page = await visit(client, its.path, options)
  const screen = new Screen(page)
  await screen.is('connected')
  return { page, screen }
}
const access = async (agent: Pick<Agent, 'name'>) =>
  (await its.owner.ok<{ items: CliAccess[] }>('GET', `/agents/${agent.name}/cli-access`)).items

describe('a terminal of a CLI without a key', () => {
  it('says so above, and leads to the form of the agent and to its next start', async () => {
    const { page } = await begin()
    await strip(page).getByText('Claude Code has no key.').waitFor()
    expect(await strip(page).textContent()).toContain('or type /login in its terminal')
    await page.getByTestId('no-key-agent').click()
    await page.waitForURL(`**${its.path}/settings?add=anthropic-api-key`)
    const form = page.getByTestId('credential-form')
    await form.getByText('Anthropic API key').first().waitFor()
    await form.getByTestId('credential-value').fill(VALUE)
    await form.getByTestId('credential-save').click()
    await page.getByTestId('credential-anthropic-api-key').waitFor()
    await page.waitForURL(`**${its.path}/settings`)

    await page.getByTestId('tab-terminal').click()
    await strip(page).getByText('The key is saved.').waitFor()
    await page.getByTestId('key-strip-restart').click()
    await isGone(page)
    const screen = new Screen(page)
    await screen.is('connected')
    expect(await screen.shows(/Claude Code v/)).not.toContain('Not logged in')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  // The test before leads to the form of the agent, which is the same form.
  longIt('leads to the form of one’s own, and is quiet about a terminal that was started with it', async () => {
    const { page, screen } = await begin(its.owner, PHONE)
    await strip(page).waitFor()
    // The strip is not cut off.
    expect(await strip(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.getByTestId('no-key-me').click()
    await page.waitForURL('**/account?add=anthropic-api-key')
    await page.getByTestId('credential-value').fill(VALUE)
    await page.getByTestId('credential-save').click()
    await page.getByTestId('credential-anthropic-api-key').waitFor()
    await goTo(page, its.path)
    await screen.is('connected')
    await page.getByTestId('terminal-disconnect').click()
    await page.getByTestId('terminal-connect').click()
    await screen.is('connected')
    await screen.shows(/Claude Code v/)
    expect(await access(its.agent)).toContainEqual({ runtime: 'claude-code', by: 'credential', because: null })
    expect(await strip(page).count()).toBe(0)
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  // Without a page: `backend/src/modules/sessions/cli/access.test.ts`, “is what counts of the credentials, for each
  // person, else what the home signs in”.
  longIt('says nothing once the CLI is signed in by itself, nor over Bash', async () => {
    const { page, screen } = await begin()
    await strip(page).waitFor()
    await runIn(its.agent.name, `echo '{"claudeAiOauth":{"accessToken":"sk-ant-oat01"}}' > ~/.claude/.credentials.json`)
    await focus(page)
    await isGone(page)
    expect(await access(its.agent)).toContainEqual({ runtime: 'claude-code', by: 'home', because: null })
    await runIn(its.agent.name, 'rm ~/.claude/.credentials.json')
    // A look that a busy machine has not ended in time is repeated.
    const unknown = { runtime: 'claude-code', by: 'unknown', because: null }
    let looks = 0
    await intercept(
      page,
      '*/cli-access*',
      (request) => {
        looks += 1
        return request.fulfill({ json: { items: [unknown], nextCursor: null } })
      },
      { times: 1 },
    )
    await reload(page)
    await screen.is('connected')
    await until('the look that did not end', () => looks === 1)
    await focus(page)
    await strip(page).waitFor()
    await screen.bash()
    await isGone(page)
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  // The first test has the strip until a key is saved.
  longIt('can be told to be quiet, until the next terminal', async () => {
    const { page, screen } = await begin()
    await page.getByTestId('key-strip-hide').click()
    await isGone(page)
    await reload(page)
    await screen.is('connected')
    await screen.shows(/Claude Code v/)
    expect(await strip(page).count()).toBe(0)
    await page.getByTestId('terminal-disconnect').click()
    await page.getByTestId('terminal-connect').click()
    await strip(page).waitFor()
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  // Without a page: `backend/src/modules/sessions/cli/access.test.ts` says what counts for each person.
  longIt('offers only what counts: no form of the agent to a sharee, and the settings where keys are off', async () => {
    await its.owner.ok('POST', `/agents/${its.agent.name}/shares`, { email: colleague.email })
    const { page } = await begin(colleague)
    await strip(page).getByText('Claude Code has no key.').waitFor()
    expect(await strip(page).getByRole('link').count()).toBe(0)
    await page.getByTestId('terminal-disconnect').click()
    await its.owner.ok('DELETE', `/agents/${its.agent.name}/shares/${colleague.userId}`)

    await its.owner.ok('PATCH', `/agents/${its.agent.name}`, { useCredentials: false })
    const own = await begin()
    await strip(own.page).getByText('Saved keys are off for this agent.').waitFor()
    await own.page.getByTestId('no-key-settings').click()
    await own.page.getByTestId('use-credentials').click()
    await own.page.getByTestId('tab-terminal').click()
    await own.page.getByTestId('no-key-me').waitFor()
    await own.page.getByTestId('terminal-disconnect').click()
  })

  // In the short form of Claude Code alone, and `backend/src/modules/providers/launch.test.ts` has what Gemini is told.
  longIt('says of Gemini what it has: no key and no sign-in, or the one of the home', async () => {
    await its.owner.ok('PATCH', `/agents/${its.agent.name}`, { runtime: 'gemini-cli' })
    const { page, screen } = await begin()
    await strip(page).getByText('Gemini CLI has no key.').waitFor()
    const without = await screen.shows(/Gemini CLI v[^]*Type your message/)
    expect(without).toContain('No Gemini key is set')
    expect(without).not.toContain('Authenticated')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')

    await runIn(its.agent.name, 'echo GEMINI_API_KEY=AIza-of-the-home > ~/.gemini/.env')
    await page.getByTestId('terminal-connect').click()
    const own = await screen.shows(/Authenticated with gemini-api-key/)
    expect(own).not.toContain('No Gemini key is set')
    await isGone(page)
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })
})
