/** Guests in a live terminal see it as it is, and type once they have control. */
import { rmSync } from 'node:fs'
import { newDataDir } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, passwordOf, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { everything, settled } from '../../support/page/cells.ts'
import { removeNamespace } from '../../support/engine.ts'
import { cuttable } from '../../support/network/cuttable.ts'
import { contextOf, goTo, newContext, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { useAgent } from '../../support/use-agent.ts'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
/** How soon a guest must be disconnected after their link was revoked, in milliseconds. */
const SOON_MS = 2_000

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client
let stranger: Client

beforeAll(async () => {
  const admin = await signInAdmin()
  ;[colleague, stranger] = await Promise.all([newUser(admin), newUser(admin)])
  await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
})

/** The owner's terminal, with text on it to compare. */
const ownTerminal = async (): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  await screen.run(String.raw`seq 60; printf '\e[1;35;44mcolours\e[0m 漢字\n'`)
  return screen
}

type Access = 'View only' | 'With control'

/** Creates a link to the page's terminal and returns its path. */
const share = async (page: Page, access: Access, audience: RegExp): Promise<string> => {
  await page.getByTestId('terminal-share').click()
  return linkFrom(page, access, audience)
}
/** Creates the link in the open dialog. */
const linkFrom = async (page: Page, access: Access, audience: RegExp): Promise<string> => {
  const dialog = page.getByTestId('share-dialog')
  await dialog.getByRole('radio', { name: access }).click()
  await dialog.getByRole('radio', { name: audience }).click()
  await dialog.getByTestId('link-create').click()
  const { pathname, hash } = new URL(await dialog.getByTestId('link-url').innerText())
  expect(pathname + hash).toMatch(/^\/watch#slk_/)
  await dialog.getByTestId('link-done').click()
  await dialog.getByTestId('link').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return pathname + hash
}
/** Asks for control, and the owner hands it over. */
const takeControl = async (theirs: Screen, mine: Screen): Promise<void> => {
  await theirs.is('connected')
  await theirs.page.getByTestId('control-ask').click()
  await mine.page.getByTestId('control-hand-over').click()
  await theirs.page.getByTestId('control-give-back').waitFor()
  await theirs.element.click()
  await theirs.hasKeys()
}
const WITH_ACCESS = /^People with access/
const ANYONE = /^Anyone/

/** Both screens are the same, down to the last cell. Only scrolling is separate. */
const looksLike = async (one: Screen, other: Screen): Promise<void> => {
  await expect.poll(async () => everything(one.page), { timeout: 20_000 }).toEqual(await settled(other.page))
}

describe('a shared terminal', () => {
  it('is the same to a colleague in another window, who asks for control, types, and loses it again', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link, { viewport: { width: 900, height: 500 } }))
    await theirs.is('connected')
    await mine.page.getByTestId('terminal-people').getByText('2').waitFor()
    await theirs.page.getByTestId('watch-holder').getByText(its.owner.email).waitFor()
    await looksLike(theirs, mine)

    await theirs.hasKeys()
    await theirs.type('lost')
    await theirs.page.getByText(`${its.owner.email} has control`).first().waitFor()
    await mine.type('echo "only mine"\n')
    await mine.shows(/\nonly mine\n/)
    expect(await mine.text()).not.toContain('lost')

    await theirs.page.getByTestId('control-ask').click()
    const asked = mine.page.getByTestId('control-asked')
    await asked.getByText(`${colleague.email} asks for control.`).waitFor()
    await asked.getByTestId('control-hand-over').click()
    await theirs.page.getByTestId('control-give-back').waitFor()
    await mine.page.getByTestId('control-away').getByText(`${colleague.email} has control.`).waitFor()
    await theirs.element.click()
    const small = await theirs.agreesOnSize()
    await expect.poll(() => mine.size()).toEqual(small)
    await looksLike(mine, theirs)

    await mine.element.click()
    await mine.type('lost')
    await mine.page.getByText('Your input is not sent.').first().waitFor()
    await mine.page.getByTestId('control-take-back').click()
    await mine.page.getByTestId('control-away').waitFor({ state: 'detached' })
    await mine.element.click()
    const large = await mine.agreesOnSize()
    expect(large.cols).toBeGreaterThan(small.cols)
    expect(await mine.text()).not.toContain('lost')
    await expect.poll(() => theirs.size()).toEqual(large)
    await looksLike(theirs, mine)
    expect(await theirs.element.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })

  it('answers a program that asks for the status protocol, from the client in control', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await takeControl(theirs, mine)
    const asks = String.raw`stty -echo -icanon min 0 time 30; printf '\e]7501;?\e\\'; head -c 10 | cat -v; stty sane`
    expect(await theirs.run(asks)).toBe('^[]7501;?^[\\')
  })

  it('offers what its program copies to the user in control, and to no other user', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await takeControl(theirs, mine)
    const copies = async (by: Screen, text: string): Promise<void> => {
      await by.run(`printf '\\e]52;c;%s\\a' ${Buffer.from(text).toString('base64')}; echo "${text} "copied`)
      for (const screen of [mine, theirs]) await screen.shows(`${text} copied`)
    }
    const offered = ({ page }: Screen, text: string) => page.getByText(text, { exact: true })
    await copies(theirs, 'theirs')
    await theirs.page.getByText(`${its.agent.name} wants to copy to your clipboard`).first().waitFor()
    await offered(theirs, 'theirs').first().waitFor()
    expect(await mine.page.getByText('to your clipboard').count()).toBe(0)

    await mine.page.getByTestId('control-take-back').click()
    await mine.page.getByTestId('control-away').waitFor({ state: 'detached' })
    await mine.element.click()
    await mine.hasKeys()
    await copies(mine, 'mine')
    await offered(mine, 'mine').first().waitFor()
    expect(await offered(theirs, 'mine').count()).toBe(0)
  })

  it('answers "not now" to a guest who asks for control, who may ask again, and says when no user is there to answer', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link, PHONE))
    const asks = theirs.page.getByTestId('control-ask')
    const asked = mine.page.getByTestId('control-asked')
    await asks.tap()
    await theirs.page.getByTestId('control-withdraw').waitFor()
    await asked.getByTestId('control-not-now').click()
    await asked.waitFor({ state: 'detached' })
    await theirs.page.getByText(`${its.owner.email} said: not now.`).first().waitFor()
    await asks.tap()
    await asked.getByTestId('control-not-now').click()
    await asks.waitFor()

    const waits = (keepSeconds: number) => its.owner.ok('PATCH', its.path, { keepSeconds })
    await waits(60)
    await goTo(mine.page, '/account')
    const nobody = `${its.owner.email} is away. Nobody can type until they reconnect.`
    await theirs.page.getByTestId('control-away').getByText(nobody).waitFor()
    await asks.waitFor({ state: 'detached' })
    expect(await graveOn(theirs.page)).toEqual([])
    expect(await theirs.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await goTo(mine.page, its.path)
    await asks.tap()
    await waits(0)
    await asked.getByTestId('control-hand-over').click()
    await theirs.page.getByTestId('control-give-back').waitFor()
  })

  it('is closed for a guest within 2 s after their link is revoked, and for no other user', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'View only', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await theirs.is('connected')
    await theirs.page.getByTestId('watch-role').getByText('View only').waitFor()
    await mine.page.getByTestId('terminal-share').click()
    const dialog = mine.page.getByTestId('share-dialog')
    await dialog.getByTestId(`person-${colleague.email}`).waitFor()
    await dialog.getByTestId('link').getByTestId('row-remove').first().click()
    const gone = theirs.error.getByText('This link no longer works.')
    const revoked = mine.page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await mine.page.getByTestId('confirm-action').click()
    await revoked
    await gone.waitFor({ timeout: SOON_MS })
    await dialog.getByTestId(`person-${colleague.email}`).waitFor({ state: 'detached' })
    await mine.page.keyboard.press('Escape')
    await mine.is('connected')
    await reload(theirs.page)
    await theirs.error.getByText('You cannot open this terminal.').waitFor()
  })

  it('is ended by Disconnect only when its user confirms the end for every user in it', async () => {
    const mine = await ownTerminal()
    const theirs = new Screen(await visit(colleague, await share(mine.page, 'View only', WITH_ACCESS)))
    await theirs.is('connected')
    await mine.page.getByTestId('terminal-people').waitFor()
    await mine.page.getByTestId('terminal-disconnect').click()
    const question = mine.page.getByRole('dialog', { name: 'End this terminal for everyone?' })
    await question.getByText(`${colleague.email} is in it. Disconnecting ends Bash and its current work.`).waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    await mine.hasKeys()
    expect(await mine.run('echo still $((40+2))')).toBe('still 42')
    await looksLike(theirs, mine)
    await mine.page.getByTestId('terminal-disconnect').click()
    await question.getByTestId('confirm-action').click()
    await theirs.error.getByText('The terminal was closed.').waitFor()
    await mine.is('disconnected')
  })

  it('can be shared by the agent’s owner, too, and not by its other users', async () => {
    const theirs = new Screen(await visit(colleague, its.path))
    await theirs.shell()
    await theirs.run('echo theirs $((40+2))')
    const mine = await ownTerminal()
    await mine.page.getByTestId('people-here').click()
    await mine.page.getByTestId(`live-${colleague.email}`).getByTestId('live-share').click()
    await mine.page.getByRole('heading', { name: `Share the terminal of ${colleague.email}` }).waitFor()
    await mine.page.getByText(`They see what ${colleague.email} sees`).waitFor()
    const watching = new Screen(await visit(its.owner, await linkFrom(mine.page, 'View only', WITH_ACCESS)))
    await watching.shows('theirs 42')
    await looksLike(watching, theirs)
    await theirs.page.getByTestId('terminal-people').getByText('2').waitFor()
    // Before a revocation, the list must show who created each link and when.
    await share(theirs.page, 'View only', WITH_ACCESS)
    await theirs.page.getByTestId('terminal-share').click()
    const links = theirs.page.getByTestId('link')
    await links.getByText('created just now by you').waitFor()
    await links.getByText(`created just now by ${its.owner.email}`).waitFor()
    const made = links.first().locator('time').last()
    expect(Date.parse((await made.getAttribute('title'))!)).toBeGreaterThan(Date.now() - 600_000)
    await links
      .last()
      .getByRole('button', { name: `by ${its.owner.email}` })
      .waitFor()
    await theirs.page.keyboard.press('Escape')
    await theirs.page.getByTestId('share-dialog').waitFor({ state: 'detached' })

    await theirs.page.getByTestId('people-here').click()
    await theirs.page.getByTestId(`live-${colleague.email}`).getByTestId('live-share').waitFor()
    const others = theirs.page.getByTestId(`live-${its.owner.email}`)
    await others.waitFor()
    expect(await others.getByTestId('live-share').count()).toBe(0)
  })

  it('reconnects a guest after a lost network', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'View only', WITH_ACCESS)
    const network = await cuttable()
    const provoked = [/ERR_|WebSocket connection to/]
    const context = await contextOf(colleague, { proxy: { server: network.url }, provoked })
    const theirs = new Screen(await context.newPage())
    await goTo(theirs.page, link)
    await theirs.is('connected')
    network.cut()
    await theirs.is('reconnecting')
    await mine.run('seq 5')
    network.mend()
    await theirs.is('connected')
    await looksLike(theirs, mine)
    await context.close()
    await network.close()
  })

  it('is not found by a stranger, unless its user shares it with anyone', async () => {
    const mine = await ownTerminal()
    const forUs = await share(mine.page, 'With control', WITH_ACCESS)
    const refused = new Screen(await visit(stranger, forUs))
    await refused.error.getByText('You cannot open this terminal.').waitFor()
    await refused.is('disconnected')

    const open = await share(mine.page, 'With control', ANYONE)
    const page = await (await newContext()).newPage()
    const guest = new Screen(page)
    await goTo(page, open)
    await guest.is('connected')
    await mine.page.getByTestId('terminal-people').click()
    await mine.page.getByTestId('person-Guest 1').getByText('Joined with a link').waitFor()
    await mine.page.keyboard.press('Escape')
    await looksLike(guest, mine)
    await page.getByTestId('watch-role').getByText('View only').waitFor()
    await guest.hasKeys()
    await guest.type('rm -rf /\n')
    await mine.element.click()
    expect(await mine.run('echo $((40+2))')).toBe('42')
    expect(await mine.text()).not.toContain('rm -rf')

    // The sign-in that a link asks for leads back to the link.
    await goTo(page, '/login')
    await goTo(page, forUs)
    await page.getByLabel('E-mail').fill(colleague.email)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(colleague))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await guest.is('connected')
    expect(page.url()).toContain(forUs)
    await looksLike(guest, mine)
  })

  it('fits on a phone, small and without a bar of keys, and can be shared from one', async () => {
    const mine = await ownTerminal()
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const page = await visit(colleague, link, PHONE)
    const theirs = new Screen(page)
    await theirs.is('connected')
    await looksLike(theirs, mine)
    expect(await page.getByTestId('key-bar').count()).toBe(0)
    // If the screen does not fit at a readable font size, it scrolls inside the terminal.
    expect(await theirs.element.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('control-ask').tap()
    await mine.page.getByTestId('control-hand-over').click()
    await page.getByTestId('key-bar').waitFor()
    await expect.poll(async () => (await theirs.size()).cols).toBeLessThan(80)
    const differences = async (): Promise<number[]> => {
      const [own, other] = await Promise.all([mine.size(), theirs.size()])
      return [own.cols - other.cols, own.rows - other.rows]
    }
    await expect.poll(differences).toEqual([0, 0])
    await page.getByTestId('control-give-back').tap()
    await page.getByTestId('key-bar').waitFor({ state: 'detached' })

    await mine.page.setViewportSize(PHONE.viewport)
    await mine.page.getByTestId('terminal-people').click()
    // If the bar has no room for both, the participants' button leads to the links.
    await mine.page.getByTestId('people-links').click()
    await mine.page.getByTestId('link-form').waitFor()
    expect(await graveOn(mine.page)).toEqual([])
    expect(await mine.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })
})

