/** The dialog of a new task, which is started by keyboard alone. `actions.test.ts` starts one of the real Claude Code. */
import type { CodingSession } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { agentWithStub, quicken } from '../../support/tasks/stub.ts'

const SESSIONS = '/coding-agents/sessions'

/** Longest time in which the server asks every CLI for its version, on a busy machine. */
const LOOK_MS = 150_000

useBrowser()
let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = await agentWithStub(owner, 'claude-code')
  await quicken(owner, agent, ['codex', 'gemini-cli', 'copilot', 'opencode'])
  await sh(
    owner,
    agent,
    'mkdir -p project/src/deep .hidden && echo 1 >project/src/main.ts && echo 2 >project/README.md',
  )
})

const opened = async (page: Page): Promise<void> => {
  await page.getByTestId('agent-new-task').click()
  await page.getByTestId('task-form').waitFor()
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
}
const tasks = (): Promise<CodingSession[]> => owner.ok('GET', SESSIONS)

it('starts a task, with its folder and a file of it chosen by keyboard', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`)
  await page.getByTestId('agent-name').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByTestId('palette').getByRole('textbox').fill('New task')
  await page.getByRole('option', { name: 'New task' }).and(page.locator('[data-highlighted]')).waitFor()
  await page.keyboard.press('Enter')
  const prompt = page.getByTestId('task-prompt')
  await prompt.waitFor()
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
  await expect.poll(() => page.getByTestId('task-provider-claude-code').isChecked()).toBe(true)
  expect(await graveOn(page)).toEqual([])

  await page.getByTestId('task-browse').press('Enter')
  const browser = page.getByTestId('folder-browser')
  await browser.getByTestId('folder-project').waitFor()
  await browser.getByTestId('folder-project').press('ArrowRight')
  await browser.getByTestId('folder-src').waitFor()
  expect(await page.getByTestId('task-folder').inputValue()).toBe('~/project')
  expect(await graveOn(page)).toEqual([])
  // Escape closes the list, and not the dialog.
  await page.keyboard.press('Escape')
  await browser.waitFor({ state: 'detached' })

  await prompt.focus()
  await page.keyboard.type('@say whether @src/ma')
  await page.getByTestId('task-mentions').getByText('main.ts').waitFor()
  expect(await graveOn(page)).toEqual([])
  await page.keyboard.press('Enter')
  expect(await prompt.inputValue()).toBe('@say whether @src/main.ts ')
  await page.keyboard.type('is well')
  await page.keyboard.press('Control+Enter')
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  const [task] = await tasks()
  await page.waitForURL(({ pathname }) => pathname === `/coding-agents/${task?.id}`)
  expect(task).toMatchObject({ prompt: '@say whether @src/main.ts is well', cwd: '/home/developer/project', agent })
  expect(await endedTask(owner, task!.id)).toMatchObject({ state: 'completed', result: 'Well done.' })

  // The folder stays for the next task, and the prompt is in the history.
  await page.keyboard.press('n')
  await page.getByTestId('task-form').waitFor()
  expect(await page.getByTestId('task-folder').inputValue()).toBe('~/project')
  await prompt.press('ArrowUp')
  expect(await prompt.inputValue()).toBe(task!.prompt)
})

// `frontend/src/lib/tasks/new/kept.test.ts` keeps it, and `taskRefusal.test.ts` has the field of each refusal.
longIt('keeps what was typed over a refusal, its end and a reload, and says the refusal beside its field', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`, { provoked: [answered(400)] })
  await opened(page)
  const prompt = page.getByTestId('task-prompt')
  await prompt.fill('')
  await page.getByTestId('task-start').click()
  await page.getByText('Write what the task is.').waitFor()
  await prompt.fill('a long thought')
  await page.getByTestId('task-folder').fill('~/nowhere')
  await page.getByTestId('task-start').click()
  await page.getByText('Must be a folder inside /home/developer.').waitFor()
  expect(await page.getByTestId('task-folder').getAttribute('aria-invalid')).toBe('true')
  expect(await graveOn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  await reload(page)
  await opened(page)
  expect([await prompt.inputValue(), await page.getByTestId('task-folder').inputValue()]).toEqual([
    'a long thought',
    '~/nowhere',
  ])
})

// Without a page: `e2e/tasks/line.test.ts`, “starts when there is room, in order”.
longIt('starts one task at a double click, and at the limit lets one wait in line', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`)
  const before = (await tasks()).length
  await opened(page)
  await page.getByTestId('task-folder').fill('')
  await page.getByTestId('task-prompt').fill('@wait one')
  await page.getByTestId('task-start').dblclick()
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  expect(await tasks()).toHaveLength(before + 1)
  for (const prompt of ['@wait two', '@wait three']) await owner.ok('POST', SESSIONS, { agent, prompt })

  await page.keyboard.press('n')
  await page.getByTestId('task-form').waitFor()
  await page.getByTestId('task-obstacle').getByText('You have 3 active tasks').waitFor()
  expect(await page.getByTestId('task-start').isDisabled()).toBe(true)
  expect(await graveOn(page)).toEqual([])
  await page.getByTestId('task-prompt').fill('@say in line')
  await page.getByTestId('task-queue').click()
  await page.getByRole('button', { name: 'Add to the line' }).click()
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  const all = await tasks()
  expect(all.find(({ prompt }) => prompt === '@say in line')).toMatchObject({ state: 'queued' })
  for (const { id, completedAt } of all) if (completedAt === null) await owner.ok('DELETE', `${SESSIONS}/${id}`)
  for (const { id } of all) await endedTask(owner, id)
})
