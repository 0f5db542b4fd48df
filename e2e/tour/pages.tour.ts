/** Every page and state, wide and narrow, dark and light, as pictures in `e2e/results/tour`. Nothing is decided here. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@slipway/protocol'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { newContext, signInAt, useBrowser } from '../support/pages.ts'
import { Screen } from '../support/screen.ts'

const RESULTS = join(import.meta.dirname, '../results/tour')
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const LOOKS = (['wide', 'narrow'] as const).flatMap((size) =>
  (['dark', 'light'] as const).map((theme) => ({ size, theme })),
)
/** What the states provoke in the console is what they show. */
const provoked = [/./]

useBrowser()
let admin: Client
let owner: Client
let nobody: Client
let agent: Agent
let stopped: Agent
const failed = 'tour-failed'

beforeAll(async () => {
  mkdirSync(RESULTS, { recursive: true })
  const first = await signInAdmin()
  ;[admin, owner, nobody] = await Promise.all([newUser(first, 'admin'), newUser(first), newUser(first)])
  agent = await owner.agent({ name: 'tour-running', memoryMb: 1024 })
  stopped = await owner.agent({ name: 'tour-stopped', memoryMb: 512 })
  await owner.ok('POST', `/agents/${stopped.name}/stop?wait=true`)
  await owner.ok('POST', '/agents?wait=true', {
    name: failed,
    runtime: 'codex',
    memoryMb: 512,
    image: 'slipway-test-missing:none',
  })
  await owner.ok('POST', `/agents/${agent.name}/shares`, { email: admin.email })
})
afterAll(async () => {
  for (const name of [agent.name, stopped.name, failed]) await owner.call('DELETE', `/agents/${name}`)
})

