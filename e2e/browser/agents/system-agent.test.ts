/** The system agent's page is for admins only. */
import { inLongForm, longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import type { SystemWarning } from '@slipway/protocol'

/** Pages that explain the warnings. The tests' server serves them, so nothing leaves it. */
const BASE = inject('baseUrl')
const CODES = ['CVE-2024-21626', 'CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'] as const
/** The server's words for an engine of Debian 12. */
const WARNINGS: readonly SystemWarning[] = [
  {
    code: 'link_local_open',
    subject: 'network',
    severity: 'critical',
    message:
      'Agents can reach 169.254.169.254, where clouds hand out the keys of the machine. Set the firewall rule of docs/operating/isolation.md.',
    url: `${BASE}/advisory/rfc3927`,
  },
  ...CODES.map((code) => ({
    code,
    subject: 'runc 1.1.5+ds1-1+deb12u1',
    severity: 'medium' as const,
    message: `runc 1.1.5+ds1-1+deb12u1 may have ${code} (a container can undo what hides the kernel from it; fixed in 1.2.8, 1.3.3, 1.4.0). Your distribution may have mended it under this number: its security tracker says.`,
    url: `${BASE}/advisory/${code}`,
  })),
]

useBrowser()
let admin: Client
let user: Client

beforeAll(async () => {
  const first = await signInAdmin()
  ;[admin, user] = await Promise.all([newUser(first, 'admin'), newUser(first)])
})

describe('the system agent', () => {
  it('opens Claude for an admin, without the permissions skipped', async () => {
    const page = await visit(admin, '/')
    await page.getByTestId('rail-agent-system').click()
    await page.waitForURL('**/system-agent')
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.shows(/Claude Code v/)
    expect(await screen.shows('? for shortcuts')).not.toContain('bypass permissions')
    expect(await page.getByTestId('tab-sharing').count()).toBe(0)
    await page.getByTestId('agent-menu').click()
    await page.getByRole('menuitem', { name: 'Recreate' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)
  })

  it('does not exist for a user', async () => {
    const page = await visit(user, '/system-agent')
    await page.getByTestId('not-found').waitFor()
    expect(await page.getByTestId('rail-list').getByText('System').count()).toBe(0)
    await goTo(page, '/users')
    await page.getByTestId('not-found').waitFor()
  })

  // The walk has the pages of the system agent (`system-settings`, `system-warnings-open`).
  longIt('says what it is for, until its reader has read it', async () => {
    const page = await visit(admin, '/system-agent/overview')
    await page.getByTestId('system-purpose').getByText('Admins share this agent.').waitFor()
    await page.getByTestId('system-purpose-hide').click()
    await page.getByTestId('system-purpose').waitFor({ state: 'detached' })
    await goTo(page, '/system-agent')
    await page.getByTestId('agent-name').waitFor()
    expect(await page.getByTestId('system-purpose').count()).toBe(0)
  })

  // The walk opens such warnings (`system-warnings-open`).
  it.each(inLongForm([390, 1440]))(
    'lists its warnings at %i px: a line for each program, and a link that opens for each',
    async (width) => {
      const page = await visit(admin, '/', { viewport: { width, height: 844 } })
      await intercept(page, '*/warnings', (request) => request.fulfill({ json: { items: WARNINGS } }))
      await goTo(page, '/system-agent/logs')
      const list = page.getByTestId('system-warnings')
      await list.getByText('2 security warnings').click()
      const lines = list.getByTestId('system-warning')
      expect(await lines.allTextContents()).toEqual([
        expect.stringContaining('Agents can reach 169.254.169.254'),
        expect.stringContaining('runc 1.1.5+ds1-1+deb12u1 may have 4 known vulnerabilities.'),
      ])
      expect(await list.getByText(CODES[3]).isVisible()).toBe(false)
      await lines.last().locator('summary').click()
      for (const code of CODES) {
        const link = list.getByRole('link', { name: code })
        await link.scrollIntoViewIfNeeded()
        const opened = page.waitForEvent('popup')
        const asked = page.context().waitForEvent('request', (request) => request.isNavigationRequest())
        await link.click()
        expect((await asked).url()).toBe(`${BASE}/advisory/${code}`)
        await (await opened).close()
      }
      expect(await list.getByRole('link').count()).toBe(CODES.length + 1)
      const overflow = (element: Element): number => element.scrollWidth - element.clientWidth
      expect(await Promise.all([list, page.locator('body')].map((part) => part.evaluate(overflow)))).toEqual([0, 0])
    },
  )
})
