/** What a user does with a task that has ended, and tasks in a terminal: with the real Claude Code, by keyboard alone. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { endedTask, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel } from '../../support/tasks/model.ts'
import { quicken } from '../../support/tasks/stub.ts'

vi.setConfig({ testTimeout: 300_000 })

const SESSIONS = '/coding-agents/sessions'
const SCRIPT = {
  '@say': [{ say: 'All is well.' }],
  '@again': [{ say: 'And on.' }],
  '@silent': [{ say: 'Too late.', gate: '/tmp/never' }],
}
/** Longest time in which the server asks every CLI for its version, on a busy machine. */
const LOOK_MS = 150_000

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const pageOf = (id: string): string => `/coding-agents/${id}`
/** The id of the task whose page is open, once it is another one. */
const openedAfter = async (page: Page, before: string): Promise<string> => {
  await page.waitForURL(({ pathname }) => pathname.startsWith('/coding-agents/') && !pathname.endsWith(before))
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}
/** Goes down to an item of the open list and chooses it. A list has the focus only a moment after it is shown. */
const choose = async (page: Page, item: Locator): Promise<void> => {
  await item.waitFor()
  // The list moves the focus in a task of its own. A second key before it would go past the item.
  const hasFocus = (element: Element): Promise<boolean> =>
    new Promise((resolve) => setTimeout(() => resolve(element === document.activeElement)))
  await until('the focus on the item', async () => {
    if (await item.evaluate(hasFocus)) return true
    await page.keyboard.press('ArrowDown')
    return false
  })
  await page.keyboard.press('Enter')
}
/** Chooses an action of the open task. */
const act = async (page: Page, action: string): Promise<void> => {
  await page.getByTestId('run-actions').press('Enter')
  await choose(page, page.getByRole('menuitem', { name: action, exact: true }))
}
const end = async (id: string): Promise<CodingSession> => {
  await owner.ok('DELETE', `${SESSIONS}/${id}`)
  return endedTask(owner, id)
}

it('begins a task from the empty page and with the key N, chooses an option with Enter, archives and repeats it', async () => {
  const page = await visit(owner, '/coding-agents')
  await page.getByTestId('no-tasks').getByRole('button', { name: 'New task' }).press('Enter')
  const form = page.getByTestId('task-form')
  await form.waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await form.waitFor()
  await page.getByTestId('task-agent').getByText(agent).waitFor()
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
  await page.getByTestId('task-prompt').fill('@say it is well')
  await page.keyboard.press('Control+Enter')
  const id = await openedAfter(page, 'coding-agents')
  expect(await endedTask(owner, id)).toMatchObject({ result: 'All is well.', mode: 'auto' })

  await page.getByTestId('tasks-filters-toggle').press('Enter')
  const select = page.getByTestId('tasks-by-state')
  await select.press('Enter')
  await choose(page, page.getByRole('option', { name: 'Completed', exact: true }))
  await page.waitForURL(({ searchParams }) => searchParams.get('state') === 'completed')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  await expect.poll(() => select.evaluate((element) => element === document.activeElement)).toBe(true)

  const row = page.getByTestId('tasks-list').getByTestId(`task-${id}`)
  await row.waitFor()
  await act(page, 'Archive')
  await row.waitFor({ state: 'detached' })
  expect((await taskOf(owner, id)).archivedAt).not.toBeNull()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await row.waitFor()
  await act(page, 'Run again')
  await page.getByTestId('task-prompt').waitFor()
  expect(await page.getByTestId('task-prompt').inputValue()).toBe('@say it is well')
})

// `frontend/src/lib/tasks/new/draft.test.ts`, “sends in a terminal only what applies there”; `dock.test.ts` has such a
// task and its page.
longIt('starts a task in a terminal and leads there, and its page leads there again', async () => {
  const page = await visit(owner, '/coding-agents')
  await page.getByTestId('tasks-list').waitFor()
  await page.keyboard.press('n')
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
  await page.getByTestId('task-mode-auto').focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.getByTestId('task-mode-interactive').isChecked()).toBe(true)
  expect(await page.getByTestId('task-queue').count()).toBe(0)
  await page.getByTestId('task-more').press('Enter')
  await page.getByTestId('task-timeout').waitFor()
  expect(await page.getByTestId('task-turns').count()).toBe(0)
  expect(await graveOn(page)).toEqual([])
  // It needs no prompt.
  await page.getByTestId('task-prompt').fill('')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(({ pathname, searchParams }) => pathname === `/agents/${agent}` && searchParams.has('task'))
  const id = new URL(page.url()).searchParams.get('task') ?? ''
  await new Screen(page).is('connected')
  expect(await taskOf(owner, id)).toMatchObject({ mode: 'interactive', state: 'running', prompt: '' })

  await goTo(page, pageOf(id))
  await page.getByRole('heading', { name: 'Task in a terminal' }).waitFor()
  await page.getByTestId('task-terminal').waitFor()
  await page.getByTestId('run-open-terminal').press('Enter')
  await page.waitForURL(({ searchParams }) => searchParams.get('task') === id)
  await new Screen(page).is('connected')
  await end(id)
  await goTo(page, pageOf(id))
  await page.getByTestId('run-terminal').getByText('This task had a terminal').waitFor()
})

