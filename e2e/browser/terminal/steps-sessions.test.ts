/** Who may open a terminal, how many, what Disconnect leaves, and what a user may choose for it. */
import { DEFAULT_PREFERENCES } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { processesIn } from '../../support/engine.ts'
import { readable, reads, turnOnScreenReader } from '../../support/page/readable.ts'
import { contextOf, goTo, PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { startCat } from '../../support/terminal/cat.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client

beforeAll(async () => {
  colleague = await newUser(await signInAdmin())
})

/** A page whose events the test can block, as a bad network does. */
const hearing = async (client: Client): Promise<{ page: Page; deafen: () => void }> => {
  const context = await contextOf(client)
  let deaf = false
  await context.routeWebSocket(/\/events$/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => server.send(message))
    server.onMessage((message) => deaf || socket.send(message))
  })
  const page = await context.newPage()
  await goTo(page, '/')
  return { page, deafen: () => (deaf = true) }
}

describe('Test steps', () => {
  it('Session Limit', async () => {
    const page = await visit(its.owner, its.path)
    const first = new Screen(page)
    await first.shell()
    const second = new Screen(await page.context().newPage())
    await goTo(second.page, its.path)
    await second.error.getByText('You already have an active terminal session for this agent').waitFor()
    await second.is('disconnected')
    await first.is('connected')
    expect(await first.run('echo still $((40+2))')).toBe('still 42')
    await first.run('mine=kept')
    await second.error.getByRole('button', { name: 'Take over here' }).click()
    await second.is('connected')
    await first.error.getByText('This terminal was taken over.').waitFor()
    await first.error.getByText(`${its.owner.email} took over this terminal elsewhere.`).waitFor()
    await first.is('disconnected')
    // The same shell, with its screen.
    await until('what was there', async () => (await second.text()).includes('still 42'), PATIENCE_MS)
    expect(await second.run('echo $mine')).toBe('kept')
    await page.getByTestId('terminal-disconnect').waitFor({ state: 'detached' })
  })

  // `people/sharing.test.ts` takes a share away from an open terminal, and `backend/test/rights/walk.test.ts` refuses a
  // new one.
  longIt('Access Denied', async () => {
    const share = await its.owner.ok<{ userId: string }>('POST', `${its.path}/shares`, {
      email: colleague.email,
    })
    const { page, deafen } = await hearing(colleague)
    await page.evaluate(() => {
      const codes: number[] = []
      const Native = WebSocket
      window.WebSocket = class extends Native {
        constructor(url: string | URL) {
          super(url)
          if (String(url).includes('/terminal')) this.addEventListener('close', ({ code }) => codes.push(code))
        }
      }
      Object.assign(window, { codes })
    })
    await page.getByTestId(`rail-agent-${its.agent.name}`).click()
    const screen = new Screen(page)
    await screen.is('connected')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    deafen()
    await its.owner.ok('DELETE', `${its.path}/shares/${share.userId}`)
    await page.getByTestId('terminal-connect').click()
    await screen.error.getByText("You don't have access to this agent").waitFor()
    expect(await page.evaluate(() => (window as unknown as { codes: number[] }).codes.at(-1))).toBe(4003)
  })

  it('Disconnect/Cleanup', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    await screen.shell()
    await screen.type('sleep 86399\n')
    const container = its.container
    const sleeps = async (): Promise<boolean> => (await processesIn(container)).includes('sleep 86399')
    await until('the program to run', sleeps, PATIENCE_MS)
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    expect(await screen.status.textContent()).toBe('Disconnected')
    await page.getByTestId('terminal-connect').click()
    await screen.is('connected')
    await screen.prompt()
    expect(await screen.run('echo again $((40+2))')).toBe('again 42')
    await until('what ran to have ended', async () => !(await sleeps()), PATIENCE_MS)
  })
})

// `steps-size.test.ts` and `screen-reader.test.ts` have more about both, in the long form.
describe('a user with a keyboard', () => {
  afterEach(() => its.owner.ok('PUT', '/users/me/preferences', DEFAULT_PREFERENCES))

  it('is asked once what Escape does in full screen, and may keep it in the terminal', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    const inFullScreen = (is: boolean): Promise<void> =>
      page.locator(`[data-testid="terminal-panel"][data-fullscreen="${is}"]`).waitFor()
    await screen.shell()
    await page.getByTestId('terminal-fullscreen').click()
    await inFullScreen(true)
    await page.getByTestId('escape-question').getByText('Shift+Esc leaves').waitFor()
    await page.getByTestId('escape-kept').click()
    await page.getByTestId('escape-question').waitFor({ state: 'detached' })
    await screen.hasKeys()
    await startCat(screen, its.container)
    await screen.press('Escape')
    await screen.shows('^[')
    await inFullScreen(true)
    await screen.press('Shift+Escape')
    await inFullScreen(false)
  })

  it('finds the lines of the terminal with a screen reader after its support was turned on', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    await screen.shell()
    await screen.run('echo "first"" line"')
    expect(await readable(page)).not.toContain('first line')
    await turnOnScreenReader(page)
    await reads(page, 'first line')
  })
})
