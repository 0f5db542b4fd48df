/** Rules of people: made from a card, listed, deleted. And the policy of an agent, which its tasks begin with. */
// In the short form the database tests have the rules, and asked.test.ts a rule that is made on the page.
import '@slipway/testing/long'
import type { Agent, ApprovalRule } from '@slipway/protocol'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { thumbHeight } from '../../../support/page/thumb.ts'
import { answered, goTo, useBrowser, visit } from '../../../support/pages.ts'
import { endedTask, startTask } from '../../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../../support/tasks/model.ts'
import { SCREENS } from '../../../walk/visitor.ts'

/** Longest time until the real CLI asks, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const SETTINGS = '/settings/coding-agents'
const COMMAND = 'chmod 777 /home/developer/open'
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const hidden = `sh -c '${COMMAND}'`
  agent = (await agentWithModel(owner, [bash(COMMAND), bash(COMMAND), bash(hidden), { say: 'Done.' }])).name
  await sh(owner, agent, 'touch open')
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const rulesOf = async (user: Client): Promise<ApprovalRule[]> =>
  (await user.ok<ApprovalRule[]>('GET', '/approval-rules')).filter(({ of }) => of === 'user')
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
const choose = async (page: Page, field: string, option: string): Promise<void> => {
  await page.getByTestId(field).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

describe('a rule of a user', { timeout: 3 * WORK_MS }, () => {
  it('is shown on the card, made with one click on a phone, and lets the next equal command pass', async () => {
    const page = await visit(owner, '/coding-agents', SCREENS.narrow)
    const { id } = await startTask(owner, { agent, prompt: 'open it', policy: 'tiers' })
    await goTo(page, `/coding-agents/${id}`)
    const card = page.getByTestId('run-dialogs').getByTestId('dialog-card')
    await card.getByTestId('dialog-rules').getByText(COMMAND).waitFor({ timeout: WORK_MS })
    const always = card.getByTestId('dialog-always')
    expect(await thumbHeight(always)).toBeGreaterThanOrEqual(44)
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
    await always.tap()

    // The same command passes. The one that hides it is asked about, and is denied from now on for all tasks of the agent.
    const command = card.getByTestId('dialog-command').getByText("sh -c '")
    await command.waitFor({ timeout: WORK_MS })
    await card.getByTestId('dialog-deny').tap()
    await card.getByTestId('dialog-deny-always').check()
    await card.getByTestId('dialog-rule-owner').selectOption({ label: 'in all tasks of this agent' })
    expect(await graveOn(page)).toEqual([])
    await card.getByTestId('dialog-deny-now').tap()
    expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed', result: 'Done.' })
    await page.getByText('Allowed by a rule of its user').first().waitFor()

    const wide = await visit(owner, SETTINGS)
    const [mine, ofAgent] = [wide.getByTestId('rules').first(), wide.getByTestId('rules').nth(1)]
    await mine.getByText(`exactly ${COMMAND}`).waitFor()
    await ofAgent.getByText('Deny', { exact: true }).waitFor()
    expect(await graveOn(wide)).toEqual([])
    await mine.getByTestId('rule').filter({ hasText: COMMAND }).getByTestId('rule-delete').click()
    await wide.getByRole('button', { name: 'Delete', exact: true }).last().click()
    await mine.getByText(COMMAND).waitFor({ state: 'detached' })
    expect(await rulesOf(owner)).toEqual([])
  })
})

describe('the coding agent settings', () => {
  it('make a rule by keyboard, and say why one cannot be made', async () => {
    const page = await visit(owner, SETTINGS, { provoked: [answered(400)] })
    const mine = page.getByTestId('rules').first()
    await mine.getByTestId('add-rule').click()
    await mine.getByTestId('rule-text').fill("git commit -m 'a b")
    await page.keyboard.press('Enter')
    await mine.getByText('A quote is not closed.').waitFor()
    await mine.getByTestId('rule-text').fill('sudo ls')
    await page.keyboard.press('Enter')
    await mine.getByText('what follows decides what sudo runs').waitFor()
    expect(await graveOn(page)).toEqual([])
    await mine.getByTestId('rule-text').fill("git commit -m 'a b'")
    await page.keyboard.press('Enter')
    await mine.getByText("git commit -m 'a b' …").waitFor()
    await page.waitForFunction(() => document.activeElement?.matches('[data-testid="add-rule"]'))
    const [rule] = await rulesOf(owner)
    expect(rule?.covers).toEqual({ kind: 'command', words: ['git', 'commit', '-m', 'a b'], exact: false })
    await owner.ok('DELETE', `/approval-rules/${rule?.id ?? ''}`)
  })
})

describe('the policy of an agent', () => {
  it('is chosen in its settings, and is where its tasks begin, without anything laxer', async () => {
    const page = await visit(owner, `/agents/${agent}/settings`)
    await choose(page, 'settings-policy', 'Ask about risks')
    await page.getByTestId('settings-save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await owner.ok<Agent>('GET', `/agents/${agent}`)).toMatchObject({ policy: 'tiers', skipPermissions: true })

    await goTo(page, `/agents/${agent}/overview`)
    await page.getByTestId('agent-new-task').click()
    await page.getByTestId('task-form').waitFor()
    expect(await page.getByTestId('task-policy-agent').isChecked()).toBe(true)
    const form = page.getByTestId('task-form')
    await form.getByText('Ask about risks').waitFor()
    expect(await form.getByText('Skip permission prompts').count()).toBe(0)
    for (const stricter of ['ask', 'plan']) expect(await page.getByTestId(`task-policy-${stricter}`).count()).toBe(1)
    expect(await page.getByTestId('task-policy-tiers').count()).toBe(0)
    expect(await graveOn(page)).toEqual([])
    await owner.ok('PATCH', `/agents/${agent}`, { policy: null })
  })

  it('is a part of the form of a new agent', async () => {
    const page = await visit(owner, '/')
    await page.getByTestId('new-agent').click()
    await choose(page, 'settings-policy', 'Only plan')
    await page.getByText('It reads and plans, and changes nothing.').waitFor()
    await page
      .locator('label')
      .filter({ has: page.getByTestId('runtime-codex') })
      .click()
    await page.getByText('Codex cannot only plan, so its tasks do not start.').waitFor()
    expect(await graveOn(page)).toEqual([])
  })
})