// The first test archives and repeats one, and `e2e/tasks/terminal/claude.test.ts` has a conversation that is in use.
longIt('archives a task and takes it back, runs it again, and says which task holds its conversation', async () => {
  const { id, cliSessionId } = await endedTask(owner, (await startTask(owner, { agent, prompt: '@say one' })).id)
  const page = await visit(owner, pageOf(id), { provoked: [answered(409)] })
  await page.getByTestId('run').waitFor()
  const row = page.getByTestId('tasks-list').getByTestId(`task-${id}`)
  await row.waitFor()
  await act(page, 'Archive')
  await row.waitFor({ state: 'detached' })
  await page.getByTestId('run-facts').getByText('Archived').waitFor()
  expect((await taskOf(owner, id)).archivedAt).not.toBeNull()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await row.waitFor()
  expect((await taskOf(owner, id)).archivedAt).toBeNull()
  await act(page, 'Run again')
  const prompt = page.getByTestId('task-prompt')
  await prompt.waitFor()
  expect(await prompt.inputValue()).toBe('@say one')
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
  await prompt.press('Control+Enter')
  const repeated = await openedAfter(page, id)
  const second = await endedTask(owner, repeated)
  expect(second).toMatchObject({ result: 'All is well.', prompt: '@say one', agent })
  expect(second.cliSessionId).not.toBe(cliSessionId)

  await goTo(page, pageOf(id))
  await act(page, 'Continue')
  await page.getByTestId('task-continued').getByText('Continues “@say one”').waitFor()
  expect(await graveOn(page)).toEqual([])
  await prompt.fill('@silent then')
  await prompt.press('Control+Enter')
  const going = await openedAfter(page, id)
  await until('the CLI to name its session', async () => (await taskOf(owner, going)).cliSessionId === cliSessionId)
  expect(await taskOf(owner, going)).toMatchObject({ prompt: '@silent then', state: 'running' })

  await goTo(page, pageOf(id))
  await page.getByTestId('tasks-active').getByTestId(`task-${going}`).waitFor()
  await act(page, 'Continue in terminal')
  await page.getByText('The task “@silent then” continues this conversation.').first().waitFor()
  await page.getByRole('button', { name: 'Show the task' }).click()
  expect(await openedAfter(page, id)).toBe(going)
  await end(going)
})

// Without a page: `e2e/tasks/terminal/claude.test.ts`, “a conversation moves from a task to a terminal”.
longIt('goes on in a terminal, and says when another terminal is in the way', async () => {
  const { id } = await endedTask(owner, (await startTask(owner, { agent, prompt: '@say two' })).id)
  const other = await endedTask(owner, (await startTask(owner, { agent, prompt: '@again' })).id)
  const page = await visit(owner, pageOf(id))
  await page.getByTestId('run').waitFor()
  await act(page, 'Continue in terminal')
  await page.waitForURL(
    ({ pathname, searchParams }) => pathname === `/agents/${agent}` && searchParams.get('task') === id,
  )
  const screen = new Screen(page)
  await screen.is('connected')
  await screen.shows('All is well.')

  await page.keyboard.press('Escape')
  await page.getByTestId('rail-tasks').click()
  await page.getByTestId(`task-${id}`).click()
  await page.getByTestId('run-in-terminal').getByText('in your terminal').waitFor()
  await page.getByTestId(`task-${other.id}`).click()
  await page.locator(`[data-run="${other.id}"]`).waitFor()
  await act(page, 'Continue in terminal')
  await page.getByText(`You have another terminal in ${agent}.`).first().waitFor()
  await page.getByRole('button', { name: 'Show the terminal' }).click()
  await page.waitForURL(({ pathname }) => pathname === `/agents/${agent}`)
  await screen.shows('All is well.')
})
