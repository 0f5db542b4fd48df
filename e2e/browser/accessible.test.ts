/** axe over every page and its main states, dark and light: nothing serious, nothing critical. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Agent } from '@slipway/protocol'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { answered, newContext, signInAt, useBrowser } from '../support/pages.ts'
import { Screen } from '../support/screen.ts'

const GRAVE = ['serious', 'critical']

useBrowser()
let admin: Client
let owner: Client
let nobody: Client
let agent: Agent
let stopped: Agent

beforeAll(async () => {
  const first = await signInAdmin()
  ;[admin, owner, nobody] = await Promise.all([newUser(first, 'admin'), newUser(first), newUser(first)])
  ;[agent, stopped] = await Promise.all([owner.agent({ memoryMb: 1024 }), owner.agent({ memoryMb: 512 })])
  await owner.ok('POST', `/agents/${stopped.name}/stop?wait=true`)
  await owner.ok('POST', `/agents/${agent.name}/shares`, { email: nobody.email })
})
afterAll(async () => {
  for (const { name } of [agent, stopped]) await owner.ok('DELETE', `/agents/${name}`)
})

describe.each(['dark', 'light'] as const)('in the %s theme nothing grave is found on', (theme) => {
  const open = async (client: Client | null, path: string): Promise<Page> => {
    const context = await newContext({ provoked: [answered(401), answered(404)], reducedMotion: 'reduce' })
    // axe opens an empty page beside, which has no storage.
    await context.addInitScript((value) => {
      if (location.protocol !== 'about:') localStorage.setItem('slipway-theme', value)
    }, theme)
    const page = await context.newPage()
    if (client) await signInAt(page, client, path)
    else await page.goto(path)
    return page
  }
  const check = async (page: Page, what: string): Promise<void> => {
    // What is drawn on a canvas is no text to it; the terminal has its own live region for readers.
    const { violations } = await new AxeBuilder({ page }).exclude('.xterm').analyze()
    const grave = violations.filter(({ impact }) => GRAVE.includes(impact ?? ''))
    const told = grave.map(({ id, help, nodes }) => [id, help, nodes.map(({ html }) => html.slice(0, 200))])
    // Softly: one page's fault does not hide another's.
    expect.soft(told, what).toEqual([])
  }

  it('the pages of strangers', async () => {
    const page = await open(null, '/login')
    await page.getByTestId('login-form').waitFor()
    await check(page, 'login')
    await page.getByLabel('E-mail').fill('nobody@example.org')
    await page.getByLabel('Password', { exact: true }).fill('not the right one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await check(page, 'a refused login')
    for (const path of ['/invitation#token', '/invitation', '/setup']) {
      await page.goto(path)
      await page.getByRole('heading').first().waitFor()
      await check(page, path)
    }
  })

  it('the list of agents, the palette, the help and the form of a new one', async () => {
    const page = await open(owner, '/')
    await page.getByTestId(`agent-row-${agent.name}`).waitFor()
    await check(page, 'the list')
    await page.keyboard.press('Control+k')
    await page.getByTestId('palette').waitFor()
    await check(page, 'the palette')
    await page.keyboard.press('Escape')
    await page.getByTestId('palette').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByTestId('help').waitFor()
    await check(page, 'the help')
    await page.keyboard.press('Escape')
    await page.getByTestId('help').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByTestId('agent-form-more').click()
    await check(page, 'the form')
  })

  it('every page of an agent, and of one that is stopped', async () => {
    const page = await open(owner, `/agents/${agent.name}`)
    await new Screen(page).is('connected')
    await check(page, 'the terminal')
    for (const tab of ['overview', 'logs', 'sharing', 'settings']) {
      await page.getByTestId(`tab-${tab}`).click()
      await page.getByTestId(tab).waitFor()
      if (tab === 'overview') await page.getByTestId('chart-disk').locator('canvas').waitFor()
      if (tab === 'logs') await page.locator('.log-line').first().waitFor()
      if (tab === 'settings') await page.getByTestId('settings-form').waitFor()
      await check(page, tab)
    }
    await page.getByTestId('delete-agent').click()
    await page.getByTestId('confirm-typed').waitFor()
    await check(page, 'the question before a deletion')
    await page.keyboard.press('Escape')
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('usage-as-table').click()
    await page.getByTestId('usage-table').waitFor()
    await check(page, 'the figures as a table')
    await page.goto(`/agents/${stopped.name}`)
    await page.getByTestId('terminal-placeholder').waitFor()
    await check(page, 'a stopped agent')
    await page.goto('/agents/there-is-none')
    await page.getByTestId('not-found').waitFor()
    await check(page, 'an agent that is not there')
  })

  it('the pages of admins, and the account', async () => {
    const page = await open(admin, '/account')
    const places = [
      '/account',
      '/users',
      '/audit',
      '/system-agent/overview',
      '/system-agent/logs',
      '/system-agent/settings',
    ]
    for (const path of places) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.waitForLoadState('networkidle')
      await check(page, path)
    }
  })
})
