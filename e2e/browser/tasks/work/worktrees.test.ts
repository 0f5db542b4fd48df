/** The worktrees of an agent in a page: the real Claude Code works in one, and its commits are taken back. */
// In the short form e2e/tasks/worktrees has the acts, and accessible.test.ts the page.
import '@slipway/testing/long'
import type { CodingSession, Worktree } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../../support/pages.ts'
import { Screen } from '../../../support/screen.ts'
import { endedTask } from '../../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../../support/tasks/model.ts'
import { quicken } from '../../../support/tasks/stub.ts'

vi.setConfig({ testTimeout: 240_000 })

const SESSIONS = '/coding-agents/sessions'
/** Longest time in which the server asks every CLI for its version, on a busy machine. */
const LOOK_MS = 150_000
const REPOSITORY = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir app && cd app && git init -qb main && echo first >code && git add -A && git commit -qm start`
const COMMAND = { command: 'echo theirs >code && git commit -qam theirs', description: 'Work' }

useBrowser()
let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, { '@work': [{ tool: 'Bash', input: COMMAND }, { say: 'Done.' }] })).name
  await quicken(owner, agent)
  await sh(owner, agent, REPOSITORY)
})

const trees = (): Promise<Worktree[]> => owner.ok('GET', `/agents/${agent}/worktrees`)
const settled = (): Promise<Worktree> =>
  until('the worktree to be kept', async () => {
    const [tree] = await trees()
    return tree?.state === 'kept' && tree
  })

it('a form gives a task a worktree, whose commits come back from the list, and whose removal says where its work is', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`, { provoked: [answered(409)] })
  await page.getByTestId('agent-new-task').click()
  await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached', timeout: LOOK_MS })
  await page.getByTestId('task-prompt').fill('- @work in it')
  await page.getByTestId('task-more').click()
  const field = page.getByTestId('task-worktree')
  await field
    .locator('label')
    .filter({ hasText: /^\s*Always/ })
    .click()
  await page.getByTestId('task-start').click()
  // The home is no repository.
  await page.getByTestId('task-worktree-error').getByText('is in no git work tree').waitFor()
  expect(await graveOn(page)).toEqual([])
  await page.getByTestId('task-folder').fill('~/app')
  await page.getByTestId('task-start').click()
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  const badge = page.getByTestId('run-worktree')
  await badge.getByText('in a worktree of main').waitFor()
  const [task] = await owner.ok<CodingSession[]>('GET', SESSIONS)
  expect(await endedTask(owner, task!.id)).toMatchObject({ reason: 'completed' })
  const tree = await settled()
  await sh(owner, agent, 'cd app && echo ours >code && git commit -qam ours')

  await badge.click()
  const list = page.getByTestId('worktrees')
  await list.getByTestId('worktree-state').getByText('Has work').waitFor()
  await list.getByText('by you').waitFor()
  expect(await graveOn(page)).toEqual([])

  await list.getByTestId('worktree-terminal').click()
  const screen = new Screen(page)
  await screen.shell()
  expect(await screen.run('pwd')).toBe(tree.path)
  await screen.type('exit\n')
  await screen.is('disconnected')
  await page.getByTestId('tab-worktrees').click()
  await list.getByTestId('worktree-state').getByText('Has work').waitFor()

  // Its text is also announced to screen readers, for a moment.
  const toast = (text: string) => page.locator('li').filter({ hasText: text }).first()
  const act = async (name: string): Promise<void> => {
    await list.getByTestId('worktree-actions').press('Enter')
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Files')
  await page.locator(`[role="treeitem"][data-path="${tree.path}/code"]`).waitFor()
  await page.getByTestId('tab-worktrees').click()
  await list.getByTestId('worktree-state').getByText('Has work').waitFor()
  await act('Changes and pull request')
  await page.getByTestId('changes-status').getByText('Nothing has changed').waitFor()
  await page.getByTestId('tab-worktrees').click()
  await list.getByTestId('worktree-state').getByText('Has work').waitFor()
  await act('Merge into main')
  const conflicts = list.getByTestId('worktree-conflicts')
  await conflicts.getByText('code', { exact: true }).waitFor()
  expect(await graveOn(page)).toEqual([])
  expect(await sh(owner, agent, 'cat app/code')).toBe('ours\n')

  await sh(owner, agent, 'cd app && git reset -q --hard HEAD~1')
  await act('Rebase onto main')
  await toast('main has the commits').waitFor()
  await conflicts.waitFor({ state: 'detached' })
  expect(await sh(owner, agent, 'cat app/code')).toBe('theirs\n')

  await sh(owner, agent, `echo unsaved >${tree.path}/note`)
  await page.setViewportSize({ width: 390, height: 844 })
  const overflow = (element: Element): number => element.scrollWidth - element.clientWidth
  expect(await page.locator('body').evaluate(overflow)).toBe(0)
  await act('Remove')
  await page.getByTestId('confirm-action').click()
  await list.getByText('No worktrees').waitFor()
  const told = await toast('This brings it back:').textContent()
  const [command = ''] = /git -C .* refs\/slipway\/salvage\/[\w-]+\/[0-9a-f]{12}/.exec(told ?? '') ?? []
  await sh(owner, agent, command)
  expect(await sh(owner, agent, `cat ${tree.path}/note`)).toBe('unsaved\n')
  expect(await trees()).toEqual([])
})
