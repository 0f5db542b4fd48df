/** A terminal in a container that cannot run what would hold it: it works, and says that a restart of the server is its end. */
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { graveOn } from '../support/axe.ts'
import { buildImage, docker } from '../support/engine.ts'
import { useBrowser, visit } from '../support/pages.ts'
import { Screen } from '../support/screen.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const IMAGE = `${newNamespace()}:unheld`

useBrowser()
let server: Server
let owner: Client
let path: string

beforeAll(async () => {
  const { SLIPWAY_TEST_IMAGE: image = '' } = process.env
  const { Config } = await docker.getImage(image).inspect()
  const without = ['USER 0', 'RUN rm /usr/local/lib/slipway/holder', `USER ${Config.User}`]
  await buildImage(IMAGE, [`FROM ${image}`, ...without].join('\n'))
  server = await startServer({ env: { SLIPWAY_IMAGES: IMAGE } })
  owner = await newUser(await signInAdmin(server.baseUrl))
  const { name } = await owner.agent({ runtime: 'bash' })
  path = `/agents/${name}`
})
afterAll(async () => {
  await server.stop()
  await docker.getImage(IMAGE).remove({ force: true })
})

const reasonOn = (page: Page): Locator =>
  page.locator('[data-slot="content"]').filter({ hasText: 'This terminal ends when Slipway is restarted' })

describe('a terminal that nothing holds', () => {
  it('says so as long as it is there, with the reason to whoever points at it', async () => {
    const page = await visit(owner, path, { baseURL: server.baseUrl, viewport: { width: 1440, height: 900 } })
    const screen = new Screen(page)
    await screen.shell()
    expect(await screen.run('echo $((40+2))')).toBe('42')
    const mark = page.getByTestId('terminal-unheld')
    await mark.getByText('Ends with the server').waitFor()
    await mark.hover()
    await reasonOn(page).waitFor()
    await page.getByTestId('terminal-disconnect').click()
    await mark.waitFor({ state: 'detached' })
  })

  it('says so on a phone, with the reason to whoever taps it', async () => {
    const page = await visit(owner, path, { baseURL: server.baseUrl, ...PHONE })
    await new Screen(page).is('connected')
    await page.getByTestId('terminal-unheld').tap()
    const why = reasonOn(page)
    await why.waitFor()
    const box = (await why.boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.viewport.width)
    // All of the sentence is to be read.
    expect(await why.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])
  })
})
