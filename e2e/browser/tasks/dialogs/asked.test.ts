/** A real Claude Code asks people, and they answer in their browsers. */
import type { CodingSession } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { intercept } from '../../../support/network/intercept.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { thumbHeight } from '../../../support/page/thumb.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../../support/pages.ts'
import { endedTask, eventsOf, startTask } from '../../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../../support/tasks/model.ts'
import { quicken } from '../../../support/tasks/stub.ts'
import { SCREENS } from '../../../walk/visitor.ts'

const SESSIONS = '/coding-agents/sessions'
/** Longest time until the real CLI asks, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const COMMAND = 'touch /home/developer/asked'
const HOSTILE = 'touch /home/developer/\u202etxt.exe # <img src=x onerror=alert(1)>'

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })
const QUESTION = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'Warm' },
    { label: 'Blue', description: 'Cold' },
  ],
}
const SCRIPT = {
  '@run': [bash(COMMAND), { say: 'Done.' }],
  '@hostile': [bash(HOSTILE), { say: 'Done.' }],
  '@colour': [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }, { say: 'Done.' }],
  '@edit': [
    { tool: 'Write', input: { file_path: '/home/developer/new.ts', content: 'export const one = 1\n' } },
    { say: 'Done.' },
  ],
}

useBrowser()
let admin: Client
let owner: Client
let agent = ''

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
})
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const start = async (prompt = '@run it'): Promise<string> =>
  (await startTask(owner, { agent, prompt, policy: 'ask' })).id
const cards = (page: Page, place: 'run-dialogs' | 'dialog-tray') => page.getByTestId(place).getByTestId('dialog-card')
const card = async (page: Page, place: 'run-dialogs' | 'dialog-tray' = 'run-dialogs') => {
  const first = cards(page, place).first()
  await first.waitFor({ timeout: WORK_MS })
  return first
}
const inState = (page: Page, state: string): Promise<void> =>
  page.locator(`[data-testid="run-state"][data-state="${state}"]`).waitFor({ timeout: WORK_MS })
const titled = (page: Page, title: RegExp): Promise<unknown> =>
  page.waitForFunction((source) => new RegExp(source, 'u').test(document.title), title.source)
/** What the model was told after its command. */
const told = async (id: string): Promise<string> =>
  (await eventsOf(owner, id))
    .map((event) => (event.type === 'command' ? event.output : event.type === 'tool_result' ? event.text : ''))
    .join('\n')

