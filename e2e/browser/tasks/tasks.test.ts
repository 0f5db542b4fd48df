/** The tasks' page, with a task of the real Claude Code that is at work. */
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CodingSession } from '@slipway/protocol'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { SCREENS } from '../../walk/visitor.ts'

const SESSIONS = '/coding-agents/sessions'
/** Longest time until the real CLI is at work, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
/** The model's last answer, with markdown and code. */
const ANSWER = ['It **works** now:', '```ts\nexport const one = 1\n```', '<img src=x onerror=alert(1)>'].join('\n\n')
const EDIT = { file_path: '/home/developer/app/one.ts', old_string: 'return null', new_string: 'return one' }

/** A task that waits in its command until {@link go}. */
const script = (gate: string): Script => ({
  '@fix': [
    { say: 'First I read the file.', tool: 'Read', input: { file_path: EDIT.file_path } },
    { tool: 'Edit', input: EDIT },
    { tool: 'Bash', input: { command: `until [ -e ${gate} ]; do sleep 0.1; done; echo went on`, description: 'Wait' } },
    { tool: 'Bash', input: { command: 'seq 1 4000', description: 'Count' } },
    { say: ANSWER },
  ],
  '@quick': [{ say: 'Nothing to do.' }],
})
const GATE = '/tmp/go'

useBrowser()
let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, script(GATE))).name
})
/** Ends what a test left, and closes the gate. */
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
  await sh(owner, agent, `rm -f ${GATE}`)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const go = (): Promise<string> => sh(owner, agent, `touch ${GATE}`)
const start = async (prompt = '@fix the file'): Promise<string> => {
  await sh(
    owner,
    agent,
    `rm -rf app; mkdir app; cd app; git init -q; echo 'return null' > one.ts; git add -A
     git -c user.name=a -c user.email=a@example.org commit -qm one`,
  )
  return (await startTask(owner, { agent, prompt, cwd: 'app' })).id
}
const pageOf = (id: string): string => `/coding-agents/${id}`
const events = (page: Page) => page.getByTestId('run-events')
/** The numbers of the rows in the page, which shows them all. */
const rows = (page: Page): Promise<string[]> =>
  events(page)
    .locator('[data-entry]')
    .evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset['entry'] ?? ''))
const atWork = (page: Page): Promise<void> =>
  page.getByTestId('run-activity').getByText('until [ -e').waitFor({ timeout: WORK_MS })
const inState = (page: Page, state: string): Promise<void> =>
  page.locator(`[data-testid="run-state"][data-state="${state}"]`).waitFor({ timeout: WORK_MS })

