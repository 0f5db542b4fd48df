/** A task with very many events: the page draws only what is in sight, and stays at the end until its reader scrolls. */
// In the short form `frontend/src/lib/tasks/transcript/transcript.test.ts` has the rows that are kept, and
// `frontend/src/lib/tasks/timeline/timeline.test.ts` the bars. The benchmarks have the times.
import '@slipway/testing/long'
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithStub } from '../../support/tasks/stub.ts'

const EVENTS = 10_000
/** More rows than any window shows. */
const DRAWN_MAX = 200

useBrowser()
let owner: Client
let agent = ''
let task: CodingSession

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = await agentWithStub(owner, 'claude-code')
  const body = { agent, provider: 'claude-code', prompt: '@cost Do very much' }
  task = await endedTask(owner, (await startTask(owner, body)).id)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

/** The events come one a second. */
const START_MS = Date.parse('2026-11-26T12:00:00.000Z')
const at = (seq: number): string => new Date(START_MS + seq * 1000).toISOString()
const eventOf = (seq: number): RunEvent =>
  seq % 3 === 0
    ? { seq, at: at(seq), type: 'text', text: `Paragraph **${seq}** of this task, with \`code\` in it.` }
    : {
        seq,
        at: at(seq),
        type: 'tool_call',
        callId: `c${seq}`,
        name: 'Read',
        input: { file_path: `/home/developer/${seq}.ts` },
      }

/** Shows the task with its many events. */
const open = async (page: Page): Promise<void> => {
  const body = Array.from({ length: EVENTS }, (_, index) => `${JSON.stringify(eventOf(index + 1))}\n`).join('')
  await intercept(page, `*/sessions/${task.id}`, (request) =>
    request.fulfill({ json: { ...task, startedAt: at(0), completedAt: at(EVENTS), lastSeq: EVENTS } }),
  )
  await intercept(page, String.raw`*/events\?after=0`, (request) => request.fulfill({ body }))
  await page.getByTestId(`task-${task.id}`).click()
}
const offsetOf = (page: Page): Promise<number> =>
  page.getByTestId('run-events').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight)

it('is scrolled through with only the rows in sight drawn, and jumps back to the latest', async () => {
  const page = await visit(owner, '/coding-agents')
  await open(page)
  const list = page.getByTestId('run-events')
  await list.getByText(`${EVENTS}.ts`).waitFor()
  await until('the end of the list', async () => (await offsetOf(page)) < 2)
  const drawn = (): Promise<number> => list.locator('[data-entry]').count()
  expect(await drawn()).toBeLessThan(DRAWN_MAX)
  expect(await page.getByTestId('run-follow').isVisible()).toBe(false)

  await list.focus()
  await page.keyboard.press('Home')
  await page.getByTestId('run-prompt').waitFor()
  await list.getByText(/^1\.ts$|\/1\.ts/).waitFor()
  expect(await drawn()).toBeLessThan(DRAWN_MAX)
  await page.getByTestId('run-follow').click()
  await list.getByText(`${EVENTS}.ts`).waitFor()
  await page.getByTestId('run-follow').waitFor({ state: 'detached' })
})

it('has a timeline with few bars, each of which leads to one of its rows', async () => {
  const page = await visit(owner, '/coding-agents')
  await open(page)
  await page.getByTestId('run-events').getByText(`${EVENTS}.ts`).waitFor()
  await page.getByTestId('run-tab-timeline').click()
  const bars = page.getByTestId('timeline-chart').locator('[data-bar]')
  await bars.first().waitFor()
  expect(await bars.count()).toBeLessThan(DRAWN_MAX)
  await page.getByTestId('timeline-slowest').getByRole('link').first().click()
  await page.getByTestId('run-events').locator('[data-entry][aria-current]').waitFor()
  expect(await page.getByTestId('run-events').locator('[data-entry]').count()).toBeLessThan(DRAWN_MAX)
})