describe('a shared terminal whose server is killed', () => {
  const namespace = newNamespace()
  const dataDir = newDataDir()
  let server: Server

  beforeAll(async () => {
    server = await startServer({ namespace, dataDir })
  })
  afterAll(async () => {
    await server.stop()
    await removeNamespace(namespace)
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('reconnects a guest by itself, and goes on before their eyes', async () => {
    const options = { baseURL: server.baseUrl, provoked: [/ERR_|WebSocket connection to|Failed to load resource/] }
    const admin = await signInAdmin(server.baseUrl)
    const [owner, friend] = await Promise.all([newUser(admin), newUser(admin)])
    const agent = await owner.agent({ runtime: 'bash', memoryMb: 512, keepSeconds: 300 })
    const mine = new Screen(await visit(owner, `/agents/${agent.name}`, options))
    await mine.shell()
    const link = await share(mine.page, 'View only', ANYONE)
    const theirs = new Screen(await visit(friend, link, options))
    const guest = new Screen(await (await newContext(options)).newPage())
    await goTo(guest.page, link)
    const watching = [theirs, guest]
    await Promise.all(watching.map((screen) => screen.is('connected')))
    await mine.hasKeys()
    await mine.type('echo wait"ing"; until [ -e go ]; do sleep 0.1; done; echo mean"while"\n')
    await Promise.all(watching.map((screen) => screen.shows('waiting')))

    const { port } = new URL(server.baseUrl)
    server.process.kill('SIGKILL')
    await Promise.all([mine, ...watching].map((screen) => screen.is('reconnecting')))
    server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: port } })
    // Reconnects at once, before the server has restored the session, not only after a delay.
    await Promise.all(watching.map(({ page }) => page.evaluate(() => window.dispatchEvent(new Event('online')))))
    await Promise.all([mine, ...watching].map((screen) => screen.is('connected')))
    await owner.at(server.baseUrl).upload(agent.name, 'go', '')
    await Promise.all([mine, ...watching].map((screen) => screen.shows('meanwhile')))
    await looksLike(theirs, mine)
    await looksLike(guest, mine)
  })
})
