/** What a page does, and lets its person do, while the connection to its terminal is lost. */
import { rmSync } from 'node:fs'
import type { Terminal } from '@xterm/headless'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { newDataDir } from '../support/data-dir.ts'
import { processesIn, removeNamespace } from '../support/engine.ts'
import { cuttable, type Network } from '../support/network.ts'
import { newContext, PATIENCE_MS, signInAt, useBrowser, visit } from '../support/pages.ts'
import { Screen } from '../support/screen.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { useAgent } from '../support/use-agent.ts'

useBrowser()
/** What a lost connection has Chromium say. */
const PROVOKED = [/ERR_|WebSocket connection to/]

describe('while the network is away', () => {
  const its = useAgent({ keepSeconds: 300 })
  let network: Network
  let screen: Screen

  /** A page with a shell in which something runs, of which it has lost sight. */
  const lose = async (seconds: number): Promise<void> => {
    network = await cuttable()
    const context = await newContext({ proxy: { server: network.url }, provoked: PROVOKED })
    screen = new Screen(await context.newPage())
    await signInAt(screen.page, its.owner, its.path)
    await screen.bash()
    await screen.type(`sleep ${seconds}\n`)
    await until('the program to run', () => sleeps(seconds), PATIENCE_MS)
    network.cut()
    await screen.is('reconnecting')
  }
  const sleeps = async (seconds: number): Promise<boolean> =>
    (await processesIn(its.container)).includes(`sleep ${seconds}`)
  const done = async (): Promise<void> => {
    await screen.page.context().close()
    await network.close()
  }

  it('another program can be chosen: what runs is ended for it as soon as the connection is back', async () => {
    await lose(86_391)
    const { page } = screen
    const [cli, bash] = [page.getByTestId('terminal-mode-cli'), page.getByTestId('terminal-mode-bash')]
    await cli.click()
    await page.getByText('This ends Bash in this terminal').waitFor()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('terminal-reconnecting').getByText('Then Claude Code takes the place').waitFor()
    expect(await cli.getAttribute('aria-checked')).toBe('true')
    expect(await bash.getAttribute('aria-checked')).toBe('false')
    network.mend()
    await screen.element.and(page.locator('[data-mode="cli"][data-state="connected"]')).waitFor()
    await until('what ran to have ended', async () => !(await sleeps(86_391)), PATIENCE_MS)
    expect(await cli.getAttribute('aria-checked')).toBe('true')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await done()
  })

  it('Disconnect says that what runs could not be told so, and how to end it', async () => {
    await lose(86_392)
    const { page } = screen
    await page.getByTestId('terminal-disconnect').click()
    await screen.error.getByText('Disconnected, but Bash still runs.').waitFor()
    expect(await sleeps(86_392)).toBe(true)
    // Nor is it ended by another choice: what is found is told.
    await page.getByTestId('terminal-mode-cli').click()
    network.mend()
    await screen.error.getByRole('button', { name: 'Connect' }).click()
    await screen.is('connected')
    await page.getByText('Bash still runs in this terminal').first().waitFor()
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await screen.error.waitFor({ state: 'detached' })
    await until('what ran to have ended', async () => !(await sleeps(86_392)), PATIENCE_MS)
    await done()
  })
})

describe('while the server is dead', () => {
  const namespace = newNamespace()
  const dataDir = newDataDir()
  let server: Server
  let owner: Client
  let agent: string

  beforeAll(async () => {
    server = await startServer({ namespace, dataDir })
    owner = await newUser(await signInAdmin(server.baseUrl))
    agent = (await owner.agent({ runtime: 'bash', memoryMb: 512, keepSeconds: 300 })).name
  })
  afterAll(async () => {
    await server.stop()
    await removeNamespace(namespace)
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** The numbers of a counter that are on the page, those that have scrolled away included. */
  const numbersOn = async (screen: Screen): Promise<number[]> => {
    const text = await screen.element.evaluate((element) => {
      const { active } = (element as unknown as { xterm: Terminal }).xterm.buffer
      return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).join('\n')
    })
    // The last one may not be all there.
    return [...text.matchAll(/^n(\d+)$/gm)].map(([, number]) => Number(number)).slice(0, -1)
  }

  it('the page waits, and goes on by itself with the same process, no number missing and none twice', async () => {
    const provoked = [...PROVOKED, /Failed to load resource/]
    const screen = new Screen(await visit(owner, `/agents/${agent}`, { baseURL: server.baseUrl, provoked }))
    await screen.shell()
    // Another process would count from 0 again.
    await screen.type('i=0; while :; do echo n$((i++)); sleep 0.02; done\n')
    await screen.shows('n20')
    const { port } = new URL(server.baseUrl)
    server.process.kill('SIGKILL')
    await screen.is('reconnecting')
    const last = (await numbersOn(screen)).at(-1)!
    server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: port } })
    await screen.is('connected')
    const counted = await until(
      'the counter to go on',
      async () => {
        const numbers = await numbersOn(screen)
        return numbers.at(-1)! > last + 50 && numbers
      },
      PATIENCE_MS,
    )
    expect(counted).toEqual(counted.map((_, index) => index))
  })
})