describe('a task that asks before it acts', { timeout: 3 * WORK_MS }, () => {
  it('is seen in its panel, in the tray and in the tab, and runs the command that another browser makes of it', async () => {
    const page = await visit(owner, '/coding-agents')
    await page.getByTestId('no-tasks').waitFor()
    const id = await start()
    await page.getByTestId(`task-${id}`).click()
    const asked = await card(page)
    await asked.getByTestId('dialog-command').getByText(COMMAND).waitFor()
    await asked.locator('.tok').first().waitFor()
    await asked.getByTestId('dialog-tier').waitFor()
    await inState(page, 'waiting')
    await page.getByTestId(`task-${id}`).getByText('Waiting for you').waitFor()
    await titled(page, /^\(1\) Waiting for you: @run it/)
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('data:image/svg')
    expect(await graveOn(page)).toEqual([])

    const other = await visit(owner, `/agents/${agent}/overview`)
    await other.getByTestId('agent-dialogs').getByText('Claude wants to use Bash').waitFor()
    await other.getByTestId('tray-button').click()
    const inTray = await card(other, 'dialog-tray')
    expect(await graveOn(other)).toEqual([])
    await inTray.getByTestId('dialog-edit').click()
    await inTray.getByTestId('dialog-edited').fill('touch /home/developer/changed')
    await inTray.getByTestId('dialog-allow-edited').click()
    await inTray.getByText('You allowed another command').waitFor()

    await asked.getByText('You allowed another command').waitFor()
    await asked.getByText('touch /home/developer/changed').waitFor()
    await asked.getByTestId('dialog-dismiss').click()
    await inState(page, 'completed')
    await page.getByTestId('run-events').getByTestId('run-answer').getByText(owner.email).waitFor()
    await titled(page, /^Completed/)
    expect(await sh(owner, agent, 'ls')).toContain('changed')
    expect(await sh(owner, agent, 'ls')).not.toContain('asked')
  })

  // `pages/dashboard.test.ts` answers by the keyboard alone, and `e2e/tasks/people/claude.test.ts` denies.
  longIt('is started and denied by the keyboard alone, and the reason reaches the model', async () => {
    const page = await visit(owner, `/agents/${agent}/overview`)
    await page.getByTestId('agent-new-task').press('Enter')
    await page.getByTestId('task-prompt').waitFor()
    await page.keyboard.type('@run it')
    const policy = page.getByTestId('task-policy-ask')
    await page.getByTestId('task-policy-agent').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await policy.isChecked()).toBe(true)
    expect(await graveOn(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/coding-agents\/./)
    const id = page.url().split('/').at(-1) ?? ''
    await page.getByTestId('tray-button').waitFor({ timeout: WORK_MS })
    await page.keyboard.press('a')
    const asked = await card(page, 'dialog-tray')
    await page.waitForFunction(() => document.activeElement?.matches('[data-testid="dialog-card"]'))
    await asked.locator('[data-testid="dialog-deny"]:enabled').waitFor()
    await page.keyboard.press('d')
    await page.keyboard.type('Ask ann first')
    await page.keyboard.press('Enter')
    await asked.getByText('You denied it').waitFor()
    // The focus stays in the tray, and Escape closes it.
    expect(await asked.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await asked.waitFor({ state: 'detached' })
    await page.getByTestId('tray-button').waitFor({ state: 'detached' })
    await endedTask(owner, id)
    expect(await told(id)).toContain('Ask ann first')
    await goTo(page, `/coding-agents/${id}`)
    const row = page.getByTestId('run-question')
    await row.getByText('Denied').waitFor()
    await row.getByRole('button').click()
    await row.getByText('Ask ann first').waitFor()
    await row.getByTestId('dialog-command').getByText(COMMAND).waitFor()
  })

  // The walk shows hidden characters (`dialogs-approvals`), and `e2e/tasks/people/claude.test.ts` runs the command that
  // was asked about.
  longIt('keeps its question over a reload, shows hidden characters, and takes the focus from no field', async () => {
    const id = await start('@hostile it')
    const page = await visit(owner, '/coding-agents')
    const filter = page.getByTestId('tasks-search')
    await filter.fill('hos')
    await page.getByTestId('tray-button').waitFor({ timeout: WORK_MS })
    expect(await filter.evaluate((field) => field === document.activeElement)).toBe(true)
    // Letters are for the field.
    await page.keyboard.type('aty')
    expect(await filter.inputValue()).toBe('hosaty')
    expect(await page.getByTestId('dialog-tray').count()).toBe(0)

    await goTo(page, `/coding-agents/${id}`)
    await card(page)
    await reload(page)
    const asked = await card(page)
    await asked.getByTestId('dialog-command').getByText('\ufffdtxt.exe').waitFor()
    await asked.getByTestId('dialog-foreign').getByText('hidden characters').waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    // An unchanged command is the one that was asked about, and not the one that the field shows.
    await asked.getByTestId('dialog-edit').click()
    await asked.getByTestId('dialog-allow-edited').click()
    await inState(page, 'completed')
    expect(await sh(owner, agent, 'ls')).toContain('\u202etxt.exe')
  })

  // The walk has the tray in a narrow window, by turns, and the test before answers in it.
  longIt('asks on a phone, and is answered with a thumb', async () => {
    const page = await visit(owner, '/', SCREENS.narrow)
    // It learns of the question without events, too.
    await page.routeWebSocket(/\/events$/, (socket) => socket.close())
    await reload(page)
    await page.getByTestId('rail-toggle').waitFor()
    await start('@edit it')
    const button = page.getByTestId('tray-toggle')
    await button.waitFor({ timeout: WORK_MS })
    expect(await thumbHeight(button)).toBeGreaterThanOrEqual(44)
    await button.tap()
    const asked = await card(page, 'dialog-tray')
    await asked.getByText('export const one = 1').waitFor()
    const allow = asked.getByTestId('dialog-allow')
    expect(await thumbHeight(allow)).toBeGreaterThanOrEqual(44)
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
    expect(scrollWidth).toBe(clientWidth)
    expect(await graveOn(page)).toEqual([])
    await allow.tap()
    await asked.getByText('You allowed it once').waitFor()
    await asked.getByTestId('dialog-task').tap()
    await inState(page, 'completed')
    expect(await sh(owner, agent, 'cat new.ts')).toContain('one = 1')
  })

  // The walk has such forms (`dialogs-choices`), `e2e/tasks/people/claude.test.ts` a question of Claude, and
  // `pages/dashboard.test.ts` a reader who is too late.
  longIt(
    'asks a question of its own, which is answered with the arrow keys; a later answer is told who was first',
    async () => {
      const id = await start('@colour it')
      const page = await visit(owner, `/coding-agents/${id}`)
      const asked = await card(page)
      // The admin's page learns nothing after its first look.
      const late = await visit(admin, '/account', { provoked: [answered(409)] })
      await late.routeWebSocket(/\/events$/, (socket) => socket.close())
      await goTo(late, `/coding-agents/${id}`)
      const old = await card(late)
      await intercept(late, '*/api/dialogs?state=open', async () => undefined)

      const options = asked.getByTestId('dialog-option')
      await options.first().focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
      expect(await options.nth(1).isChecked()).toBe(true)
      await page.keyboard.press('Enter')
      await inState(page, 'completed')
      expect(await told(id)).toContain('Blue')
      await old.getByTestId('dialog-option').first().check()
      await old.getByTestId('dialog-send').click()
      await old.getByTestId('dialog-late').getByText(`answered by ${owner.email} already`).waitFor()
      await old.getByTestId('dialog-closed').getByText('Colour: Blue').waitFor()
    },
  )
})
