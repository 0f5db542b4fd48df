/** Guests of a terminal whose server is killed. */
import { rmSync } from 'node:fs'
import { newDataDir } from '@slipway/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { newUser, signInAdmin } from '../../support/api.ts'
import { removeNamespace } from '../../support/engine.ts'
import { goTo, newContext, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { ANYONE, looksLike, share } from '../../support/terminal/watching.ts'

useBrowser()

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
