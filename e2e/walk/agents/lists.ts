/** The list of agents: empty, full, searched, loading, failed. Also the form of a new agent. */
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const AGENTS = String.raw`*/api/agents\?*`

export const lists = async (visitor: Visitor, { owner, newcomer, running }: FurnishedServer): Promise<void> => {
  const first = await visitor.open(newcomer, '/agents')
  await first.getByTestId('agent-form-name').waitFor()
  await visitor.see(first, 'agents-empty')

  const page = await visitor.open(owner, '/agents')
  await page.getByTestId(`agent-row-${running.name}`).waitFor()
  await visitor.see(page, 'agents')
  const search = page.getByRole('searchbox', { name: 'Search agents' })
  await search.fill('codex')
  await visitor.pass(page, 'agents-search')
  await search.fill('lighthouse')
  await page.getByText('Nothing matches').waitFor()
  await visitor.pass(page, 'agents-search-in-vain')
  await search.fill('')

  await page.getByTestId('new-agent').click()
  await page.getByTestId('agent-form-name').fill(running.name)
  await visitor.see(page, 'new-agent')
  await page.getByTestId('agent-form-more').click()
  await page.getByTestId('settings-model').waitFor()
  await page.getByTestId('agent-form-submit').click()
  await page.getByText('An agent with this name exists').waitFor()
  await visitor.see(page, 'new-agent-refused')

  const held = await intercept(page, AGENTS, () => undefined)
  await reload(page)
  await page.getByLabel('Loading agents').first().waitFor({ state: 'attached' })
  await visitor.see(page, 'agents-loading')
  await held.stop()
  await intercept(page, AGENTS, (request) => request.fulfill({ status: 503, body: '<html>' }))
  await reload(page)
  await page.getByRole('button', { name: 'Try again' }).last().waitFor()
  await visitor.see(page, 'agents-error')
  await goTo(page, '/nowhere')
  await page.getByTestId('not-found').waitFor()
  await visitor.see(page, 'not-found')
}
