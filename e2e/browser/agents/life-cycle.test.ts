/** What a user does to a whole agent: delete it, restart it with new settings, recreate its container. */
import type { Agent } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin, uniqueName } from '../../support/api.ts'
import { docker } from '../../support/engine.ts'
import { answered, goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

useBrowser()
let owner: Client
let admin: Client
const made = new Set<string>()

beforeAll(async () => {
  const first = await signInAdmin()
  ;[owner, admin] = await Promise.all([newUser(first), newUser(first, 'admin')])
})
afterAll(async () => {
  for (const name of made) await owner.call('DELETE', `/agents/${name}`)
})

const newAgent = async (): Promise<Agent> => {
  const agent = await owner.agent({ runtime: 'bash', memoryMb: 512 })
  made.add(agent.name)
  return agent
}
const containerOf = (name: string): string => `${inject('namespace')}-agent-${name}`
const volumeIsThere = async (name: string): Promise<boolean> => {
  const { Volumes } = await docker.listVolumes()
  return Volumes.some((volume) => volume.Name === `${containerOf(name)}-home`)
}

describe('deleting an agent', () => {
  // The next test types the name, and the walk has the dialog without it and with it (`delete-agent`).
  longIt('asks for its name, and does nothing when it is cancelled', async () => {
    const agent = await newAgent()
    const page = await visit(owner, `/agents/${agent.name}/settings`)
    // This section is above, and moves the rest of the page when it loads.
    await page.getByTestId('in-force').waitFor()
    await page.getByTestId('delete-agent').click()
    const dialog = page.getByRole('dialog', { name: `Delete ${agent.name}?` })
    const confirm = dialog.getByTestId('confirm-action')
    await dialog.getByText('You cannot undo this.').waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    for (const wrong of ['', agent.name.slice(0, -1), agent.name.toUpperCase(), `${agent.name}x`]) {
      await dialog.getByTestId('confirm-typed').fill(wrong)
      expect(await confirm.isDisabled(), wrong).toBe(true)
    }
    // Enter must not confirm either.
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByTestId('delete-agent').click()
    await dialog.waitFor()
    expect(await dialog.getByTestId('confirm-typed').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe(`/agents/${agent.name}/settings`)
    expect(await owner.ok<Agent>('GET', `/agents/${agent.name}`)).toMatchObject({ id: agent.id, state: 'running' })
  })

  it('takes container, home and page away, and every other page that shows it hears so', async () => {
    const agent = await newAgent()
    const page = await visit(owner, `/agents/${agent.name}/settings`)
    const list = await page.context().newPage()
    await goTo(list, '/')
    await list.getByTestId(`agent-row-${agent.name}`).waitFor()
    const looking = await visit(owner, `/agents/${agent.name}`, { provoked: [answered(404)] })
    const screen = new Screen(looking)
    await screen.is('connected')

    await page.getByTestId('delete-agent').click()
    expect(await page.getByTestId('confirm-action').isDisabled()).toBe(true)
    await page.getByTestId('confirm-typed').fill(agent.name)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === '/')
    await list.getByTestId(`agent-row-${agent.name}`).waitFor({ state: 'detached' })
    await list.getByTestId(`rail-agent-${agent.name}`).waitFor({ state: 'detached' })
    await looking.getByTestId('not-found').getByText('was deleted').waitFor()
    expect((await owner.call('GET', `/agents/${agent.name}`)).status).toBe(404)
    expect(await volumeIsThere(agent.name)).toBe(false)
    // The name is free again.
    expect((await owner.agent({ name: agent.name, runtime: 'bash', memoryMb: 512 })).id).not.toBe(agent.id)
  })
})

describe('changed settings', () => {
  it('are saved, announced as due while it runs, and applied by the restart that the page offers', async () => {
    const agent = await newAgent()
    // The server refuses requests for a container while it stops, and the browser logs that.
    const page = await visit(owner, `/agents/${agent.name}/settings`, { provoked: [answered(409), answered(503)] })
    const banner = page.getByTestId('restart-banner')
    await page.getByTestId('settings-form').waitFor()
    expect(await banner.count()).toBe(0)
    await page.getByLabel('Memory').click()
    await page.getByRole('option', { name: '1 GiB' }).click()
    await page.getByTestId('settings-save').click()
    await banner.getByText('Restart the agent to apply your changes.').waitFor()
    const limit = async (): Promise<number> =>
      (await docker.getContainer(containerOf(agent.name)).inspect()).HostConfig.Memory ?? 0
    expect(await limit()).toBe(512 * 2 ** 20)
    // The banner is on every page of the agent, because it concerns all of them.
    await page.getByTestId('tab-overview').click()
    await banner.getByRole('button', { name: 'Restart' }).click()
    await banner.waitFor({ state: 'detached' })
    await page.locator('header [data-testid="agent-state"][data-state="running"]').waitFor()
    expect(await limit()).toBe(1024 * 2 ** 20)
    expect(await owner.ok<Agent>('GET', `/agents/${agent.name}`)).toMatchObject({ restartNeeded: false })
  })

  // The test before restarts, and the walk has such a question where a terminal changes its program
  // (`terminal-switch`).
  longIt('ask before a restart that would end a terminal', async () => {
    const agent = await newAgent()
    const page = await visit(owner, `/agents/${agent.name}`)
    const screen = new Screen(page)
    await screen.is('connected')
    await owner.ok('PATCH', `/agents/${agent.name}`, { memoryMb: 1024 })
    const banner = page.getByTestId('restart-banner')
    await banner.getByRole('button', { name: 'Restart' }).click()
    const dialog = page.getByRole('dialog', { name: `Restart ${agent.name}?` })
    await dialog.getByText(/^This ends (your|an) open terminal/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await screen.is('connected')
    await banner.getByRole('button', { name: 'Restart' }).click()
    await page.getByTestId('confirm-action').click()
    await banner.waitFor({ state: 'detached' })
    // The terminal connects again by itself.
    await screen.is('connected')
  })
})

// Without a page: `backend/src/modules/agents/system/system-agent.test.ts`.
longIt(
  'recreating the system agent asks, then makes a new container around the home, whose files are kept',
  async () => {
    const page = await visit(admin, '/system-agent')
    const screen = new Screen(page)
    const kept = uniqueName()
    await screen.bash()
    await screen.run(`touch ~/${kept} /tmp/${kept}`)
    const before = await docker.getContainer(containerOf('system')).inspect()
    await page.getByTestId('agent-menu').click()
    await page.getByRole('menuitem', { name: 'Recreate' }).click()
    const dialog = page.getByRole('dialog', { name: 'Recreate system?' })
    await dialog.getByText('keeps the home folder').waitFor()
    await dialog.getByTestId('confirm-action').click()
    await screen.is('disconnected')
    await page.locator('header [data-testid="agent-state"][data-state="running"]').waitFor()
    await screen.is('connected')
    await screen.prompt()
    await screen.hasKeys()
    expect(await screen.run(`ls ~/${kept}; ls /tmp/${kept}`)).toMatch(
      new RegExp(`^/home/developer/${kept}\\n.*No such file`),
    )
    expect((await docker.getContainer(containerOf('system')).inspect()).Id).not.toBe(before.Id)
    await screen.run(`rm ~/${kept}`)
  },
)
