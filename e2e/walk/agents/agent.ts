/** The other pages of an agent. */
import type { Page } from 'playwright'
import type { Agent, CreatedPortLink } from '@slipway/protocol'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const GIB = 1024 ** 3

export const agentPages = async (
  visitor: Visitor,
  { owner, running, stopped, failed }: FurnishedServer,
): Promise<void> => {
  const page = await visitor.open(owner, `/agents/${running.name}/overview`)
  await drawn(page)
  await page.getByTestId('processes').getByRole('listitem').or(page.getByTestId('processes-none')).first().waitFor()
  await visitor.see(page, 'overview')
  await visitor.further(page, 'processes', 'overview-end')
  await visitor.choose(page, 'usage-as-table')
  await page.getByTestId('usage-table').waitFor()
  await visitor.pass(page, 'overview-table')

  await ssh(visitor, page)
  await files(visitor, page)
  await visitor.choose(page, 'tab-logs')
  await page.locator('.log-line').filter({ hasText: 'GET /moorings/14' }).waitFor()
  await visitor.see(page, 'logs')
  await page.getByTestId('log-search').fill('moorings')
  await page.getByTestId('log-count').waitFor()
  await visitor.see(page, 'logs-search')
  await page.getByTestId('log-search').fill('')
  await visitor.choose(page, 'log-wrap')
  await visitor.pass(page, 'logs-long-lines')
  await visitor.choose(page, 'log-wrap')

  await visitor.choose(page, 'tab-sharing')
  await page.getByTestId('sharing').getByRole('listitem').first().waitFor()
  await page.getByTestId('share-form').getByRole('textbox').fill('stranger@example.org')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByText('No user has the address stranger@example.org').waitFor()
  await visitor.see(page, 'sharing-refused')

  await visitor.choose(page, 'tab-settings')
  await page.getByTestId('settings-form').waitFor()
  await page.getByTestId('credentials').waitFor()
  await page.getByTestId('in-force').waitFor()
  await page.getByTestId('variable-TZ').waitFor()
  await visitor.see(page, 'settings')
  await visitor.further(page, 'variables', 'settings-variables')
  await visitor.choose(page, 'add-credential')
  await page.getByTestId('credential-form').scrollIntoViewIfNeeded()
  await visitor.see(page, 'settings-credential')
  await visitor.choose(page, 'add-variable')
  await page.getByTestId('variable-name').fill('PATH')
  await page.getByTestId('variable-value').fill('a value with space after it ')
  await page.getByText('The platform sets PATH.').waitFor()
  await page.getByTestId('variable-form').scrollIntoViewIfNeeded()
  await visitor.see(page, 'settings-variable')
  await visitor.further(page, 'delete-agent', 'settings-end')
  await visitor.choose(page, 'delete-agent')
  await page.getByTestId('confirm-typed').waitFor()
  await visitor.see(page, 'delete-agent')
  await page.getByTestId('confirm-typed').fill(running.name)
  await visitor.see(page, 'delete-agent-typed')
  await page.keyboard.press('Escape')

  await goTo(page, `/agents/${stopped.name}/overview`)
  await drawn(page)
  await visitor.pass(page, 'stopped-overview')
  await goTo(page, `/agents/${stopped.name}/logs`)
  await page.locator('.log-line').first().waitFor()
  await visitor.see(page, 'stopped-logs')
  const link = await owner.ok<CreatedPortLink>('POST', `/agents/${stopped.name}/ports/5173/links`, {})
  await goTo(page, `/agents/${stopped.name}/ports`)
  await page.getByTestId('port-link').waitFor()
  await visitor.see(page, 'stopped-ports')
  await owner.ok('DELETE', `/agents/${stopped.name}/port-links/${link.id}`)
  await goTo(page, `/agents/${failed.name}/logs`)
  await page.locator('.log-line').first().waitFor()
  await visitor.see(page, 'failed-logs')
}

