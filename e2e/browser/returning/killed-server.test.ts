/** The pages of a terminal, of its recording, and of tasks, whose server is killed and started again. */
import { rmSync } from 'node:fs'
import type { Recording } from '@slipway/protocol'
import { freePort, newDataDir, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Terminal } from '@xterm/headless'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { removeNamespace } from '../../support/engine.ts'
import { goTo, newContext, PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'
import { startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { putStub } from '../../support/tasks/stub.ts'
import { castOf, outputOf } from '../../support/terminal/casts.ts'
import { numbersIn } from '../../support/terminal/counter.ts'
import { ANYONE, looksLike, share } from '../../support/terminal/watching.ts'

/** The task waits in its command until this file exists. */
const GATE = '/tmp/go'
const SCRIPT = [
  { say: 'Before.', tool: 'Bash', input: { command: `until [ -e ${GATE} ]; do sleep 0.1; done`, description: 'Wait' } },
  { say: 'After.' },
]
/** Longest time until the real CLI is at work, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
/** With a start of the server in the middle, in milliseconds. */
const TASK_MS = 420_000
/** Chromium's messages about a lost server. */
const PROVOKED = [/ERR_|WebSocket connection to|Failed to load resource/]

useBrowser()

describe('while the server is dead', () => {
  const namespace = newNamespace()
  const dataDir = newDataDir()
  let server: Server
  let owner: Client
  let agent: string

  beforeAll(async () => {
    // It starts again at the same port, which nothing may take meanwhile.
    server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: String(await freePort()) } })
    owner = await newUser(await signInAdmin(server.baseUrl))
    agent = (await owner.agent({ runtime: 'bash', memoryMb: 512, keepSeconds: 300, record: true })).name
    await putStub(owner, agent, 'claude-code')
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

  it('the pages of a terminal and of a task wait, and go on by themselves, nothing missing and nothing twice, also in the recording', async () => {
    const options = { baseURL: server.baseUrl, provoked: PROVOKED }
    const { id } = await startTask(owner, { agent, provider: 'claude-code', prompt: '@wait' })
    const task = await visit(owner, `/coding-agents/${id}`, options)
    const said = task.getByTestId('run-events').getByText('I wait.')
    await said.waitFor()
    const screen = new Screen(await visit(owner, `/agents/${agent}`, options))
    await screen.shell()
    // A new process would count from 0 again.
    await screen.type('i=0; while :; do echo n$((i++)); sleep 0.02; done\n')
    await screen.shows('n20')
    const { port } = new URL(server.baseUrl)
    server.process.kill('SIGKILL')
    await Promise.all([screen.is('reconnecting'), task.getByTestId('run-polling').waitFor()])
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

    const user = owner.at(server.baseUrl)
    await task.getByTestId('run-polling').waitFor({ state: 'detached' })
    await user.upload(agent, 'go-on', '')
    await task.locator('[data-testid="run-state"][data-state="completed"]').waitFor({ timeout: WORK_MS })
    expect(await said.count()).toBe(1)

    await screen.page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    const [recording] = (await user.ok<{ items: Recording[] }>('GET', `/agents/${agent}/recordings`)).items
    const recorded = numbersIn(outputOf(await castOf(user, recording!.id)))
    expect(recorded.length).toBeGreaterThan(last)
    expect(recorded).toEqual(recorded.map((_, index) => index))
    await goTo(task, `/recordings/${recording!.id}`)
    await task.getByTestId('cast-marks').getByText('The server was restarted').click()
    await task.getByTestId('cast-player').locator('.ap-term-text').filter({ hasText: 'n' }).waitFor()
  })

  // The test before has a task of a stub, and `e2e/tasks/killed-server.test.ts` one of Claude Code.
  longIt(
    'the page of a task of Claude Code waits, and goes on with nothing missing and nothing twice',
    { timeout: TASK_MS },
    async () => {
      const user = owner.at(server.baseUrl)
      const { name } = await agentWithModel(user, SCRIPT)
      const { id } = await startTask(user, { agent: name, prompt: 'Wait for it' })
      const page = await visit(user, `/coding-agents/${id}`, { baseURL: server.baseUrl, provoked: PROVOKED })
      const log = page.getByTestId('run-events')
      await page.getByTestId('run-activity').getByText('until [ -e').waitFor({ timeout: WORK_MS })
      const { port } = new URL(server.baseUrl)
      server.process.kill('SIGKILL')
      await page.getByTestId('run-polling').waitFor()
      server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: port } })
      await page.getByTestId('run-polling').waitFor({ state: 'detached' })
      await sh(user, name, `touch ${GATE}`)
      await page.locator('[data-testid="run-state"][data-state="completed"]').waitFor({ timeout: WORK_MS })
      await log.getByText('After.').waitFor()
      expect([await log.getByText('Before.').count(), await log.getByText('After.').count()]).toEqual([1, 1])
    },
  )

  // `frontend/src/terminal/session/guestEnds.test.ts` has guests, whose page has the same link as that of the first test.
  longIt('the guests of a terminal wait, too, and see it go on', async () => {
    const options = { baseURL: server.baseUrl, provoked: PROVOKED }
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
