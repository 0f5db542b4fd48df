/** Screenshots of tasks at work and of what their settings show once, in `e2e/results/tour`. Stubs of the CLIs do the work. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { useBrowser } from '../support/pages.ts'
import { Screen } from '../support/screen.ts'
import { endedTask, startTask } from '../support/tasks/follow.ts'
import { agentWithModel } from '../support/tasks/model.ts'
import { putStub, quicken } from '../support/tasks/stub.ts'
import { type Look, SCREENS, type ScreenName, Visitor } from '../walk/visitor.ts'

const RESULTS = join(import.meta.dirname, '../results/tour')

useBrowser()
let owner: Client
let stubs = ''

beforeAll(async () => {
  mkdirSync(RESULTS, { recursive: true })
  owner = await newUser(await signInAdmin())
  stubs = (await owner.agent({ memoryMb: 1024 })).name
  await putStub(owner, stubs, 'claude-code', 'codex')
  await quicken(owner, stubs)
})
afterAll(() => owner.ok('DELETE', `/agents/${stubs}`))

describe.each(Object.keys(SCREENS) as ScreenName[])('%s', (screen) => {
  const photograph: Look = async (page, state, theme) => {
    await page.screenshot({ path: join(RESULTS, `${state}-${screen}-${theme}.png`) })
  }
  const visitor = new Visitor(screen, photograph, { scrolls: true, webgl: true })

  it('a comparison that runs', async () => {
    const targets = ['one', 'two'].map((cwd) => ({
      agent: stubs,
      provider: cwd === 'one' ? 'claude-code' : 'codex',
      cwd,
    }))
    await owner.ok('POST', `/agents/${stubs}/exec`, { argv: ['mkdir', '-p', 'one', 'two'] })
    const body = { prompt: '@silent-after-tool Make it green', targets }
    const { id } = await owner.ok<Comparison>('POST', '/coding-agents/comparisons', body)
    const page = await visitor.open(owner, `/coding-agents/comparisons/${id}`)
    const atWork = page.locator('[data-compared] [data-state="running"]')
    await atWork.first().waitFor({ state: 'attached' })
    await visitor.see(page, 'comparison-running')
    const { targets: begun } = await owner.ok<Comparison>('GET', `/coding-agents/comparisons/${id}`)
    for (const { session } of begun) {
      if (!session) continue
      await owner.ok('DELETE', `/coding-agents/sessions/${session.id}`)
      await endedTask(owner, session.id)
    }
    await expect.poll(() => atWork.count()).toBe(0)
    await visitor.see(page, 'comparison-ended')
  })

  it('the secret of a webhook', async () => {
    const page = await visitor.open(owner, '/coding-agents/webhooks')
    const mine = page.getByTestId('webhooks-outgoing')
    await mine.getByRole('button', { name: 'New outgoing webhook' }).click()
    await page.getByTestId('webhook-name').fill(`Chat ${screen}`)
    await page.getByTestId('webhook-url').fill('https://chat.example.org/hooks/slipway')
    await page.getByTestId('webhook-save').click()
    await page.getByTestId('webhook-secret').waitFor()
    await visitor.see(page, 'webhook-secret')
  })

  it('the test of a CLI', async () => {
    const page = await visitor.open(owner, `/settings/coding-agents?agent=${stubs}`)
    await page.getByTestId('cli-claude-code').getByRole('button', { name: 'Test Claude Code' }).click()
    await page.getByTestId('cli-tested').waitFor()
    await visitor.see(page, 'cli-tested')
    await visitor.further(page, 'providers', 'settings-providers')
  })

  it('tabs of the dock whose tasks have ended and failed', async () => {
    if (screen === 'narrow') return
    const page = await visitor.open(owner, '/account')
    await page.getByTestId('sign-ins').waitFor()
    for (const prompt of ['@fail Mend the parser', '@cost Tidy up the imports']) {
      const { id } = await startTask(owner, { agent: stubs, provider: 'claude-code', prompt })
      await endedTask(owner, id)
      await page.locator(`[data-testid="dock-tab-${id}"]:not([data-state="running"])`).waitFor()
      await page.getByTestId(`dock-tab-${id}`).click()
      await visitor.see(page, prompt.startsWith('@fail') ? 'dock-failed' : 'dock-ended')
    }
  })

  it('a task that goes on in a terminal', async () => {
    const { name: real } = await agentWithModel(owner, { '@say': [{ say: 'All is well.' }] })
    const { id } = await endedTask(owner, (await startTask(owner, { agent: real, prompt: '@say two' })).id)
    const page = await visitor.open(owner, `/coding-agents/${id}`)
    await page.getByTestId('run-actions').click()
    await page.getByRole('menuitem', { name: 'Continue in terminal', exact: true }).click()
    const shown = new Screen(page)
    await shown.is('connected')
    await shown.shows('All is well.')
    await visitor.see(page, 'continued-terminal')
    if (screen === 'narrow') return owner.ok('DELETE', `/agents/${real}`)
    // Leaving the page would end the terminal.
    await page.keyboard.press('Escape')
    await page.getByTestId('rail-tasks').first().click()
    await page.getByTestId(`task-${id}`).click()
    await page.getByTestId('run-in-terminal').waitFor()
    await visitor.see(page, 'continued-task')
    await owner.ok('DELETE', `/agents/${real}`)
  })
})