/** How to reach the agent, as the page of a server shows it that has SSH. */
const ssh = async (visitor: Visitor, page: Page): Promise<void> => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINTBirdxdUZasPvhTCt+ZYE76nJ36PnVqTqW5ahRrQec'
  const address = {
    host: 'slipway.example.org',
    port: 4722,
    fingerprint: 'SHA256:H50laaHn+MPIlXNrv69RwONAUnb9dBCMatRaLIpWW6Q',
    knownHosts: `[slipway.example.org]:4722 ${key}`,
  }
  const interception = await intercept(page, ['*/api/ssh'], (request) => request.fulfill({ json: { address } }))
  await reload(page)
  await visitor.choose(page, 'connect-by-ssh')
  await page.getByTestId('ssh-dialog').waitFor()
  await visitor.see(page, 'ssh')
  await page.keyboard.press('Escape')
  await page.getByTestId('ssh-dialog').waitFor({ state: 'detached' })
  await interception.stop()
}

/** The home of the agent: the tree, a file, its editor, and both ways to find one. */
const files = async (visitor: Visitor, page: Page): Promise<void> => {
  await visitor.choose(page, 'tab-files')
  const file = page.locator('[role="treeitem"][data-path="/home/developer/.bashrc"]')
  await file.waitFor()
  await visitor.see(page, 'files')
  await visitor.choose(page, 'files-menu')
  await page.getByRole('menuitem', { name: 'New file' }).click()
  await page.getByTestId('path-form').waitFor()
  await visitor.pass(page, 'files-new')
  await page.keyboard.press('Escape')
  await page.getByTestId('path-form').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+p')
  await page.getByTestId('quick-open').fill('bashrc')
  await page.locator('[data-file=".bashrc"]').waitFor()
  await visitor.see(page, 'files-find')
  await page.keyboard.press('Escape')
  await page.getByTestId('quick-open').waitFor({ state: 'detached' })
  await visitor.choose(page, 'files-search')
  await page.getByTestId('search-field').fill('HISTCONTROL')
  await page.keyboard.press('Enter')
  await page.getByTestId('search-hits').getByRole('button').first().waitFor()
  await visitor.see(page, 'files-search')
  await page.getByTestId('search-hits').getByRole('button').first().click()
  await page.getByTestId('file-text').waitFor()
  await visitor.see(page, 'files-file')
  await visitor.choose(page, 'file-edit')
  await page.locator('.cm-content').waitFor()
  await visitor.see(page, 'files-editor')
  await visitor.choose(page, 'file-done')
}

/** Faults of the engine, the disk and the network, reported to the page without a real fault. */
export const troubles = async (visitor: Visitor, { owner, running }: FurnishedServer): Promise<void> => {
  const page = await visitor.open(owner, '/')
  let change: Partial<Agent> = {}
  await page.routeWebSocket(/\/events$/, (socket) => socket.close())
  const agents = ['*/api/agents', `*/api/agents/${running.name}`].flatMap((path) => [path, String.raw`${path}\?*`])
  await intercept(page, agents, async (request) => {
    const answer = await request.answer()
    const json = JSON.parse(answer.body) as Agent | { items: Agent[] }
    for (const agent of 'items' in json ? json.items : [json])
      if (agent.name === running.name) Object.assign(agent, change)
    await request.fulfill({ ...answer, json })
  })
  const told = async (next: Partial<Agent>, path: string): Promise<void> => {
    change = next
    await goTo(page, path)
  }
  const path = `/agents/${running.name}`
  await told({ state: 'starting', stateSince: new Date(Date.now() - 4_000).toISOString() }, path)
  await page.getByTestId('terminal-placeholder').waitFor()
  await visitor.see(page, 'terminal-starting')
  const measuredAt = new Date().toISOString()
  await told({ disk: { usedBytes: 8.6 * GIB, limitBytes: 10 * GIB, isLow: true, measuredAt } }, `${path}/overview`)
  await page.getByTestId('disk-banner').waitFor()
  await drawn(page)
  await visitor.see(page, 'disk-banner')
  const message = 'The container engine does not answer. The state is shown again as soon as it does.'
  await told({ state: 'failed', reason: { code: 'engine_unavailable', message } }, path)
  await page.getByTestId('agent-reason').waitFor()
  await visitor.see(page, 'engine-gone')
  if (visitor.screen === 'narrow') await page.getByTestId('rail-toggle').tap()
  await page.getByText('Not connected to the server').filter({ visible: true }).waitFor()
  await visitor.see(page, 'server-gone')
}

const drawn = (page: Page): Promise<void> => page.getByTestId('chart-disk').locator('canvas').waitFor()
