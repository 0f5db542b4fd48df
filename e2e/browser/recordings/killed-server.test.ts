/** The recordings of terminals whose server is killed and started again. */
// In the short form `returning/killed-server.test.ts` has a recording that goes on, and
// `backend/src/modules/terminal/recording/retention.test.ts` one whose session is gone.
import '@slipway/testing/long'
import { rmSync } from 'node:fs'
import type { Agent, Recording } from '@slipway/protocol'
import { disconnectAll, newDataDir, type TerminalClient, until } from '@slipway/testing'
import type { Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { docker, removeNamespace } from '../../support/engine.ts'
import { PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { castOf, outputOf } from '../../support/terminal/casts.ts'
import { COUNTER, numbersIn } from '../../support/terminal/counter.ts'
import { openBash } from '../../support/terminal/open-bash.ts'

useBrowser()
const namespace = newNamespace()
const dataDir = newDataDir()
let server: Server
let owner: Client
let agent: Agent

const start = async (): Promise<void> => {
  server = await startServer({ namespace, dataDir })
  if (owner as Client | undefined) owner = owner.at(server.baseUrl)
}

beforeAll(async () => {
  await start()
  owner = await newUser(await signInAdmin(server.baseUrl))
  agent = await owner.agent({ runtime: 'bash', record: true, keepSeconds: 300 })
})
afterEach(disconnectAll)
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

const see = (path: string): Promise<Page> => visit(owner, path, { baseURL: server.baseUrl })
const recordings = async (): Promise<Recording[]> =>
  (await owner.ok<{ items: Recording[] }>('GET', `/agents/${agent.name}/recordings`)).items
const connect = (first?: object): Promise<TerminalClient> => openBash(owner, agent.name, first)
/** Waits until the player shows the text. */
const shows = (player: Locator, text: string): Promise<void> =>
  player.locator('.ap-term-text').filter({ hasText: text }).waitFor()

describe('a recording whose server was killed', () => {
  const kill = async (): Promise<void> => {
    server.process.kill('SIGKILL')
    await until('its end', () => server.process.signalCode !== null)
  }

  it('goes on with its session, without a gap and without a repetition', async () => {
    const terminal = await connect()
    terminal.type(COUNTER)
    await terminal.until('the counter', () => numbersIn(terminal.text).length > 50)
    const { sessionId } = terminal
    await kill()
    await start()
    const atRestart = numbersIn(outputOf(await castOf(owner, sessionId))).length
    const counted = await until(
      'the counter in the recording',
      async () => {
        const found = numbersIn(outputOf(await castOf(owner, sessionId)))
        return found.length > atRestart + 50 ? found : null
      },
      PATIENCE_MS,
    )
    expect(counted).toEqual(counted.map((_, index) => index))
    const back = await connect({ session: sessionId })
    await back.disconnect()
    const page = await see(`/recordings/${sessionId}`)
    await page.getByTestId('cast-marks').getByText('The server was restarted').click()
    await shows(page.getByTestId('cast-player'), 'n')
  })

  it('is closed where its session is gone, too, and plays to its last byte', async () => {
    const terminal = await connect()
    await terminal.run('echo the last words')
    const { sessionId } = terminal
    await until('them in the file', async () => outputOf(await castOf(owner, sessionId)).includes('the last words\r\n'))
    await kill()
    await docker.getContainer(`${namespace}-agent-${agent.name}`).kill()
    await start()
    await until('its end', async () => (await recordings())[0]?.state === 'cut', PATIENCE_MS)
    const page = await see(`/recordings/${sessionId}`)
    await page.getByTestId('recording-state').getByText('Cut').waitFor()
    await page.getByTestId('cast-marks').getByText('The recording was cut here').click()
    await shows(page.getByTestId('cast-player'), 'the last words')
  })
})
