/** A task with very many events: the page draws only what is in sight, and stays at the end until its reader scrolls. */
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel } from '../../support/tasks/model.ts'

const EVENTS = 10_000
/** More rows than any window shows. */
const DRAWN_MAX = 200

useBrowser()
let owner: Client
let agent = ''
let task: CodingSession

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, [{ say: 'Done.' }])).name
  task = await endedTask(owner, (await startTask(owner, { agent, prompt: 'Do very much' })).id)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const at = '2026-11-26T12:00:00.000Z'
const eventOf = (seq: number): RunEvent =>
  seq % 3 === 0
    ? { seq, at, type: 'text', text: `Paragraph **${seq}** of this task, with \`code\` in it.` }
    : { seq, at, type: 'tool_call', callId: `c${seq}`, name: 'Read', input: { file_path: `/home/developer/${seq}.ts` } }

const offsetOf = (page: Page): Promise<number> =>
  page.getByTestId('run-events').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight)

it('is scrolled through with only the rows in sight drawn, and jumps back to the latest', async () => {
  const body = Array.from({ length: EVENTS }, (_, index) => `${JSON.stringify(eventOf(index + 1))}\n`).join('')
  const page = await visit(owner, '/coding-agents')
  await intercept(page, `*/sessions/${task.id}`, (request) => request.fulfill({ json: { ...task, lastSeq: EVENTS } }))
  await intercept(page, String.raw`*/events\?after=0`, (request) => request.fulfill({ body }))
  await page.getByTestId(`task-${task.id}`).click()
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
