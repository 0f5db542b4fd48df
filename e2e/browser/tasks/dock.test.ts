/** The dock below every page: it opens by itself, with the real Claude Code at work, or on a terminal. */
import type { CodingSession } from '@slipway/protocol'
import { actUntil } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { SCREENS } from '../../walk/visitor.ts'

vi.setConfig({ testTimeout: 300_000 })

const SESSIONS = '/coding-agents/sessions'
/** Longest time until the real CLI is at work, or has ended, on a busy machine, in milliseconds. */
const WORK_MS = 200_000
/** Longer than the tab of an ended task stays, in milliseconds. */
const LINGER_MS = 61_000
const GATE = '/tmp/go'
const WAIT = `until [ -e ${GATE} ]; do sleep 0.1; done; echo went on`
const SCRIPT = {
  '@fix': [
    { say: 'First I wait.', tool: 'Bash', input: { command: WAIT, description: 'Wait' } },
    { say: 'All is well.' },
  ],
  '@typed': [{ say: 'I noted 7.' }],
  '@again': [{ say: 'I noted 8.' }],
}

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  return () => owner.ok('DELETE', `/agents/${agent}`)
})
/** Ends what a test left, and closes the gate. */
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
  await sh(owner, agent, `rm -f ${GATE}`)
})

const dock = (page: Page) => page.getByTestId('dock')
const atWork = (page: Page): Promise<void> =>
  page.getByTestId('run-activity').getByText('until [ -e').waitFor({ timeout: WORK_MS })
const inState = (page: Page, id: string, state: string): Promise<void> =>
  page.locator(`[data-testid="dock-tab-${id}"][data-state="${state}"]`).waitFor({ timeout: WORK_MS })
const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? null)
/** Says a text to the program with `say`, or Enter alone once its screen has the text, until its screen has the answer. */
const isAnswered = async (
  screen: Screen,
  { text, answer }: { readonly text: string; readonly answer: string },
  say: (text: string) => Promise<void>,
): Promise<void> => {
  const shows = async (what: string): Promise<boolean> => (await screen.text()).includes(what)
  await actUntil(
    `the answer ${answer}`,
    () => shows(answer),
    async () => say((await shows(text)) ? '' : text),
  )
}
const heightOf = async (page: Page): Promise<number> => (await dock(page).boundingBox())?.height ?? 0

// In the short form the walk has the dock of such a task (`dock-steps`), `useDockTabs.test.ts` its tabs, and the next
// describe block its keys.
describe.each(inLongForm(['a task that runs by itself']))('%s', () => {
  it('opens the dock below any page, takes neither focus nor place of the page, and leaves a minute after its end', async () => {
    const page = await visit(owner, '/account')
    await page.getByTestId('sign-ins').waitFor()
    expect(await dock(page).count()).toBe(0)
    const { id } = await startTask(owner, { agent, prompt: '@fix it' })
    await atWork(page)
    await dock(page).getByText('First I wait.').waitFor()
    expect(await focused(page)).toBe(null)
    const covered = await page.evaluate(() => {
      const [content, own] = document.querySelectorAll('main > div, main > section')
      return (content?.getBoundingClientRect().bottom ?? Infinity) - (own?.getBoundingClientRect().top ?? 0)
    })
    expect(covered).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])

    // Its page shows it already, and so does the terminal of an agent.
    await page.getByTestId('dock-page').click()
    await page.locator(`[data-run="${id}"]`).waitFor()
    await dock(page).waitFor({ state: 'detached' })
    await page.goBack()
    await atWork(page)

    await page.clock.install()
    await sh(owner, agent, `touch ${GATE}`)
    await inState(page, id, 'completed')
    await page.getByTestId('dock-end').filter({ hasText: 'Completed' }).waitFor()
    await dock(page).getByText('All is well.').waitFor()
    await page.clock.fastForward(LINGER_MS)
    await dock(page).waitFor({ state: 'detached' })
  })

  // `useDockTabs.test.ts`, “the tab of an ended task leaves after a minute, and that of a failed one stays”.
  longIt('is stopped there, and a failed one stays until its tab is closed', async () => {
    const page = await visit(owner, '/')
    await page.getByTestId('rail-tasks').waitFor()
    const late = await startTask(owner, { agent, prompt: '@fix late', timeout_seconds: 20 })
    await atWork(page)
    const { id } = await startTask(owner, { agent, prompt: '@fix another' })
    // The shown task stays: the user may be reading it.
    await page.getByTestId(`dock-tab-${id}`).waitFor()
    expect(await page.getByTestId(`dock-tab-${late.id}`).getAttribute('aria-pressed')).toBe('true')
    await page.getByTestId(`dock-tab-${id}`).click()
    await atWork(page)
    await page.clock.install()
    await page.getByTestId('dock-stop').click()
    await page.getByTestId('confirm-action').click()
    await inState(page, id, 'terminated')
    await inState(page, late.id, 'failed')
    await page.clock.fastForward(LINGER_MS)
    await page.getByTestId(`dock-tab-${id}`).waitFor({ state: 'detached' })
    await page.getByTestId('dock-end').filter({ hasText: 'took longer than 20 seconds' }).waitFor()
    await page.getByTestId(`dock-close-${late.id}`).click()
    await dock(page).waitFor({ state: 'detached' })
  })

  // The tests before and after have the dock and its keys, and `useDockTabs.test.ts` its tabs.
  longIt(
    'keeps the height of the dock, that it is folded, and a closed tab over a reload, by keyboard alone',
    async () => {
      const { id } = await startTask(owner, { agent, prompt: '@fix one' })
      const other = await startTask(owner, { agent, prompt: '@fix two' })
      const page = await visit(owner, '/agents')
      await page.getByTestId(`dock-tab-${other.id}`).waitFor()
      await page.getByTestId('agents-search').focus()
      await page.getByTestId('agents-search').blur()
      await page.keyboard.press('t')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowRight')
      expect(await focused(page)).toMatch(/^dock-tab-/)
      const before = await heightOf(page)
      await page.getByTestId('dock-resize').focus()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowUp')
      expect(await heightOf(page)).toBeGreaterThan(before)
      const kept = await heightOf(page)
      await page.getByTestId('dock-maximise').press('Enter')
      expect(await heightOf(page)).toBe(800)
      expect(await graveOn(page)).toEqual([])
      await page.keyboard.press('Escape')
      expect([await heightOf(page), await focused(page)]).toEqual([kept, null])
      await page.getByTestId(`dock-close-${other.id}`).press('Enter')
      await page.getByTestId(`dock-tab-${other.id}`).waitFor({ state: 'detached' })
      await reload(page)
      await page.getByTestId(`dock-tab-${id}`).waitFor()
      expect([await heightOf(page), await page.getByTestId(`dock-tab-${other.id}`).count()]).toEqual([kept, 0])
      await page.getByTestId('dock-fold').press('Enter')
      await reload(page)
      await page.getByTestId(`dock-tab-${id}`).waitFor()
      expect(await dock(page).getAttribute('data-open')).toBe('false')
      expect(await page.getByTestId('dock-run').count()).toBe(0)
      expect(await graveOn(page)).toEqual([])
      await page.getByTestId('dock-fold').press('Enter')
      await atWork(page)
    },
  )
})

