/** The page of conversations, with the real Claude Code. */
import type { Conversation, ConversationTurns } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { thumbHeight } from '../../support/page/thumb.ts'
import { goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { quicken } from '../../support/tasks/stub.ts'
import { SCREENS } from '../../walk/visitor.ts'

/** Longest time of a turn of the real CLI on a busy machine, in milliseconds. */
const WORK_MS = 200_000
const GATE = '/tmp/go'
const FILE = '/home/developer/app/one.ts'
const ANSWER = 'It **works** now, in `one.ts`.'
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })
const SCRIPT = {
  '@begin': [
    { say: 'I write the file.', tool: 'Write', input: { file_path: FILE, content: 'export const one = 1\n' } },
    bash(`until [ -e ${GATE} ]; do sleep 0.1; done`),
    { say: ANSWER },
  ],
  '@work': [{ ...bash('echo worked'), gate: GATE }, { say: 'I went on.' }],
  '@aside': [{ say: 'I heard the aside.' }],
  '@second': [{ say: 'The second answer.' }],
  '@third': [{ say: 'The third answer.' }],
  '@fails': [{ status: 400, error: 'invalid_request_error', say: 'this model is broken' }],
  '@ask': [bash('touch /home/developer/asked'), { say: 'Touched.' }],
}

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
})
afterEach(() => sh(owner, agent, `rm -f ${GATE}`))
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const go = (): Promise<string> => sh(owner, agent, `touch ${GATE}`)
const begin = (prompt: string, options: object = {}): Promise<Conversation> =>
  owner.ok<Conversation>('POST', '/conversations', { agent, prompt, ...options })
const inState = (page: Page, activity: string, state = 'active'): Promise<void> =>
  page
    .locator(`[data-testid="conversation-state"][data-activity="${activity}"][data-state="${state}"]`)
    .waitFor({ timeout: WORK_MS })
