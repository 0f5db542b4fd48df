/** Comparisons of real CLIs: Claude Code and Codex work on one prompt, each in an agent of its own. */
// In the short form `backend/src/modules/runs/compare/comparisons.test.ts` has the API, and the walk opens the list
// (`tasks-comparisons`).
import '@slipway/testing/long'
import type { CodingResults, Comparison } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { useBrowser, visit } from '../../../support/pages.ts'
import { agentWithModel, type Script, sh } from '../../../support/tasks/model.ts'
import { quicken } from '../../../support/tasks/stub.ts'
import { SCREENS } from '../../../walk/visitor.ts'

const BASE = '/coding-agents/comparisons'
/** Longest time until two real CLIs have ended on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const HOME = '/home/developer'
const REPOSITORY = `git init -q app; cd app; echo 'return null' > one.ts; git add -A
  git -c user.name=a -c user.email=a@example.org commit -qm one`

const scriptOf = (answer: string, tool: string, input: (command: string) => object): Script => ({
  '@fix': [
    { tool, input: input(`echo 'return ${answer}' > ${HOME}/app/one.ts`) },
    { say: `It returns **${answer}**.` },
  ],
})

useBrowser()
let owner: Client
let claude = ''
let codex = ''
let made = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const claudes = scriptOf('one', 'Bash', (command) => ({ command, description: 'Write' }))
  const codexes = scriptOf('two', 'exec_command', (cmd) => ({ cmd }))
  claude = (await agentWithModel(owner, claudes)).name
  codex = (await agentWithModel(owner, codexes, 'codex')).name
  for (const agent of [claude, codex]) {
    await quicken(owner, agent)
    await sh(owner, agent, REPOSITORY)
  }
})
afterAll(async () => {
  for (const agent of [claude, codex]) await owner.ok('DELETE', `/agents/${agent}`)
})

const side = (page: Page, agent: string) => page.locator(`[data-compared="${agent}"]`)
const pick = async (page: Page, target: number, field: string, option: string): Promise<void> => {
  await page.getByTestId(`target-${target}`).getByTestId(field).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const results = async (query = ''): Promise<string[]> =>
  (await owner.ok<CodingResults>('GET', `/coding-agents/results?limit=50${query}`)).items.map(
    ({ agent }) => agent ?? '',
  )

describe('a comparison', { timeout: 3 * WORK_MS }, () => {
  it('is started from the dialog of a new task, and says before it is sent that two targets share a folder', async () => {
    const page = await visit(owner, '/coding-agents')
    await page.getByTestId('new-task').click()
    await page.getByTestId('task-prompt').fill('@fix the file')
    await page.getByTestId('task-compare').click()
    expect(await page.getByTestId('compare-form').getByTestId('task-prompt').inputValue()).toBe('@fix the file')
    await pick(page, 1, 'target-agent', claude)
    await pick(page, 1, 'target-provider', 'Claude Code')
    await pick(page, 2, 'target-agent', claude)
    await page.getByTestId('target-1').getByTestId('target-folder').fill('app')
    await page.getByTestId('target-2').getByTestId('target-folder').fill('app')
    await page.getByTestId('compare-start').click()
    await page.getByTestId('target-2').getByText('overwrite each other').waitFor()
    await pick(page, 2, 'target-agent', codex)
    await pick(page, 2, 'target-provider', 'Codex')
    await page.getByTestId('compare-start').click()
    await page.waitForURL(new RegExp(`${BASE}/[0-9a-f-]{36}$`), { timeout: WORK_MS })
    made = page.url().split('/').at(-1) ?? ''
  })

  it('shows both sides with state, cost, tokens, changes and answer, and a diff on demand', async () => {
    const page = await visit(owner, `${BASE}/${made}`)
    for (const [agent, answer] of [
      [claude, 'one'],
      [codex, 'two'],
    ] as const) {
      const there = side(page, agent)
      await there.locator('[data-state="completed"]').waitFor({ timeout: WORK_MS })
      await there.getByText(answer, { exact: true }).waitFor()
      await there.getByText(/tokens$/).waitFor()
      await there.locator('[data-file="one.ts"]').getByText('+1').waitFor()
    }
    await side(page, claude)
      .getByText(/^(?:< )?\$/)
      .waitFor()
    await side(page, codex).getByTestId('compared-diff').click()
    await side(page, codex).getByText('return two').waitFor()
    expect(await graveOn(page)).toEqual([])
  })

  it('fits on a phone, which shows one side at a time', async () => {
    const page = await visit(owner, `${BASE}/${made}`, SCREENS.narrow)
    await side(page, claude).waitFor()
    expect(await side(page, codex).count()).toBe(0)
    await page.getByTestId('compared-switch').getByRole('button').nth(1).tap()
    await side(page, codex).getByText('two', { exact: true }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
    expect(await graveOn(page)).toEqual([])
  })

  it('keeps the one that its user chooses, and archives the other, which a filter shows', async () => {
    const page = await visit(owner, `${BASE}/${made}`)
    await side(page, codex).getByTestId('compared-choose').click()
    await side(page, codex).getByTestId('compared-chosen').waitFor()
    await side(page, claude).getByText('Archived').waitFor()
    expect(await results()).toEqual([codex])
    expect(await results('&archived=true')).toEqual([claude])
    const stored = await owner.ok<Comparison>('GET', `${BASE}/${made}`)
    const [left, chosen] = stored.targets.map(({ session }) => session)
    expect(chosen?.id).toBe(stored.chosenId)
    expect(left?.archivedAt).not.toBeNull()

    await page.getByTestId('tab-tasks').click()
    await page.getByTestId(`task-${chosen?.id}`).waitFor()
    expect(await page.getByTestId(`task-${left?.id}`).count()).toBe(0)
    await page.getByTestId('tasks-filters-toggle').click()
    await page.getByTestId('tasks-archived').click()
    await page.getByTestId(`task-${left?.id}`).waitFor()
    await page.getByTestId('tab-comparisons').click()
    await page.getByTestId(`comparison-${made}`).getByText('chosen').waitFor()
  })

  it('tells of a target that could not start, beside those that did', async () => {
    const body = { prompt: '@fix', targets: [{ agent: 'no-such-agent' }, { agent: claude, cwd: 'app' }] }
    const { id } = await owner.ok<Comparison>('POST', BASE, body)
    const page = await visit(owner, `${BASE}/${id}`)
    await side(page, 'no-such-agent').getByTestId('compared-refusal').waitFor()
    await until('the end', () => side(page, claude).locator('[data-state="completed"]').isVisible(), WORK_MS)
  })
})
