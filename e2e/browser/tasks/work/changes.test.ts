/** The changes of a task of the real Claude Code: their tree, their layouts, and comments that become the next turn. */
import { until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../../support/pages.ts'
import { endedTask, startTask, taskOf } from '../../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../../support/tasks/model.ts'
import { quicken } from '../../../support/tasks/stub.ts'
import { SCREENS } from '../../../walk/visitor.ts'

const WORK_MS = 200_000
const GATE = '/tmp/may-answer'
const AGAIN = 'Name it two.'
/** What the next prompt says of the first comment, as the model reads it. */
const FIRST =
  'src/deep/one.ts:4-5\n```diff\n-export const four = 4\n+export const four = 40\n export const five = 5\n```'

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, at) => `export const n${at + 1} = ${at + 1}`).join('\n')
const WORK = [
  `cd ~/app`,
  `sed -i 's/four = 4/four = 40/; s/twenty = 20/twenty = 21/' src/deep/one.ts`,
  `git mv docs/old.md docs/new.md; rm gone.txt; mkdir new; printf 'one\\ntwo\\nthree\\n' >new/file.txt`,
  `printf '\\0\\1' >picture.bin; seq 1 100000 >large.txt; seq 1 700 >src/folded.txt`,
].join('\n')
const SCRIPT: Script = {
  '@change': [{ tool: 'Bash', input: { command: WORK, description: 'Change' } }, { say: 'Changed.' }],
  '@more': [{ say: 'Added.', gate: GATE }],
  [JSON.stringify(FIRST).slice(1, -1)]: [{ say: 'I have read both comments.' }],
}
const REPOSITORY = `rm -rf app; mkdir -p app/src/deep app/docs; cd app; git init -q
  cat >src/deep/one.ts <<'END'
${numbers(3)}
export const four = 4
export const five = 5
${numbers(14)}
export const twenty = 20
END
  seq 1 30 >docs/old.md; echo gone >gone.txt; git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one`

useBrowser()
let owner: Client
let agent = ''
let task = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await quicken(owner, agent)
}, WORK_MS)
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const change = async (): Promise<void> => {
  await sh(owner, agent, REPOSITORY)
  task = (await endedTask(owner, (await startTask(owner, { agent, prompt: '@change it', cwd: 'app' })).id)).id
}
const pageOf = (id: string): string => `/coding-agents/${id}?view=changes`
const file = (page: Page, path: string) => page.getByTestId('run-changes').locator(`[data-file="${path}"]`)
const line = (page: Page, path: string, name: string) => file(page, path).getByRole('button', { name, exact: true })