describe.each(LOOKS)('$size and $theme', ({ size, theme }) => {
  const open = async (client: Client | null, path = '/'): Promise<Page> => {
    const phone = size === 'narrow' ? { isMobile: true, hasTouch: true, deviceScaleFactor: 2 } : {}
    const context = await newContext({ viewport: SIZES[size], provoked, reducedMotion: 'reduce', ...phone })
    await context.addInitScript((value) => localStorage.setItem('slipway-theme', value), theme)
    const page = await context.newPage()
    if (client) await signInAt(page, client, path)
    else await page.goto(path)
    return page
  }
  const keep = (page: Page, name: string) => page.screenshot({ path: join(RESULTS, `${name}-${size}-${theme}.png`) })
  const settled = (page: Page) => page.waitForLoadState('networkidle', { timeout: 4_000 }).catch(() => undefined)

  it('strangers', async () => {
    const page = await open(null)
    for (const [name, path] of [
      ['login', '/login'],
      ['invitation', '/invitation#token'],
      ['invitation-incomplete', '/invitation'],
      ['setup', '/setup'],
    ] as const) {
      await page.goto(path)
      await settled(page)
      await keep(page, name)
    }
    await page.goto('/login')
    await page.getByLabel('E-mail').fill('nobody@example.org')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await keep(page, 'login-refused')
  })

  it('lists', async () => {
    const page = await open(nobody)
    await settled(page)
    await keep(page, 'agents-empty')
    await page.context().close()
    const list = await open(owner)
    await settled(list)
    await keep(list, 'agents')
    await list.route('**/api/agents?*', () => undefined)
    await list.reload()
    await list.waitForTimeout(400)
    await keep(list, 'agents-loading')
    await list.unroute('**/api/agents?*')
    await list.route('**/api/agents?*', (route) => route.fulfill({ status: 503, body: '<html>' }))
    await list.reload()
    await list.getByRole('button', { name: 'Try again' }).first().waitFor()
    await keep(list, 'agents-error')
  })

  it('an agent', async () => {
    const page = await open(owner, `/agents/${agent.name}`)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.shows(/Claude Code v/)
    await settled(page)
    await keep(page, 'terminal-claude')
    for (const tab of ['overview', 'logs', 'sharing', 'settings']) {
      await page.getByTestId(`tab-${tab}`).click()
      await page.getByTestId(tab).waitFor()
      await settled(page)
      if (tab === 'overview') {
        await page.locator('canvas').first().waitFor()
        await page.waitForTimeout(6_000)
      }
      await keep(page, `agent-${tab}`)
    }
    await page.getByTestId('delete-agent').click()
    await page.getByTestId('confirm-typed').waitFor()
    await keep(page, 'delete-dialog')
    await page.keyboard.press('Escape')
    await page.getByTestId('tab-logs').click()
    await page.getByTestId('log-search').fill('terminal')
    await page.getByTestId('log-count').waitFor()
    await keep(page, 'logs-search')
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('usage-as-table').click()
    await page.getByTestId('usage-table').waitFor()
    await page.getByTestId('usage-table').scrollIntoViewIfNeeded()
    await keep(page, 'overview-table')
    await owner.ok('PATCH', `/agents/${agent.name}`, { memoryMb: 900 })
    await page.getByTestId('restart-banner').waitFor()
    await page.getByTestId('tab-terminal').click()
    await keep(page, 'restart-banner')
    await owner.ok('PATCH', `/agents/${agent.name}`, { memoryMb: 1024 })
    await page.getByTestId('terminal-mode-bash').click()
    await page.getByTestId('confirm-action').waitFor()
    await keep(page, 'switch-dialog')
    await page.getByTestId('confirm-action').click()
    await screen.prompt()
    await page.keyboard.type('ls --color -la / | head; printf "\\u23f5 \\u23f8 \\u2714 \\u276f \\u2588\\u2591|\\n"\n')
    await settled(page)
    await page.waitForTimeout(3_500)
    await keep(page, 'terminal-bash')
    const openMenu = () => screen.element.click({ button: 'right', position: { x: 60, y: 120 } })
    await openMenu()
    await page.getByRole('menu').waitFor()
    await keep(page, 'terminal-menu')
    await page.getByRole('menuitem', { name: 'Terminal settings' }).click()
    await page.getByTestId('terminal-settings').waitFor()
    await keep(page, 'terminal-settings')
    await page.getByTestId('notify').scrollIntoViewIfNeeded()
    await keep(page, 'terminal-settings-end')
    await page.keyboard.press('Escape')
    await page.getByTestId('terminal-chooser').setInputFiles([
      { name: 'screenshot.png', mimeType: 'image/png', buffer: Buffer.from('x') },
      { name: 'notes.md', mimeType: 'text/plain', buffer: Buffer.from('y') },
    ])
    await page.getByTestId('terminal-files').waitFor()
    await keep(page, 'terminal-files')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await keep(page, 'terminal-disconnected')
  })

  it('agents that do not run', async () => {
    const page = await open(owner, `/agents/${stopped.name}`)
    await page.getByTestId('terminal-placeholder').waitFor()
    await keep(page, 'terminal-stopped')
    for (const tab of ['overview', 'logs']) {
      await page.getByTestId(`tab-${tab}`).click()
      await settled(page)
      await keep(page, `stopped-${tab}`)
    }
    await page.goto(`/agents/${failed}`)
    await page.getByTestId('terminal-placeholder').waitFor()
    await keep(page, 'terminal-failed')
    await page.goto(`/agents/${failed}/logs`)
    await settled(page)
    await keep(page, 'failed-logs')
    await page.goto('/agents/there-is-none')
    await page.getByTestId('not-found').waitFor()
    await keep(page, 'not-found')
  })

  it('an engine that went away', async () => {
    const page = await open(owner)
    await page.routeWebSocket(/\/events$/, () => undefined)
    await page.route('**/api/agents?*', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { items: Agent[] }
      for (const item of body.items)
        Object.assign(item, {
          state: 'failed',
          reason: {
            code: 'engine_unavailable',
            message: 'The container engine does not answer. The state is shown again as soon as it does.',
          },
        })
      await route.fulfill({ response, json: body })
    })
    await page.reload()
    await page.getByTestId(`agent-row-${agent.name}`).waitFor()
    await keep(page, 'engine-gone-list')
    await page.getByTestId(`agent-row-${agent.name}`).getByRole('link').click()
    await page.getByTestId('terminal-placeholder').waitFor()
    await keep(page, 'engine-gone-agent')
  })

  it('people and places', async () => {
    const page = await open(admin, '/account')
    await settled(page)
    await keep(page, 'account')
    for (const [name, path] of [
      ['users', '/users'],
      ['audit', '/audit'],
      ['system-terminal', '/system-agent'],
      ['system-overview', '/system-agent/overview'],
      ['system-settings', '/system-agent/settings'],
    ] as const) {
      await page.goto(path)
      await settled(page)
      await page.waitForTimeout(1_000)
      await keep(page, name)
    }
    await page.goto('/')
    await settled(page)
    if (size === 'narrow') {
      await page.getByTestId('rail-toggle').tap()
      await page.getByRole('dialog').waitFor()
      await keep(page, 'rail-sheet')
      await page.keyboard.press('Escape')
    }
    await page.keyboard.press('Control+k')
    await page.getByTestId('palette').waitFor()
    await keep(page, 'palette')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByTestId('help').waitFor()
    await keep(page, 'help')
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.getByTestId('agent-form').waitFor()
    await page.getByTestId('agent-form-more').click()
    await keep(page, 'create-dialog')
  })
})

it('says where the pictures are', () => {
  process.stdout.write(`${RESULTS} (${inject('baseUrl')})\n`)
})
