/** The page shows changes of a container, and its leftover processes, without a reload. */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { engineTime, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { docker, processesIn } from '../../support/engine.ts'
import { PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/** How soon the page has to show a change from outside on a busy machine, in milliseconds. */
const WITHIN_MS = 60_000

useBrowser()
const its = useAgent({ runtime: 'bash' })

// The walk has such a process in the list (`overview`).
longIt('what lives on is listed with its origin after the terminal is gone, and can be ended there', async () => {
  const page = await visit(its.owner, its.path)
  const screen = new Screen(page)
  await screen.shell()
  await screen.type('setsid sleep 86377 &\n')
  await until('it to run', async () => (await processesIn(its.container)).includes('sleep 86377'), PATIENCE_MS)
  await page.getByTestId('terminal-disconnect').click()
  await screen.is('disconnected')
  await page.getByTestId('tab-overview').click()
  const row = page.getByTestId('processes').getByRole('listitem').filter({ hasText: 'sleep 86377' })
  await row.getByText(`From ${its.owner.email}'s bash terminal`).waitFor()
  await row.getByRole('button', { name: 'End process' }).click()
  await row.waitFor({ state: 'detached' })
  await until('it to have ended', async () => !(await processesIn(its.container)).includes('sleep 86377'), PATIENCE_MS)
})

describe('a container that is killed from outside', () => {
  it('shows in the list at once, with its reason, and can be started there', async () => {
    const page = await visit(its.owner, '/')
    const row = page.getByTestId(`agent-row-${its.agent.name}`)
    await row.getByText('Running', { exact: true }).waitFor()
    const filters = { container: [its.container], event: ['die'] }
    const events = (await docker.getEvents({ filters, since: engineTime() })) as Readable
    await docker.getContainer(its.container).kill()
    // The limit starts only once the engine has reported the change.
    await once(events, 'data')
    events.destroy()
    await row.locator('[data-state="stopped"], [data-state="failed"]').first().waitFor({ timeout: WITHIN_MS })
    expect(await row.textContent()).toMatch(/killed|signal|137/i)
    await row.getByRole('button', { name: `Start ${its.agent.name}` }).click()
    await row.getByText('Running', { exact: true }).waitFor()
  })

  it('tells the reason to a user in one of its terminals, who can start it from there', async () => {
    const screen = new Screen(await visit(its.owner, its.path))
    await screen.shell()
    await screen.run('echo said before')
    await docker.getContainer(its.container).kill()
    await screen.error.getByRole('button', { name: 'Start the agent' }).waitFor()
    expect(await screen.text()).toContain('said before')
    await screen.error.getByRole('button', { name: 'Start the agent' }).click()
    await screen.is('connected')
    await screen.prompt()
  })
})