describe('the changes of a task', { timeout: 3 * WORK_MS }, () => {
  // In the short form the one test makes its own.
  beforeAll(() => (isLongForm ? change() : undefined), 2 * WORK_MS)

  // The walk has the files and their layout (`task-changes`), and `frontend/src/lib/tasks/changes/rows.test.ts` the
  // rows.
  longIt(
    'are a tree, which the arrow keys walk, and files in two layouts, of which the page remembers one',
    async () => {
      const page = await visit(owner, pageOf(task))
      const tree = page.getByRole('tree', { name: 'Changed files' })
      // At this width it is above the diff, and folded.
      await page.getByTestId('changes-files').click()
      await tree.waitFor()
      expect(await tree.getByRole('treeitem').allInnerTexts()).toHaveLength(11)
      await tree.getByRole('treeitem').first().focus()
      await page.keyboard.press('ArrowLeft')
      expect(await tree.getByRole('treeitem').first().getAttribute('aria-expanded')).toBe('false')
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      const last = await page.evaluate(
        () => document.activeElement?.closest<HTMLElement>('[data-file]')?.dataset['file'],
      )
      expect(last).toBe('picture.bin')
      await file(page, 'large.txt').getByText('too large to show (575 KiB)').waitFor()
      await file(page, 'picture.bin').getByText('Binary file (2 B)').waitFor()
      await file(page, 'docs/new.md').getByText('docs/old.md → docs/new.md').waitFor()
      const folded = file(page, 'src/folded.txt').getByRole('button', { expanded: false })
      await folded.press('Enter')
      await file(page, 'src/folded.txt').getByRole('button', { name: 'Show 101 more of 701 lines' }).press('Enter')
      await line(page, 'src/folded.txt', 'Comment on line 700').waitFor()
      await file(page, 'src/deep/one.ts').locator('.tok').first().waitFor()
      await page.getByTestId('choice-split').click()
      await reload(page)
      expect(await page.getByTestId('choice-split').getAttribute('aria-checked')).toBe('true')
      const sides = file(page, 'src/deep/one.ts').locator('[data-line]', { hasText: 'four' })
      await sides.first().waitFor()
      const [left, right] = await Promise.all([sides.first().boundingBox(), sides.last().boundingBox()])
      expect([left?.y, (left?.x ?? 0) < (right?.x ?? 0)]).toEqual([right?.y, true])
      expect(await graveOn(page)).toEqual([])
      await page.getByTestId('choice-unified').click()
    },
  )

  // `frontend/src/lib/tasks/changes/comments.test.ts` keeps them and makes the prompt of them;
  // `e2e/tasks/claude.test.ts` goes on with a conversation.
  longIt(
    'take comments on lines and ranges, which stay over a reload and become the next turn of the conversation',
    async () => {
      const page = await visit(owner, pageOf(task))
      const text = page.getByTestId('comment-text')
      await line(page, 'src/deep/one.ts', 'Comment on line 4 (removed)').click()
      await text.waitFor()
      await line(page, 'src/deep/one.ts', 'Comment on line 5').click({ modifiers: ['Shift'] })
      await text.fill('Why forty?')
      await text.press('Control+Enter')
      await text.waitFor({ state: 'detached' })
      // By the keyboard alone.
      await line(page, 'new/file.txt', 'Comment on line 1').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Enter')
      await page.locator('[data-testid="comment-text"]:focus').waitFor()
      await page.keyboard.type('Name it.')
      await page.keyboard.press('Control+Enter')
      await page.getByTestId('comment-count').filter({ hasText: '2 comments' }).waitFor()
      await line(page, 'new/file.txt', 'Comment on line 1').click()
      await text.fill('Not needed.')
      await page.getByTestId('comment-save').click()
      await file(page, 'new/file.txt')
        .getByTestId('comment')
        .filter({ hasText: 'Not needed.' })
        .getByRole('button', { name: 'Remove comment' })
        .click()
      await reload(page)
      const second = file(page, 'new/file.txt').getByTestId('comment').filter({ hasText: 'Name it.' })
      await second.getByRole('button', { name: 'Edit comment' }).click()
      await text.fill(AGAIN)
      await text.press('Control+Enter')
      await page.getByTestId('comment-count').click()
      await page.getByTestId('comment-bar').getByText('new/file.txt:2-3').waitFor()
      expect(await graveOn(page)).toEqual([])

      await page.getByTestId('comments-send').click()
      const prompt = page.getByTestId('task-prompt')
      await prompt.waitFor()
      const composed = `I have 2 comments on the changes.\n\n${FIRST}\nWhy forty?\n\nnew/file.txt:2-3\n\`\`\`diff\n+two\n+three\n\`\`\`\n${AGAIN}`
      expect(await prompt.inputValue()).toBe(composed)
      await prompt.press('Control+Enter')
      await page.waitForURL(({ pathname }) => pathname.startsWith('/coding-agents/') && !pathname.endsWith(task))
      const next = await endedTask(owner, new URL(page.url()).pathname.split('/').at(-1) ?? '')
      const { cliSessionId } = await taskOf(owner, task)
      expect(next).toMatchObject({ prompt: composed, result: 'I have read both comments.', cliSessionId })
      await goTo(page, pageOf(task))
      await file(page, 'new/file.txt').waitFor()
      expect(await page.getByTestId('comment-bar').count()).toBe(0)
    },
  )

  it('are accepted, and discarded by hunk and file in the container, and a discard is undone', async () => {
    await change()
    const page = await visit(owner, pageOf(task), { provoked: [answered(409)] })
    const one = 'src/deep/one.ts'
    const content = (): Promise<string> => sh(owner, agent, `cat app/${one}`)
    await file(page, one)
      .getByRole('button', { name: `Accept hunk 1 of ${one}` })
      .click()
    await file(page, 'new/file.txt').getByRole('button', { name: 'Accept new/file.txt' }).press('Enter')
    await page.getByTestId('changes-accepted').filter({ hasText: '1 accepted' }).waitFor()
    await file(page, one)
      .getByRole('button', { name: `Discard hunk 2 of ${one}` })
      .click()
    await page.getByTestId('discarded').getByText(`Discarded a hunk of ${one}`).waitFor()
    await until('the hunk to be gone', async () => !(await content()).includes('21'))
    expect(await content()).toContain('four = 40')
    await reload(page)
    await page.getByTestId('changes-accepted').filter({ hasText: '2 accepted' }).waitFor()
    await page.getByRole('button', { name: 'Discard gone.txt' }).click()
    await page.getByTestId('discarded').getByText('Discarded gone.txt').waitFor()
    await page.getByRole('button', { name: 'Discard docs/new.md' }).click()
    await page.getByTestId('discarded').getByText('Discarded docs/new.md, and 1 before').waitFor()
    expect(await sh(owner, agent, 'cd app; ls docs; cat gone.txt')).toBe('old.md\ngone\n')
    await page.getByTestId('discard-undo').click()
    await file(page, 'docs/new.md').waitFor()
    expect(await sh(owner, agent, 'cd app; ls docs; cat gone.txt')).toBe('new.md\ngone\n')
    await sh(owner, agent, `echo // >>app/${one}`)
    await page.getByRole('button', { name: `Discard ${one}` }).click()
    await page.getByText('The file has changed since.').first().waitFor()
    expect(await content()).toContain('//')
    await file(page, one).getByText('//', { exact: true }).waitFor()
    expect(await graveOn(page)).toEqual([])
  })

  // Without a page: `e2e/tasks/changes.test.ts`, “a review since the start has the tasks before it”.
  longIt('are those of the last turn or of the whole conversation', async () => {
    await change()
    const then = { agent, prompt: '@more please', resume: task }
    const { id } = await startTask(owner, then)
    await sh(owner, agent, `echo more >app/more.txt; touch ${GATE}`)
    await endedTask(owner, id)
    const page = await visit(owner, pageOf(id))
    await file(page, 'more.txt').waitFor()
    expect(await file(page, 'new/file.txt').count()).toBe(0)
    await page.getByRole('radio', { name: 'Since the start of the conversation' }).click()
    await file(page, 'new/file.txt').waitFor()
    await page.getByRole('button', { name: 'Discard new/file.txt' }).click()
    await file(page, 'new/file.txt').waitFor({ state: 'detached' })
    expect(await sh(owner, agent, 'cd app; ls')).not.toContain('new')
    await goTo(page, pageOf(task))
    await page.getByText('A later task has worked in this folder.').waitFor()
    await file(page, 'new/file.txt').waitFor()
    expect(await page.getByRole('button', { name: /^Discard / }).count()).toBe(0)
  })

  // The walk has them in a narrow window, by turns, and the second test comments.
  longIt('are read and commented on a phone', async () => {
    const page = await visit(owner, pageOf(task), SCREENS.narrow)
    await page.getByTestId('run-changes').getByText('Files', { exact: true }).tap()
    await page.getByRole('treeitem', { name: 'file.txt' }).first().tap()
    await line(page, 'new/file.txt', 'Comment on line 1').tap()
    await line(page, 'new/file.txt', 'Comment on line 2').tap()
    await page.getByTestId('comment-text').fill('Both.')
    await page.getByTestId('comment-save').tap()
    await page.getByTestId('comment-count').tap()
    await page.getByTestId('comment-bar').getByText('new/file.txt:1-2').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
    expect(await page.getByTestId('choice-split').count()).toBe(0)
    expect(await graveOn(page)).toEqual([])
  })
})
