/** The first hour of a newcomer: from the link of a new server to a pull request, with the app open, by few clicks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { inTurn } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildStandIns, REPOSITORY, startStandIns } from '../../support/agent/stand-ins.ts'
import { docker, removeNamespace } from '../../support/engine.ts'
import { answered, closePages, goTo, newContext, useBrowser } from '../../support/pages.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { SCREENS, type ScreenName } from '../../walk/visitor.ts'

/** Fewer clicks, or taps, than this are enough. */
const CLICKS_BELOW = 30
const APP = 5173
const SERVE = `require('http').createServer((_, answer) => answer.end('It works.')).listen(${APP}, '127.0.0.1')`
const TASK = 'Make a start page, and serve it.'
const STEPS = [
  { tool: 'Write', input: { file_path: '/home/developer/api/page.js', content: `${SERVE}\n` } },
  { tool: 'Bash', input: { command: 'setsid -f node page.js >/dev/null 2>&1', description: 'Serve it' } },
  { say: 'Added a start page, and served it.' },
]
const image = `${newNamespace()}:stand-ins`

useBrowser()
beforeAll(() => buildStandIns(image, 'echo one >code', STEPS))
afterAll(() => docker.getImage(image).remove())

/** A new server on a new machine, until it has been used. */
const onNewServer = async (use: (server: Server, link: string) => Promise<void>): Promise<void> => {
  const namespace = newNamespace()
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-newcomer-'))
  const env = { SLIPWAY_ADMIN_EMAIL: '', SLIPWAY_ADMIN_PASSWORD: '', SLIPWAY_IMAGES: image }
  const server = await startServer({ namespace, dataDir, env })
  try {
    await use(server, await until('the link', () => /http\S+\/setup#\S+(?=\n)/.exec(server.output())?.[0]))
    await closePages()
  } finally {
    await server.stop()
    await removeNamespace(namespace)
    rmSync(dataDir, { recursive: true })
  }
}

/** A hand at the mouse. It has no keyboard shortcuts: each field that it types into is a click, too. */
class Hand {
  clicks = 0

  async click(what: Locator): Promise<void> {
    this.clicks += 1
    await what.click()
  }

  async type(field: Locator, text: string): Promise<void> {
    await this.click(field)
    await field.fill(text)
  }

  /** A click that opens another tab. */
  async open(page: Page, what: Locator): Promise<Page> {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), this.click(what)])
    return tab
  }
}

const toPullRequest = async (screen: ScreenName): Promise<void> =>
  onNewServer(async (server, link) => {
    const hand = new Hand()
    const provoked = [/^request: http:\/\/5173--/, answered(409)]
    const page = await (await newContext({ ...SCREENS[screen], baseURL: server.baseUrl, provoked })).newPage()
    const at = (id: string): Locator => page.getByTestId(id)

    await goTo(page, link)
    await hand.type(page.getByLabel('E-mail'), 'first@example.org')
    await hand.type(page.getByLabel('Password', { exact: true }), 'a first long password')
    await hand.click(page.getByRole('button', { name: 'Create admin' }))

    // The form of the first agent says that there is no key, and leads to the place for it.
    const account = await hand.open(page, at('no-key-me'))
    await hand.type(account.getByTestId('credential-value'), 'sk-ant-of-the-tests-0123456789')
    await hand.click(account.getByTestId('credential-save'))
    await account.getByTestId('credential-anthropic-api-key').waitFor()
    await hand.click(account.getByTestId('add-credential'))
    await account.getByTestId('credential-form').waitFor()
    await hand.click(account.getByTestId('credential-kind'))
    await hand.click(account.getByRole('option', { name: 'GitHub token' }))
    await hand.type(account.getByTestId('credential-value'), 'ghp_of-the-tests-0123456789abcdef')
    await hand.click(account.getByTestId('credential-save'))
    await account.getByTestId('credential-github-token').waitFor()
    await account.close()

    const name = await at('agent-form-name').inputValue()
    await hand.click(at('agent-form-begins'))
    await hand.type(at('agent-form-repository'), REPOSITORY)
    await hand.click(at('agent-form-git-token'))
    await hand.type(at('agent-form-prompt'), TASK)
    await hand.click(at('agent-form-submit'))
    await page.waitForURL(`**/agents/${name}`)
    await startStandIns(`${server.namespace}-agent-${name}`)

    await hand.click(at('preparation-task'))
    await at('run-state').getByText('Completed').waitFor()
    await hand.click(at('run-tab-changes'))
    await page.getByText('page.js').first().waitFor()

    await hand.click(at('changes-publish'))
    await hand.click(at('publish-commit-do'))
    await hand.click(at('publish-push-do'))
    await hand.click(at('confirm-action'))
    await hand.click(at('publish-pull-do'))
    await hand.click(at('confirm-action'))
    await at('publish-pull').getByRole('link').waitFor()

    await hand.click(at('run-facts').getByRole('link', { name }))
    await hand.click(at('tab-ports'))
    const app = await hand.open(page, page.getByRole('button', { name: `Open port ${APP}` }))
    await app.getByText('It works.').waitFor()
    expect(hand.clicks).toBeLessThan(CLICKS_BELOW)
  })

// In the short form on a wide screen: `pages/phone.test.ts` has pages on a phone.
it.each(inTurn(Object.keys(SCREENS) as ScreenName[], 0))(
  'a newcomer comes from the link of a new server to a pull request and its app, on a %s screen',
  toPullRequest,
)
