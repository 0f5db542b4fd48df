/** From the link that a new server prints to Claude's own prompt. */
// In the short form `newcomer.test.ts` goes the same way, and `backend/test/identity/first-start.test.ts` has the link.
import '@slipway/testing/long'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goTo, newContext, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { type Server, startServer } from '../../support/server.ts'

useBrowser()
// An empty data folder, as for the first start on a machine.
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-first-'))
let server: Server
let link: string

beforeAll(async () => {
  server = await startServer({ dataDir, env: { SLIPWAY_ADMIN_EMAIL: '', SLIPWAY_ADMIN_PASSWORD: '' } })
  link = await until('the link', () => /http\S+\/setup#\S+(?=\n)/.exec(server.output())?.[0])
})
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true })
})

const openPage = async (path: string) => {
  const page = await (await newContext({ baseURL: server.baseUrl, webgl: true })).newPage()
  await goTo(page, path)
  return page
}

describe('the first start', () => {
  it('is explained to a user who comes without the link, and cannot be done by them', async () => {
    const page = await openPage('/agents/anything')
    await page.getByTestId('setup-help').waitFor()
    expect(new URL(page.url()).pathname).toBe('/setup')
    expect(await page.getByTestId('setup-form').count()).toBe(0)
  })

  it('leads from the link to an admin, an agent, and its prompt with one Enter', async () => {
    const page = await openPage(link)
    await page.waitForURL((url) => url.hash === '')
    await page.getByLabel('E-mail').fill('first@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a first long password')
    await page.getByRole('button', { name: 'Create admin' }).click()
    await page.getByTestId('first-agent').waitFor()
    const name = page.getByTestId('agent-form-name')
    await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true)
    const chosen = await name.inputValue()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/agents/${chosen}`)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.drawnBy('webgl')
    await screen.shows(/Claude Code v[\d.]+/)
    await screen.shows(/^❯/m)
    await screen.hasKeys()
  })

  it('happens once: the link is spent', async () => {
    const page = await openPage(link)
    await page.waitForURL((url) => !url.hash)
    const status = await (await fetch(`${server.baseUrl}/api/auth/status`)).json()
    expect(status).toEqual({ setUp: true })
    await goTo(page, '/')
    await page.getByTestId('login-form').waitFor()
  })
})
