/**
 * A terminal in a container that cannot run the holder. It survives its page and its network like any other terminal.
 * It warns that a restart of the server ends it, and then ends with that reason.
 */
// In the short form the engine’s tests have a container without a holder.
import '@slipway/testing/long'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { freePort, newDataDir, TerminalClient, until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { buildImage, docker, processesIn, removeNamespace } from '../../support/engine.ts'
import { cuttable } from '../../support/network/cuttable.ts'
import { PATIENCE_MS, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const DESK = { viewport: { width: 1440, height: 900 } }
/** Chromium's messages about a lost connection. */
const PROVOKED = [/ERR_|WebSocket connection to|Failed to load resource/]

const namespace = newNamespace()
const IMAGE = `${namespace}:unheld`
const dataDir = newDataDir()
const env = { SLIPWAY_IMAGES: IMAGE }

useBrowser()
let server: Server
let owner: Client
let agent: string
let path: string

beforeAll(async () => {
  const { SLIPWAY_TEST_IMAGE: image = '' } = process.env
  const { Config } = await docker.getImage(image).inspect()
  const without = ['USER 0', 'RUN rm /usr/local/lib/slipway/holder', `USER ${Config.User}`]
  await buildImage(IMAGE, [`FROM ${image}`, ...without].join('\n'))
  // It starts again at the same port, which nothing may take meanwhile.
  server = await startServer({ namespace, dataDir, env: { ...env, SLIPWAY_PORT: String(await freePort()) } })
  owner = await newUser(await signInAdmin(server.baseUrl))
  agent = (await owner.agent({ runtime: 'bash', keepSeconds: 300 })).name
  path = `/agents/${agent}`
})
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
  await docker.getImage(IMAGE).remove({ force: true })
})

const reasonOn = (page: Page): Locator =>
  page.locator('[data-slot="content"]').filter({ hasText: 'This terminal ends when Slipway is restarted' })

describe('a terminal that nothing holds', () => {
  it('says so as long as it is there, with the reason under the pointer', async () => {
    const page = await visit(owner, path, { baseURL: server.baseUrl, ...DESK })
    const screen = new Screen(page)
    await screen.shell()
    expect(await screen.run('echo $((40+2))')).toBe('42')
    const mark = page.getByTestId('terminal-unheld')
    await mark.and(page.getByRole('button', { name: 'Ends with the server' })).hover()
    await reasonOn(page).waitFor()
    await page.getByTestId('terminal-disconnect').click()
    await mark.waitFor({ state: 'detached' })
  })

  it('says so to a guest who comes by a link', async () => {
    const terminal = await TerminalClient.open(
      { baseUrl: server.baseUrl, path: `${path}/terminal` },
      { type: 'auth', token: owner.token, v: 2, cols: 80, rows: 24, takeover: true },
    )
    const { sessionId } = terminal
    const link = { access: 'view' }
    const { secret } = await owner.ok<{ secret: string }>('POST', `/terminal-sessions/${sessionId}/links`, link)
    const page = await visit(owner, `/watch#${secret}`, { baseURL: server.baseUrl, ...PHONE })
    await page.getByTestId('terminal-unheld').waitFor()
    await terminal.disconnect()
    await page.getByTestId('terminal-unheld').waitFor({ state: 'detached' })
  })

  it('says so on a phone, with the reason at a tap', async () => {
    const page = await visit(owner, path, { baseURL: server.baseUrl, ...PHONE })
    await new Screen(page).is('connected')
    await page.getByTestId('terminal-unheld').tap()
    const why = reasonOn(page)
    await why.waitFor()
    const box = (await why.boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.viewport.width)
    // The sentence is not cut off.
    expect(await why.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])
  })
  // The next test comes back after a lost network; `exact-repaint.test.ts` reloads.
  longIt('is the same shell, with its screen, after a reload of the page', async () => {
    const page = await visit(owner, path, { baseURL: server.baseUrl, ...DESK })
    const screen = new Screen(page)
    await screen.shell()
    // Its changes of the screen are kept, too: a colour, and a title.
    const pid = await screen.run(String.raw`printf '\e[31mred\e[0m\e]2;kept\a\n'; echo $$`)
    expect(pid).toMatch(/^red\n\d+$/)
    const before = { text: await screen.prompt(), colours: await screen.colours() }
    await reload(page)
    await screen.is('connected')
    await screen.shows(before.text)
    expect({ text: await screen.text(), colours: await screen.colours() }).toEqual(before)
    await page.getByTestId('terminal-unheld').waitFor()
    await screen.hasKeys()
    expect(await screen.run('echo $$')).toBe(pid.slice('red\n'.length))
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  // `terminal/edge-cases.test.ts` loses the network of a held one. A page does not tell the two apart.
  longIt('is the same shell after the network was away, with what was printed meanwhile', async () => {
    const network = await cuttable()
    const options = { baseURL: server.baseUrl, proxy: { server: network.url }, provoked: PROVOKED, ...DESK }
    const screen = new Screen(await visit(owner, path, options))
    await screen.shell()
    const pid = await screen.run('echo $$')
    await screen.type('echo wait"ing"; until [ -e go ]; do sleep 0.1; done; echo mean"while"\n')
    await screen.shows('waiting')
    network.cut()
    await screen.is('reconnecting')
    await owner.upload(agent, 'go', '')
    expect(await screen.text()).not.toContain('meanwhile')
    network.mend()
    await screen.is('connected')
    await screen.shows('meanwhile')
    await screen.hasKeys()
    expect(await screen.run('echo $$')).toBe(pid)
    await screen.page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await screen.page.context().close()
    await network.close()
  })

  it.each([
    // A stop under held programs: `e2e/protocol/terminal-survives.test.ts`.
    ...inLongForm([['stopped', 'SIGTERM'] as const]),
    ['killed', 'SIGKILL'],
  ] as const)(
    'ends with a server that is %s: the page says so, nothing is left, another can be had',
    async (_, signal) => {
      const screen = new Screen(await visit(owner, path, { baseURL: server.baseUrl, provoked: PROVOKED, ...DESK }))
      await screen.shell()
      const pid = await screen.run('sleep 86396 & echo $$')
      await screen.type('sleep 86395\n')
      const sleeps = async (): Promise<string[]> =>
        (await processesIn(`${namespace}-agent-${agent}`)).filter((command) => command.startsWith('sleep 8639'))
      await until('both programs to run', async () => (await sleeps()).length === 2, PATIENCE_MS)
      const { port } = new URL(server.baseUrl)
      const ended = once(server.process, 'exit')
      server.process.kill(signal)
      await screen.is('reconnecting')
      await ended
      server = await startServer({ namespace, dataDir, env: { ...env, SLIPWAY_PORT: port } })
      await screen.error.getByText('The connection to Bash was lost.').waitFor()
      await screen.error.getByText('The server was restarted, and this session could not be saved.').waitFor()
      await screen.is('disconnected')
      // The screen stays readable.
      expect(await screen.text()).toContain(pid)
      await until('nothing of it to be left', async () => (await sleeps()).length === 0, PATIENCE_MS)
      await screen.error.getByRole('button', { name: 'Connect' }).click()
      await screen.shell()
      expect(await screen.run('echo $$')).not.toBe(pid)
      await screen.error.waitFor({ state: 'detached' })
      await screen.page.getByTestId('terminal-disconnect').click()
      await screen.is('disconnected')
    },
  )
})