const field = (page: Page): Locator => page.getByTestId('task-prompt')
const queued = (page: Page): Locator => page.getByTestId('queued')
const queue = async (page: Page, text: string): Promise<void> => {
  const before = await queued(page).count()
  await field(page).fill(text)
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => queued(page).count()).toBe(before + 1)
  await expect.poll(() => field(page).inputValue()).toBe('')
}
const act = async (page: Page, action: string): Promise<void> => {
  await page.getByTestId('conversation-actions').click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('a conversation', { timeout: 3 * WORK_MS }, () => {
  it('begins on the empty page, queues what its user writes meanwhile, and goes on by itself', async () => {
    await sh(
      owner,
      agent,
      'mkdir app; cd app; git init -q; git -c user.name=a -c user.email=a@b.c commit -qm 0 --allow-empty',
    )
    const page = await visit(owner, '/conversations')
    await page.getByTestId('no-conversations').waitFor()
    expect(await graveOn(page)).toEqual([])
    await page.keyboard.press('n')
    await page.getByTestId('conversation-form').waitFor()
    await field(page).fill('@begin the work')
    await page.getByTestId('task-folder').fill('app')
    expect(await graveOn(page)).toEqual([])
    await field(page).press('Control+Enter')
    await page.waitForURL(/\/conversations\/.+/)
    await inState(page, 'running')
    await page.getByText('I write the file.').waitFor({ timeout: WORK_MS })
    await page.getByTestId('run-activity').getByText('until [ -e').waitFor({ timeout: WORK_MS })
    await page.getByTestId('turn-steps').getByRole('button').first().click()
    await page.getByTestId('turn-steps').getByText('one.ts').first().waitFor()
    expect(await page.getByTestId('steer').isDisabled()).toBe(true)
    await page.getByTestId('steer-obstacle').waitFor()

    await queue(page, '@second')
    await queue(page, 'never')
    await queue(page, '@third')
    // By keyboard alone.
    await queued(page).nth(2).getByTestId('queued-up').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => queued(page).nth(1).innerText()).toContain('@third')
    // A row whose last move is not answered yet takes no other.
    await expect.poll(() => queued(page).nth(1).getByTestId('queued-withdraw').isEnabled()).toBe(true)
    await queued(page).nth(1).getByTestId('queued-up').press('Enter')
    await expect.poll(() => queued(page).first().innerText()).toContain('@third')
    await queued(page).nth(2).getByTestId('queued-withdraw').press('Enter')
    await expect.poll(() => queued(page).count()).toBe(2)
    await queued(page).nth(1).getByTestId('queued-edit').press('Enter')
    await page.getByTestId('queued-text').fill('@second, please')
    await page.keyboard.press('Control+Enter')
    await queued(page).nth(1).getByText('@second, please').waitFor()
    expect(await graveOn(page)).toEqual([])

    await field(page).fill('half a thought')
    await reload(page)
    await inState(page, 'running')
    await expect.poll(() => queued(page).count()).toBe(2)
    expect(await field(page).inputValue()).toBe('half a thought')

    await go()
    await page.getByText('The second answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
    expect(await queued(page).count()).toBe(0)
    const id = page.url().split('/').at(-1) ?? ''
    const { items } = await owner.ok<ConversationTurns>('GET', `/conversations/${id}/messages`)
    expect(items.map(({ message }) => message.text)).toEqual(['@begin the work', '@third', '@second, please'])

    const first = page.getByTestId('turn').first()
    await first.scrollIntoViewIfNeeded()
    await first.locator('strong').getByText('works').waitFor()
    const download = page.waitForEvent('download')
    await first.getByTestId('text-files').getByText('one.ts').click()
    expect((await download).suggestedFilename()).toBe('one.ts')
    await first.getByTestId('turn-show-changes').click()
    await first.getByTestId('turn-changes').locator('[data-file="one.ts"]').waitFor()
    expect(await graveOn(page)).toEqual([])

    // A comment on the changes of a turn is the next message of its conversation, before what its user has typed there.
    await first.getByTestId('turn-review').click()
    await page.locator('[data-file="one.ts"]').getByRole('button', { name: 'Comment on line 1' }).click()
    await page.getByTestId('comment-text').fill('@second, and say why.')
    await page.getByTestId('comment-save').click()
    await page.getByTestId('comments-send').click()
    await page.waitForURL(({ pathname }) => pathname === `/conversations/${id}`)
    await expect
      .poll(() => field(page).inputValue())
      .toMatch(/one\.ts:1\n[^]*@second, and say why\.\n\nhalf a thought$/)
    await field(page).press('Control+Enter')
    await page.getByText('The second answer.').nth(1).waitFor({ timeout: WORK_MS })
    const turns = (await owner.ok<ConversationTurns>('GET', `/conversations/${id}/messages`)).items
    expect(turns.at(-1)?.message.text).toContain('@second, and say why.')
    const reviewed = turns[0]?.run
    await goTo(page, `/coding-agents/${reviewed?.id ?? ''}?view=changes`)
    await page.locator('[data-file="one.ts"]').waitFor()
    expect(await page.getByTestId('comment-bar').count()).toBe(0)
    await page.getByTestId('run-conversation').click()
    await page.waitForURL(({ pathname }) => pathname === `/conversations/${id}`)
  })

  // The walk has this page (`conversation-failed`), and `e2e/tasks/conversations/claude.test.ts` a failed turn.
  longIt('says once that a turn failed, and its user sends again what was not sent', async () => {
    const { id } = await begin('@fails please')
    const page = await visit(owner, `/conversations/${id}`)
    await inState(page, 'idle', 'errored')
    await page.getByTestId('conversation-notice').getByText('Write a message to go on.').waitFor()
    await page.getByTestId('turn-end').waitFor()
    expect(await graveOn(page)).toEqual([])
    await field(page).fill('@second')
    await page.getByTestId('send').click()
    await page.getByText('The second answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
    expect(await page.getByTestId('conversation-notice').count()).toBe(0)
  })

  // `dialogs/asked.test.ts` asks in a task, and the walk has the list and the conversation in a narrow window, by
  // turns.
  longIt('asks in its place, on a phone, where one conversation is shown at a time', async () => {
    const { id } = await begin('@ask first', { policy: 'ask' })
    const page = await visit(owner, '/conversations', SCREENS.narrow)
    await page.getByTestId(`conversation-${id}`).tap()
    await page.getByTestId('run-dialogs').getByTestId('dialog-card').first().waitFor({ timeout: WORK_MS })
    await page.getByTestId('conversations-list').waitFor({ state: 'hidden' })
    await inState(page, 'waiting')
    expect(await graveOn(page)).toEqual([])
    for (const control of [
      page.getByTestId('send'),
      page.getByTestId('interrupt'),
      page.getByTestId('task-add-picture'),
    ])
      expect(await thumbHeight(control)).toBeGreaterThanOrEqual(42)
    await page.getByTestId('dialog-allow').tap()
    await page.getByText('Touched.').waitFor({ timeout: WORK_MS })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
    await page.getByTestId('conversation-back').tap()
    await page.getByTestId(`conversation-${id}`).waitFor()
  })

  // Without a page: `e2e/tasks/conversations/claude.test.ts`, “a message steers the turn that runs”.
  longIt('takes a message into the turn that runs, if its CLI may ask people', async () => {
    const { id } = await begin('@work', { policy: 'tiers' })
    const page = await visit(owner, `/conversations/${id}`)
    await page.getByTestId('run-activity').waitFor({ timeout: WORK_MS })
    await page.getByTestId('steer-obstacle').waitFor({ state: 'detached' })
    await field(page).fill('@aside, be quick')
    await page.getByTestId('steer').click()
    await page.getByTestId('message-fate').getByText('Given to the turn that ran').waitFor()
    await go()
    await page.getByText('I heard the aside.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
  })

  // The walk has the actions and an archived one (`conversation-actions`, `conversation-archived`), and
  // `e2e/tasks/conversations/claude.test.ts` forks.
  longIt('is renamed, forked and archived, and the notice takes it back', async () => {
    const { id } = await begin('@second of all')
    const page = await visit(owner, `/conversations/${id}`)
    await page.getByText('The second answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
    await act(page, 'Rename')
    await page.getByTestId('conversation-title-field').fill('Another name')
    await page.keyboard.press('Enter')
    await page.getByTestId(`conversation-${id}`).getByText('Another name').waitFor()
    await act(page, 'Fork')
    await page.getByTestId('no-turns').waitFor()
    expect(await graveOn(page)).toEqual([])
    await field(page).fill('@third')
    await page.getByTestId('send').click()
    await page.getByText('The third answer.').waitFor({ timeout: WORK_MS })
    await page.getByTestId(`conversation-${id}`).click()
    await page.getByText('The second answer.').waitFor()
    await act(page, 'Archive')
    await inState(page, 'idle', 'archived')
    expect(await page.getByTestId('composer').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await inState(page, 'idle')
    await field(page).waitFor()
  })

  // `menu.test.ts` in the front end has the menu, and `conversations.test.ts` in the backend the list.
  longIt('of another user is found by a guest of its agent, who forks it and does not manage it', async () => {
    const { id } = await begin('@second for all')
    const guest = await newUser(await signInAdmin())
    await owner.ok('POST', `/agents/${agent}/shares`, { email: guest.email })
    const page = await visit(guest, '/conversations')
    await page.getByTestId('conversations-of-all').click()
    const row = page.getByTestId(`conversation-${id}`)
    await row.getByRole('img', { name: 'Of another user' }).waitFor()
    await row.click()
    await page.getByText('The second answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
    await page.getByTestId('conversation-actions').click()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Copy link', 'Continue in terminal', 'Fork'])
    expect(await graveOn(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Fork' }).click()
    await page.getByTestId('no-turns').waitFor()
    await page.getByTestId('conversations-by').click()
    await page.getByRole('option', { name: 'My conversations' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByTestId('conversations-list').getByText('@second for all').waitFor()
  })

  // The walk has this page (`conversation-in-terminal`), and `e2e/tasks/conversations/claude.test.ts` what was said in
  // a terminal.
  longIt('moves to a terminal, and what is written meanwhile waits for the end of it', async () => {
    const { id } = await begin('@second in a terminal')
    const page = await visit(owner, `/conversations/${id}`)
    await page.getByText('The second answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
    await act(page, 'Continue in terminal')
    await page.waitForURL(({ pathname }) => pathname === `/agents/${agent}`)
    await new Screen(page).is('connected')
    // The terminal ends with the page, so that its user only goes to another one.
    await page.getByTestId('rail-conversations').click()
    await page.getByTestId(`conversation-${id}`).click()
    await inState(page, 'terminal')
    await page.getByTestId('notice-terminal').waitFor()
    await queue(page, '@third')
    await page.getByTestId('notice-terminal').click()
    await new Screen(page).is('connected')
    await page.getByTestId('terminal-disconnect').click()
    await page.getByTestId('rail-conversations').click()
    await page.getByTestId(`conversation-${id}`).click()
    await page.getByText('The third answer.').waitFor({ timeout: WORK_MS })
    await inState(page, 'idle')
  })
})