describe('a task on a terminal', () => {
  it('is typed into from the dock and from its page, with the answers on the screen', async () => {
    const page = await visit(owner, '/account')
    await page.getByTestId('sign-ins').waitFor()
    const { id } = await startTask(owner, { agent, mode: 'interactive' })
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.takesPastes()
    await page.keyboard.press('t')
    await expect.poll(() => focused(page)).toBe('task-input-text')
    expect(await page.getByTestId('task-input-text').inputValue()).toBe('')
    await isAnswered(screen, { text: '@typed here', answer: 'I noted 7.' }, async (text) => {
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    })
    expect(await graveOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe(null)
    // Keys go to the program, and Shift+Escape gives the focus back.
    await screen.element.click()
    await screen.hasKeys()
    await page.keyboard.type('draft of mine')
    await screen.shows('draft of mine')
    await page.keyboard.press('Shift+Escape')
    await screen.element.locator('textarea:focus').waitFor({ state: 'detached' })
    await page.getByTestId('task-input-control').click()
    await screen.shows(/❯\s*\n/)

    await goTo(page, `/agents/${agent}/overview`)
    await screen.shows('I noted 7.')
    await page.getByTestId('tab-terminal').click()
    await page.getByTestId('terminal-panel').waitFor()
    await dock(page).waitFor({ state: 'detached' })

    await goTo(page, `/coding-agents/${id}`)
    await screen.shows('I noted 7.')
    await dock(page).waitFor({ state: 'detached' })
    await isAnswered(screen, { text: '@again', answer: 'I noted 8.' }, async (text) => {
      await page.getByTestId('task-input-text').fill(text)
      await page.getByTestId('task-input-enter').click()
    })
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('run-stop').click()
    await page.getByTestId('confirm-action').click()
    await page.locator('[data-testid="run-state"][data-state="terminated"]').waitFor()
    await screen.is('disconnected')
    await screen.shows('I noted 8.')
    await page.getByTestId('task-input').waitFor({ state: 'detached' })
  })

  // The walk has such a task in a narrow window, by turns (`task-terminal`), and the test before its page.
  longIt('has its terminal on a phone on its page only', async () => {
    const { id } = await startTask(owner, { agent, mode: 'interactive' })
    const page = await visit(owner, '/', SCREENS.narrow)
    await page.getByTestId('new-agent').waitFor()
    expect(await dock(page).count()).toBe(0)
    await goTo(page, `/coding-agents/${id}`)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.takesPastes()
    await isAnswered(screen, { text: '@typed on a phone', answer: 'I noted 7.' }, async (text) => {
      await page.getByTestId('task-input-text').fill(text)
      await page.getByTestId('task-input-enter').tap()
    })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
    expect(await graveOn(page)).toEqual([])
  })
})
