/** A page whose server is killed and started again. */
import { rmSync } from 'node:fs'
import { newDataDir, until } from '@slipway/testing'
import type { Terminal } from '@xterm/headless'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { removeNamespace } from '../../support/engine.ts'
import { PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'

useBrowser()

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

  /** The counter's numbers in the page, including the scrollback. */
  const numbersOn = async (screen: Screen): Promise<number[]> => {
    const text = await screen.element.evaluate((element) => {
      const { active } = (element as unknown as { xterm: Terminal }).xterm.buffer
      return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).join('\n')
    })
    // The last number may be incomplete.
    return [...text.matchAll(/^n(\d+)$/gm)].map(([, number]) => Number(number)).slice(0, -1)
  }

  it('the page waits, and goes on by itself with the same process, no number missing and none twice', async () => {
    const provoked = [/ERR_|WebSocket connection to/, /Failed to load resource/]
    const screen = new Screen(await visit(owner, `/agents/${agent}`, { baseURL: server.baseUrl, provoked }))
    await screen.shell()
    // A new process would count from 0 again.
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