describe('a task that is at work', { timeout: 3 * WORK_MS }, () => {
  it('is seen live: its steps, what it does now, its answer, its cost and its changes', async () => {
    const page = await visit(owner, '/coding-agents')
    await page.getByTestId('no-tasks').waitFor()
    const id = await start()
    // The list learns of it by an event.
    await page.getByTestId(`task-${id}`).click()
    await atWork(page)
    const log = events(page)
    await log.getByText('First I read the file.').waitFor()
    await log.getByRole('button', { name: /^Edited one\.ts/ }).click()
    await log.getByText('return one').waitFor()
    await go()
    await inState(page, 'completed')
    await log.getByText('works', { exact: true }).waitFor()
    expect(await log.locator('img').count()).toBe(0)
    await log.locator('.tok').first().waitFor()
    await page.getByTestId('run-exit').filter({ hasText: '0' }).waitFor()
    await page.getByTestId('run-cost').waitFor()
    await page.getByTestId('run-tokens').waitFor()
    await page.getByTestId('tasks-history').getByTestId(`task-${id}`).waitFor()
    await page.getByTestId('run-tab-changes').click()
    const file = page.getByTestId('run-changes').locator('[data-file="one.ts"]')
    await file.getByText('return one').waitFor()
    await page.getByTestId('run-tab-raw').click()
    await page.getByTestId('run-raw').filter({ hasText: 'went on' }).waitFor()
  })

  // In the short form the server is lost in the middle: `returning/killed-server.test.ts`.
  longIt('goes on in the page after a reload in the middle, with nothing missing and nothing twice', async () => {
    const id = await start()
    const page = await visit(owner, pageOf(id))
    await atWork(page)
    const before = await rows(page)
    await reload(page)
    await atWork(page)
    expect(await rows(page)).toEqual(before)
    await go()
    await inState(page, 'completed')
    const after = await rows(page)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(new Set(after).size).toBe(after.length)
  })

  // The test of the keyboard stops one, too; `e2e/tasks/claude.test.ts`, “is interrupted in a command, and keeps what
  // it did”.
  longIt('is stopped with a question before it, and keeps what it did', async () => {
    const id = await start()
    const page = await visit(owner, pageOf(id))
    await atWork(page)
    await page.getByTestId('run-stop').click()
    await page.getByText('What it has changed and said so far is kept.').waitFor()
    await page.getByTestId('confirm-action').click()
    await inState(page, 'terminated')
    await page.getByTestId('run-reason').filter({ hasText: 'ended the run' }).waitFor()
    await events(page).getByText('First I read the file.').waitFor()
  })

  // The walk has the list without it (`tasks-lost`), and `useTask.test.ts` the task; `dialogs/asked.test.ts` asks
  // without it.
  longIt('is followed without the event socket, and the page says that it asks', async () => {
    const page = await visit(owner, '/coding-agents')
    await page.routeWebSocket(/\/events$/, (socket) => socket.close())
    await reload(page)
    await page.getByTestId('tasks-polling').waitFor()
    const id = await start('@quick')
    await page.getByTestId(`task-${id}`).click()
    await inState(page, 'completed')
    await page.getByTestId('tasks-history').getByTestId(`task-${id}`).waitFor()
    expect(await page.getByTestId(`task-${id}`).count()).toBe(1)
  })

  // `pages/keyboard.test.ts` has pages by the keyboard alone, `actions.test.ts` tasks, and `dock.test.ts` stops one.
  longIt('is found, opened, read and stopped by the keyboard alone', async () => {
    const id = await start()
    const page = await visit(owner, '/')
    await page.getByTestId('rail-tasks').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByTestId(`task-${id}`).waitFor()
    // A list that has just come takes no keys yet.
    const focused = async (): Promise<string | null> => {
      await page.keyboard.press('j')
      return page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? null)
    }
    await expect.poll(focused).toBe(`task-${id}`)
    await page.keyboard.press('Enter')
    await atWork(page)
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-testid'))).toBe('tasks-search')
    await page.keyboard.type('no such task')
    await page.getByText('No active task matches.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByTestId(`task-${id}`).waitFor()
    await page.getByTestId('run-stop').focus()
    await page.keyboard.press('Enter')
    await page.getByTestId('confirm-action').waitFor()
    await page.keyboard.press('Enter')
    await inState(page, 'terminated')
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.pathname === '/coding-agents')
  })

  // The walk has both in a narrow window, by turns, and axe looks at each.
  longIt(
    'fits on a phone, which has the list and the task on pages of their own, and axe finds nothing grave',
    async () => {
      const id = await start()
      const page = await visit(owner, '/coding-agents', SCREENS.narrow)
      await page.getByTestId(`task-${id}`).tap()
      await atWork(page)
      expect(await page.getByTestId('tasks-list').isVisible()).toBe(false)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
      expect(await graveOn(page)).toEqual([])
      await page.getByTestId('run-tab-changes').tap()
      await page.getByTestId('run-changes').locator('[data-file="one.ts"]').waitFor()
      expect(await graveOn(page)).toEqual([])
      await page.getByTestId('run-back').tap()
      await page.getByTestId(`task-${id}`).waitFor()
      expect(await graveOn(page)).toEqual([])
    },
  )

  // The walk has this page (`task-not-found`), and `backend/test/rights/walk.test.ts` those who may see a task.
  longIt('is not there for those who may not see it', async () => {
    const id = await start('@quick')
    await endedTask(owner, id)
    const stranger = await newUser(await signInAdmin())
    const page = await visit(stranger, pageOf(id), { provoked: [answered(404)] })
    await page.getByTestId('not-found').waitFor()
    await until('the list to stay', () => page.getByRole('heading', { name: 'Tasks', level: 1 }).isVisible())
  })
})

// `frontend/src/lib/tasks/list/filters.test.ts` has the filters of the address, and the walk the list with them (`tasks`).
longIt(
  'the history is searched by the words of prompts and answers, and the address holds the filters',
  { timeout: 3 * WORK_MS },
  async () => {
    const found = await start('@quick about lighthouses')
    await endedTask(owner, found)
    const other = await start('@quick about harbours')
    await endedTask(owner, other)
    const page = await visit(owner, '/coding-agents')
    await page.getByTestId('tasks-search').fill('lightho')
    await page.waitForURL((url) => url.searchParams.get('q') === 'lightho')
    await page.getByTestId(`task-${found}`).waitFor()
    await page.getByTestId(`task-${other}`).waitFor({ state: 'detached' })
    await goTo(page, '/coding-agents?state=failed&q=lightho')
    await page.getByText('No ended task matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByTestId(`task-${other}`).waitFor()
  },
)
