/** The repositories of an agent: each view, with what a user sees in an ordinary one. */
import { readIn } from '../../support/agent/in-agent.ts'
import { goTo } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

/** Made once, for both screens. */
const REPOSITORY = `cd && [ -d moorings-ui ] || {
  git init -qb main moorings-ui && cd moorings-ui && git config user.name 'Noor Haddad' && git config user.email noor.haddad@example.org
  git remote add origin https://github.com/harbour/moorings-ui.git
  mkdir -p src/berths && seq 1 80 | sed 's/.*/export const berth& = &/' >src/berths/list.ts && echo '# Moorings' >README.md
  git add -A && git commit -qm 'Begin with the berths' && git update-ref refs/remotes/origin/main HEAD
  git checkout -qb tides && echo tide >src/tides.ts && git add -A && git commit -qm 'Show the tides' && git checkout -q main
  echo 'A page of moorings.' >>README.md && git commit -qam 'Say what it is' && git merge -q --no-ff -m 'Merge the tides' tides
  git tag v0.1.0 && echo later >>README.md && git stash push -qm 'a text for later' && git branch -q -u origin/main
  sed -i '3s/3$/33/; 70s/70$/700/' src/berths/list.ts && git rm -q src/tides.ts && echo 'export const depth = 4' >src/depth.ts
  echo '*.log' >.git/info/exclude && touch build.log
  printf '#!/bin/sh\\necho "The message names no berth." >&2\\nexit 1\\n' >.git/hooks/commit-msg && chmod +x .git/hooks/commit-msg; }`

export const changes = async (visitor: Visitor, { owner, running, stopped }: FurnishedServer): Promise<void> => {
  const page = await visitor.open(owner, `/agents/${stopped.name}/changes`)
  const tab = page.getByTestId('changes')
  await tab.getByText('The agent is not running').waitFor()
  await visitor.see(page, 'changes-stopped')

  await readIn(running.name, REPOSITORY)
  await goTo(page, `/agents/${running.name}/changes?repository=moorings-ui`)
  const file = tab.getByTestId('unstaged: src/berths/list.ts')
  await file.waitFor()
  await visitor.pass(page, 'changes')
  await file.getByRole('button').first().click()
  await tab.getByTestId('changes-diff').getByText('Added: export const berth70 = 700').waitFor()
  await visitor.see(page, 'changes-diff')
  if (visitor.screen === 'wide') {
    await visitor.choose(page, 'choice-split')
    await visitor.pass(page, 'changes-side-by-side')
    await visitor.choose(page, 'choice-unified')
  } else await visitor.choose(page, 'changes-back')
  await file.getByRole('button', { name: 'Discard' }).click()
  await page.getByTestId('confirm-action').waitFor()
  await visitor.pass(page, 'changes-discard')
  await page.keyboard.press('Escape')
  await visitor.choose(page, 'changes-hooks')
  await page.getByTestId('changes-hooks-on').click()
  await visitor.pass(page, 'changes-hooks')
  await page.keyboard.press('Escape')
  await tab.getByTestId('commit-message').fill('Say how deep it is')
  await visitor.choose(page, 'commit-submit')
  await tab.getByTestId('hooks-output').getByText('names no berth').waitFor()
  await visitor.see(page, 'changes-hooks-refusal')
  await visitor.choose(page, 'hooks-refusal-close')

  await visitor.choose(page, 'choice-history')
  const merge = tab.getByTestId('commit-row').filter({ hasText: 'Merge the tides' })
  await merge.waitFor()
  await visitor.see(page, 'changes-history')
  await merge.click()
  await tab.getByTestId('commit-detail').getByText('src/tides.ts').waitFor()
  await visitor.see(page, 'changes-commit')
  await visitor.choose(page, 'commit-close')
  await visitor.choose(page, 'choice-branches')
  await tab.getByTestId('branch-tides').waitFor()
  await visitor.see(page, 'changes-branches')
  await visitor.choose(page, 'choice-stashes')
  await tab.getByTestId('stash').first().waitFor()
  await visitor.see(page, 'changes-stashes')
}
