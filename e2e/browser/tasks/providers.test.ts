/** The cards of an agent's coding CLIs, beside the list of tasks. */
// In the short form `settings.test.ts` says which CLIs an agent has, and `new-task.test.ts` begins a task of one.
import '@slipway/testing/long'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel } from '../../support/tasks/model.ts'
import { quicken } from '../../support/tasks/stub.ts'
import { SCREENS } from '../../walk/visitor.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Longest time in which the server asks every CLI for its version, on a busy machine. */
const LOOK_MS = 150_000

useBrowser()
let owner: Client
let agent = ''
let going = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, { '@wait': [{ say: 'Too late.', gate: '/tmp/never' }] })).name
  await quicken(owner, agent)
  going = (await startTask(owner, { agent, prompt: '@wait', timeout_seconds: 1_800 })).id
  return async () => {
    await owner.ok('DELETE', `/coding-agents/sessions/${going}`)
    await endedTask(owner, going)
    await owner.ok('DELETE', `/agents/${agent}`)
  }
})

it('shows version, sign-in and active tasks of each CLI, and begins a task of it by keyboard', async () => {
  const page = await visit(owner, '/coding-agents')
  await page.getByTestId(`task-${going}`).waitFor()
  // Until the user wants to see them, no CLI is started.
  expect(await page.getByTestId('providers').count()).toBe(0)
  await page.getByTestId('providers-toggle').press('Enter')
  const claude = page.getByTestId('provider-claude-code')
  await claude.waitFor({ timeout: LOOK_MS })
  expect(await claude.innerText()).toMatch(/Claude Code\s+\d+\.\d+\.\d+\s+Has a key\s+1 active/)
  const codex = page.getByTestId('provider-codex')
  expect(await codex.innerText()).toMatch(/Codex\s+\d+\.\d+\.\d+\s+No key, not signed in$/)
  expect(await page.getByTestId('provider-cursor-agent').count()).toBe(0)
  expect(await graveOn(page)).toEqual([])

  await codex.press('Enter')
  await page.getByTestId('task-form').waitFor()
  const radio = page.getByTestId('task-provider-codex')
  await radio.waitFor({ state: 'attached', timeout: LOOK_MS })
  expect(await radio.isChecked()).toBe(true)
  expect(await page.getByTestId('task-agent').innerText()).toContain(agent)
  await page.keyboard.press('Escape')
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  expect(await codex.evaluate((element) => element === document.activeElement)).toBe(true)
  // The draft has another CLI now, and the card decides.
  await claude.press('Enter')
  await page.getByTestId('task-form').waitFor()
  expect(await page.getByTestId('task-provider-claude-code').isChecked()).toBe(true)

  await reload(page)
  await claude.waitFor({ timeout: LOOK_MS })
})

it('fits below the list on a phone', async () => {
  const page = await visit(owner, '/coding-agents', SCREENS.narrow)
  await page.getByTestId('providers-toggle').tap()
  await page.getByTestId('provider-claude-code').waitFor({ timeout: LOOK_MS })
  await page.getByTestId(`task-${going}`).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
  expect(await graveOn(page)).toEqual([])
})
