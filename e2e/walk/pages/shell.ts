/** The shell around the pages, and the system agent. */
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

/** The server's words for an engine that is years old. */
const WARNINGS = [
  {
    code: 'link_local_open',
    subject: 'network',
    severity: 'critical',
    message: 'Agents reach the addresses of the machine’s own network. The operations guide has a firewall rule.',
    url: 'https://example.org/hardening',
  },
  ...['CVE-2024-21626', 'CVE-2025-31133'].map((code) => ({
    code,
    subject: 'runc 1.1.5',
    severity: 'high',
    message: `runc 1.1.5 has ${code} (a container can undo what hides the kernel from it; fixed in 1.2.8). Update the container engine.`,
    url: `https://example.org/advisories/${code}`,
  })),
]

export const shell = async (visitor: Visitor, { admin, newcomer }: FurnishedServer): Promise<void> => {
  const page = await visitor.open(admin, visitor.isThorough ? '/system-agent' : '/system-agent/settings')
  if (visitor.isThorough) {
    await new Screen(page).is('connected')
    await new Screen(page).shows(/Claude Code v/)
    await visitor.heard(page)
    await visitor.see(page, 'system-terminal')
    await goTo(page, '/system-agent/settings')
  }
  await page.getByTestId('settings-form').waitFor()
  await visitor.see(page, 'system-settings')
  await intercept(page, '*/warnings', (request) => request.fulfill({ json: { items: WARNINGS } }))
  await goTo(page, '/system-agent/logs')
  await page.getByTestId('system-warnings').waitFor()
  await visitor.pass(page, 'system-warnings')
  await page.getByTestId('system-warnings').locator('summary').first().click()
  await page.getByTestId('system-warning').last().locator('summary').click()
  await visitor.see(page, 'system-warnings-open')

  await goTo(page, '/')
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  if (visitor.screen === 'narrow') await page.getByTestId('rail-toggle').tap()
  const rail = visitor.screen === 'narrow' ? page.getByRole('dialog') : page
  await rail.getByTestId('user-menu').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await visitor.see(page, 'user-menu')
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'detached' })
  if (visitor.screen === 'narrow') {
    await visitor.see(page, 'rail')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  await page.getByTestId('palette').waitFor()
  await visitor.see(page, 'palette')
  await page.keyboard.press('Escape')
  await page.getByTestId('palette').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByTestId('help').waitFor()
  await visitor.see(page, 'help')

  const theirs = await visitor.open(newcomer, '/')
  await theirs.getByTestId('first-agent').waitFor()
  await newcomer.ok('DELETE', '/users/me/sign-ins')
  await theirs.getByTestId('signed-out').waitFor()
  await visitor.see(theirs, 'signed-out')
}
