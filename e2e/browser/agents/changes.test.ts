/** The repositories of an agent on its page: what a user sees of them and does with them, in a real browser. */
import { longIt } from '@slipway/testing/forms'
import { expect, it } from 'vitest'
import { readIn, runIn } from '../../support/agent/in-agent.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { reachHost, reachRemote, signIn, useGitHub } from '../../support/tasks/github.ts'
import { agentWithModel } from '../../support/tasks/model.ts'
import { useAgent } from '../../support/use-agent.ts'

const REPOSITORY = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir -p work/app && cd work/app && git init -qb main && seq 1 60 >lines && echo code >main.ts && git add -A && git commit -qm start
  git checkout -qb side && git commit -q --allow-empty -m 'on the side' && git checkout -q main && git commit -q --allow-empty -m 'on main'
  git merge -q --no-ff -m merged side && echo aside >>main.ts && git stash push -qm 'put aside'
  sed -i '1s/.*/first/; 60s/.*/last/' lines && echo 'const x: number = 1' >new.ts && echo '*.log' >.git/info/exclude && touch x.log`

useBrowser()
const its = useAgent({ runtime: 'bash' })
const inRepository = async (script: string): Promise<string> =>
  (await readIn(its.agent.name, `cd work/app && ${script}`)).trim()

it('a user stages a hunk, commits it, discards the rest and takes that back', async () => {
  const page = await visit(its.owner, `${its.path}/changes`)
  const changes = page.getByTestId('changes')
  await changes.getByText('No repository yet').waitFor()
  expect(await graveOn(page)).toEqual([])
  await runIn(its.agent.name, REPOSITORY)
  await changes.getByRole('button', { name: 'Look again' }).click()

  await changes.getByTestId('changes-branch').getByText('main', { exact: true }).waitFor()
  const row = (group: string, name: string) => changes.getByTestId(`${group}: ${name}`)
  await row('unstaged', 'lines').waitFor()
  await row('untracked', 'new.ts').waitFor()
  const diff = changes.getByTestId('changes-diff')
  await diff.getByText('Added: first').waitFor()
  expect(await graveOn(page)).toEqual([])

  // One of the two hunks, and then by keyboard the new file.
  await diff.getByRole('button', { name: 'Stage hunk 1 of lines' }).click()
  await row('staged', 'lines').waitFor()
  expect(await inRepository('git diff --cached -U0 | tail -n +6')).toBe('-1\n+first')
  await row('untracked', 'new.ts').getByRole('button').first().click()
  await diff.getByText('const').waitFor()
  await page.keyboard.press('s')
  await row('staged', 'new.ts').waitFor()
  await changes.getByTestId('commit-message').fill('Begin with a word\n\nAnd a file.')
  // What was typed is there again after a look at another view.
  await changes.getByTestId('choice-history').click()
  await changes.getByTestId('commit-message').waitFor({ state: 'detached' })
  await changes.getByTestId('choice-changes').click()
  expect(await changes.getByTestId('commit-message').inputValue()).toBe('Begin with a word\n\nAnd a file.')
  await changes.getByTestId('commit-message').press('Control+Enter')
  await row('staged', 'lines').waitFor({ state: 'detached' })
  expect(await inRepository('git log -1 --format=%B --name-only')).toBe(
    'Begin with a word\n\nAnd a file.\n\nlines\nnew.ts',
  )

  await changes.getByTestId('commit-amend').click()
  await expect.poll(() => changes.getByTestId('commit-message').inputValue()).toContain('And a file.')
  await changes.getByTestId('commit-message').fill('Begin with a word\n\nAnd a new file.')
  await changes.getByTestId('commit-message').press('Control+Enter')
  await expect.poll(() => inRepository('git log -1 --format=%b')).toBe('And a new file.')

  await row('unstaged', 'lines').getByRole('button', { name: 'Discard lines' }).click()
  await page.getByTestId('confirm-action').click()
  await changes.getByText('Nothing has changed').waitFor()
  expect(await inRepository('tail -n 1 lines')).toBe('60')
  await changes.getByTestId('changes-undo').click()
  await row('unstaged', 'lines').waitFor()
  expect(await inRepository('tail -n 1 lines')).toBe('last')
  await changes.getByTestId('changes-ignored').click()
  await row('ignored', 'x.log').waitFor()
})

// The walk has these views (`changes-branches`, `changes-history`, `changes-stashes`), and the tests of
// `backend/src/modules/git/writer` what is done there.
longIt('a user makes and switches branches, and looks at history and stashes', async () => {
  const page = await visit(its.owner, `${its.path}/changes`)
  const changes = page.getByTestId('changes')
  await changes.getByTestId('choice-branches').click()
  await changes.getByTestId('branch-name').fill('topic')
  await changes.getByTestId('branch-create').click()
  await changes.getByTestId('branch-topic').getByText('checked out').waitFor()
  expect(await graveOn(page)).toEqual([])
  await changes.getByRole('button', { name: 'Switch to main' }).click()
  await changes.getByTestId('branch-main').getByText('checked out').waitFor()
  expect(await inRepository('git branch --show-current; tail -n 1 lines')).toBe('main\nlast')

  await changes.getByTestId('choice-history').click()
  await expect.poll(() => changes.getByTestId('history-count').textContent()).toContain('5 commits')
  await changes.getByTestId('commit-row').filter({ hasText: 'Begin with a word' }).click()
  await changes.getByTestId('commit-detail').getByText('new.ts').waitFor()
  expect(await graveOn(page)).toEqual([])

  await changes.getByTestId('choice-stashes').click()
  await changes.getByTestId('stash').getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => inRepository('tail -n 1 main.ts')).toBe('aside')
  await changes.getByTestId('stash').getByRole('button', { name: 'Drop' }).click()
  await page.getByTestId('confirm-action').click()
  await changes.getByText('No stashes').waitFor()
  await changes.getByTestId('changes-undo').click()
  await changes.getByTestId('stash').getByText('put aside').waitFor()
  await changes.getByTestId('stash-message').fill('for later')
  await changes.getByTestId('stash-create').click()
  const made = changes.getByTestId('stash').filter({ hasText: 'for later' })
  await made.waitFor()
  expect(await inRepository('tail -n 1 lines; git status --porcelain')).toBe('60')
  await made.getByRole('button', { name: 'Pop' }).click()
  await made.waitFor({ state: 'detached' })
  expect(await inRepository('tail -n 1 lines')).toBe('last')
})

// The walk has these views in a narrow window, by turns.
longIt('on a phone the diff takes the place of the list, and nothing is wider than the screen', async () => {
  const page = await visit(its.owner, `${its.path}/changes`)
  await page.setViewportSize({ width: 390, height: 844 })
  const changes = page.getByTestId('changes')
  const overflow = (element: Element): number => element.scrollWidth - element.clientWidth
  const row = changes.getByTestId('unstaged: lines')
  await row.getByRole('button').first().click()
  await changes.getByTestId('changes-diff').getByText('Added: last').waitFor()
  expect(await page.locator('body').evaluate(overflow)).toBe(0)
  await changes.getByTestId('changes-back').click()
  await row.waitFor()
  await changes.getByTestId('choice-history').click()
  await changes.getByTestId('commit-row').first().click()
  await changes.getByTestId('commit-detail').waitFor()
  expect(await page.locator('body').evaluate(overflow)).toBe(0)
  expect(await graveOn(page)).toEqual([])
})

it('a branch is fetched, pulled and pushed, and the page says how it stands to the remote', async () => {
  await runIn(
    its.agent.name,
    `git clone -q --bare work/app remote.git && git clone -q remote.git mine && cd mine && git commit -q --allow-empty -m mine
     cd .. && git clone -q remote.git theirs`,
  )
  const page = await visit(its.owner, `${its.path}/changes?repository=mine`)
  const changes = page.getByTestId('changes')
  await changes.getByTestId('remote-push').getByText('Push 1').click()
  await changes.getByTestId('remote-push').waitFor({ state: 'detached' })
  expect((await readIn(its.agent.name, 'git --git-dir=remote.git log -1 --format=%s main')).trim()).toBe('mine')
  await runIn(
    its.agent.name,
    'cd theirs && git checkout -q main && git pull -q && git commit -q --allow-empty -m more && git push -q origin main',
  )
  await changes.getByTestId('remote-fetch').click()
  await changes.getByTestId('remote-pull').getByText('Pull 1').click()
  await changes.getByTestId('remote-pull').waitFor({ state: 'detached' })
  expect((await readIn(its.agent.name, 'git -C mine log -1 --format=%s')).trim()).toBe('more')
})

// `arrival/newcomer.test.ts` opens a pull request of a task, and
// `frontend/src/composables/changes/useMessageTask.test.ts` has the message.
longIt(
  'the agent’s CLI writes the message of a commit, and gh opens the pull request, once it is signed in',
  async () => {
    const { name } = await agentWithModel(its.owner, { '@message': [{ say: '```\nCount to two\n```' }] })
    await useGitHub(its.owner, name)
    await runIn(name, "cd repo && git checkout -qb topic && echo 'two @message' >code && git add code")
    // Without a token the host is not asked.
    const provoked = [answered(409)]
    const page = await visit(its.owner, `/agents/${name}/changes?repository=repo`, { provoked })
    const changes = page.getByTestId('changes')
    const message = changes.getByTestId('commit-message')
    await message.fill('Mine')
    await changes.getByTestId('write-message-do').click()
    await expect.poll(() => message.inputValue()).toBe('Count to two')
    expect(await graveOn(page)).toEqual([])
    await changes.getByTestId('write-message-undo').click()
    await expect.poll(() => message.inputValue()).toBe('Mine')
    await message.fill('Count to two')
    await message.press('Control+Enter')
    await changes.getByText('Nothing has changed').waitFor()

    await reachRemote(its.owner, name)
    await reachHost(its.owner, name)
    await changes.getByTestId('remote-push').getByText('Publish branch').click()
    await changes.getByTestId('remote-propose').click()
    const dialog = page.getByTestId('pull-dialog')
    const open = async (): Promise<void> => {
      await dialog.getByTestId('publish-pull-do').click()
      await page.getByTestId('confirm-action').click()
    }
    await expect.poll(() => dialog.getByTestId('publish-title').inputValue()).toBe('Count to two')
    await dialog.getByTestId('publish-text').fill('One was not enough.')
    expect(await graveOn(page)).toEqual([])
    await open()
    await dialog.getByTestId('publish-sign-in').waitFor()

    await signIn(its.owner, name, 'ghp_of-the-tests-0123456789abcdef')
    await open()
    await dialog.getByTestId('publish-pull').getByText('#1 Count to two').waitFor()
    expect(await readIn(name, 'cat host.log')).toContain('One was not enough.')
    await page.reload()
    const known = changes.getByTestId('remote-pull-known')
    await known.getByText('#1').waitFor()
    expect(await known.getAttribute('href')).toContain('/harbour/api/pull/1')
  },
)

it('hooks of a repository run once a user turns them on, and the page shows what a hook prints as it refuses', async () => {
  await runIn(
    its.agent.name,
    `git init -qb main hooked && cd hooked && git config user.name Tester && git config user.email tester@example.org
     echo 1 >a && git add a && git commit -qm one && echo 2 >>a
     printf '#!/bin/sh\\ngrep -q SHIP "$1" || { echo "<b>no ticket</b>"; exit 1; }\\n' >.git/hooks/commit-msg && chmod +x .git/hooks/commit-msg`,
  )
  const page = await visit(its.owner, `${its.path}/changes?repository=hooked`, { provoked: [answered(409)] })
  const changes = page.getByTestId('changes')
  await changes.getByTestId('changes-hooks').click()
  await page.getByTestId('changes-hooks-on').click()
  expect(await graveOn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await changes.getByTestId('unstaged: a').getByRole('button', { name: 'Stage a' }).click()
  await changes.getByTestId('staged: a').waitFor()
  const message = changes.getByTestId('commit-message')
  await message.fill('Two')
  await message.press('Control+Enter')
  await changes.getByTestId('hooks-output').getByText('<b>no ticket</b>').waitFor()
  expect(await message.inputValue()).toBe('Two')
  expect(await graveOn(page)).toEqual([])

  await page.reload()
  await changes.getByTestId('changes-hooks').getByText('Hooks on').waitFor()
  await message.fill('SHIP-1: two')
  await message.press('Control+Enter')
  await changes.getByText('Nothing has changed').waitFor()
  expect((await readIn(its.agent.name, 'git -C hooked log -1 --format=%s')).trim()).toBe('SHIP-1: two')
})
