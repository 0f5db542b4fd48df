/** The worktrees of an agent: none, and one in each state. */
import type { Agent, Worktree, WorktreeState } from '@slipway/protocol'
import { intercept } from '../../support/network/intercept.ts'
import { reload } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const STATES: readonly WorktreeState[] = ['in_use', 'kept', 'conflicted', 'clean', 'broken']
const HOUR_MS = 3_600_000
/** What the server answers to a merge. */
const CONFLICTS = { branch: 'refs/heads/main', commit: null, conflicts: ['src/tide/table.ts', 'docs/harbour.md'] }
const NAMES = ['harbour', 'harbour', 'moorings-of-the-northern-basin-and-its-cranes', 'harbour', 'gone']

/** As a busy agent has them. */
const listed = ({ owner }: Agent): Worktree[] =>
  STATES.map((state, index) => ({
    id: crypto.randomUUID(),
    state,
    path: `/home/developer/.slipway/worktrees/${NAMES[index]!}-0a1b2c3d4e5${index}`,
    repository: `/home/developer/${NAMES[index]!}`,
    branch: index === 3 ? null : 'refs/heads/main',
    base: 'a'.repeat(40),
    head: 'b'.repeat(40),
    sizeBytes: state === 'broken' ? null : 1_048_576 * (index + 1) ** 4,
    sessionId: crypto.randomUUID(),
    conversationId: index === 1 ? crypto.randomUUID() : null,
    userId: index === 2 ? null : (owner?.id ?? null),
    createdAt: new Date(Date.now() - index * 26 * HOUR_MS).toISOString(),
    usedAt: new Date(Date.now() - index * 25 * HOUR_MS).toISOString(),
  }))

export const worktrees = async (visitor: Visitor, { owner, running }: FurnishedServer): Promise<void> => {
  const page = await visitor.open(owner, `/agents/${running.name}/worktrees`)
  await page.getByText('No worktrees').waitFor()
  await page.getByTestId('worktree-settings').waitFor()
  await visitor.see(page, 'worktrees-empty')
  const agent = await owner.ok<Agent>('GET', `/agents/${running.name}`)
  // The page reads them again, and a menu belongs to one of them.
  const all = listed(agent)
  await intercept(page, '*/api/agents/*/worktrees', (request) => request.fulfill({ json: all }))
  await intercept(page, '*/take-back', (request) => request.fulfill({ json: CONFLICTS }))
  await reload(page)
  await page.getByTestId('worktree-state').first().waitFor()
  await visitor.see(page, 'worktrees')
  await page.getByTestId('worktree-actions').nth(1).click()
  await page.getByRole('menuitem', { name: 'Merge into main' }).waitFor()
  await visitor.see(page, 'worktrees-menu')
  await page.getByRole('menuitem', { name: 'Merge into main' }).click()
  await page.getByTestId('worktree-conflicts').waitFor()
  await visitor.see(page, 'worktrees-conflicts')
  await page.getByTestId('worktree-actions').nth(1).click()
  await page.getByRole('menuitem', { name: 'Cherry-pick commits' }).click()
  await page.getByTestId('cherry-pick').waitFor()
  await visitor.see(page, 'worktrees-cherry-pick')
  await page.keyboard.press('Escape')
}
