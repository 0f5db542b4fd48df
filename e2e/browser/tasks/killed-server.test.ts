/** The page of a task whose server is killed and started again in the middle. */
import { rmSync } from 'node:fs'
import { newDataDir } from '@slipway/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { removeNamespace } from '../../support/engine.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const GATE = '/tmp/go'
const SCRIPT = [
  { say: 'Before.', tool: 'Bash', input: { command: `until [ -e ${GATE} ]; do sleep 0.1; done`, description: 'Wait' } },
  { say: 'After.' },
]

/** Longest time until the real CLI is at work, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 120_000
/** With a start of the server in the middle, in milliseconds. */
const TEST_MS = 420_000

useBrowser()
const namespace = newNamespace()
const dataDir = newDataDir()
let server: Server
let owner: Client
let agent = ''

beforeAll(async () => {
  server = await startServer({ namespace, dataDir })
  owner = await newUser(await signInAdmin(server.baseUrl))
  agent = (await agentWithModel(owner, SCRIPT)).name
})
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

it('goes on when the server is back, with nothing missing and nothing twice', { timeout: TEST_MS }, async () => {
  const { id } = await startTask(owner, { agent, prompt: 'Wait for it' })
  const provoked = [/ERR_|WebSocket connection to|Failed to load resource/]
  const page = await visit(owner, `/coding-agents/${id}`, { baseURL: server.baseUrl, provoked })
  const log = page.getByTestId('run-events')
  await page.getByTestId('run-activity').getByText('until [ -e').waitFor({ timeout: WORK_MS })
  const { port } = new URL(server.baseUrl)
  server.process.kill('SIGKILL')
  await page.getByTestId('run-polling').waitFor()
  server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: port } })
  await page.getByTestId('run-polling').waitFor({ state: 'detached' })
  await sh(owner, agent, `touch ${GATE}`)
  await page.locator('[data-testid="run-state"][data-state="completed"]').waitFor({ timeout: WORK_MS })
  await log.getByText('After.').waitFor()
  expect([await log.getByText('Before.').count(), await log.getByText('After.').count()]).toEqual([1, 1])
})
