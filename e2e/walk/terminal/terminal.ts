/** An agent's terminal, from Claude's prompt to each state without one. */
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import type { FurnishedServer } from '../place.ts'
import { terminalTabs } from './terminal-tabs.ts'
import type { Visitor } from '../visitor.ts'

/** Prints colours, the symbols of Claude Code, and starts a process that outlives the terminal. */
const SHOW = [
  'clear',
  'ls --color -la / | head -n 12',
  String.raw`printf '\u23f5\u23f5 \u23f8 \u23fa \u23bf \u2714 \u2718 \u2733 \u276f \u25d0 \u2588\u2591 \u256d\u2500\u256e\n'`,
  'setsid -f python3 -m http.server 8000 >/dev/null 2>&1',
]

const FILES = [
  { name: 'screenshot.png', mimeType: 'image/png', buffer: Buffer.from('x') },
  { name: 'notes.md', mimeType: 'text/plain', buffer: Buffer.from('y') },
]

/** Short enough for the last words to fit on one line of a phone. */
const TASK = 'Berth 13 answers 404. Find out why, and fix it with a test.'

export const terminal = async (visitor: Visitor, place: FurnishedServer): Promise<void> => {
  const { owner, running, stopped, failed } = place
  const page = await visitor.open(owner, `/agents/${running.name}`)
  const screen = new Screen(page)
  await screen.shows(/^❯/m)
  await visitor.heard(page)
  await screen.element.click()
  await screen.hasKeys()
  await screen.type(TASK)
  await screen.shows(TASK.slice(-12))
  await visitor.see(page, 'terminal-claude')
  await visitor.choose(page, 'agent-menu')
  await page.getByRole('menuitem', { name: 'Files' }).waitFor()
  await visitor.see(page, 'agent-menu')
  await page.getByRole('menuitem', { name: 'Files' }).click()
  await page.getByTestId('download-form').waitFor()
  await visitor.see(page, 'files')
  await page.keyboard.press('Escape')
  await page.getByTestId('download-form').waitFor({ state: 'detached' })

  await visitor.choose(page, 'terminal-mode-bash')
  await page.getByTestId('confirm-action').waitFor()
  await visitor.see(page, 'terminal-switch')
  await page.getByTestId('confirm-action').evaluate((button) => (button as HTMLButtonElement).click())
  await screen.prompt()
  await visitor.pass(page, 'terminal-connected')
  await screen.element.click()
  await screen.hasKeys()
  await screen.type(`${SHOW.join('; ')}\n`)
  await screen.shows(/╭─╮[^]*\$ ?$/)
  await visitor.see(page, 'terminal-bash')
  await screen.element.click({ button: 'right', position: { x: 60, y: 120 } })
  await page.getByRole('menuitem', { name: 'Terminal settings' }).waitFor()
  await visitor.see(page, 'terminal-menu')
  await page.getByRole('menuitem', { name: 'Terminal settings' }).click()
  await page.getByTestId('terminal-settings').waitFor()
  await visitor.see(page, 'terminal-settings')
  await visitor.further(page, 'notify', 'terminal-settings-end')
  await page.keyboard.press('Escape')
  await page.getByTestId('terminal-settings').waitFor({ state: 'detached' })
  await page.getByTestId('terminal-chooser').setInputFiles(FILES)
  await page.getByTestId('terminal-files').waitFor()
  await visitor.see(page, 'terminal-files')

  await visitor.choose(page, 'terminal-search')
  await page.getByTestId('terminal-search-input').fill('root')
  await page.getByTestId('terminal-search-count').getByText('of').waitFor()
  await visitor.see(page, 'terminal-search')
  await page.keyboard.press('Escape')
  await visitor.choose(page, 'terminal-fullscreen')
  await page.locator('[data-testid="terminal-panel"][data-fullscreen="true"]').waitFor()
  await visitor.see(page, 'terminal-fullscreen')
  await visitor.choose(page, 'terminal-fullscreen')

  await owner.ok('PATCH', `/agents/${running.name}`, { memoryMb: 900 })
  await page.getByTestId('restart-banner').waitFor()
  await visitor.see(page, 'restart-banner')
  await owner.ok('PATCH', `/agents/${running.name}`, { memoryMb: running.memoryMb })
  await page.getByTestId('restart-banner').waitFor({ state: 'detached' })
  // On a phone the keyboard opens only after a tap.
  await screen.element.click()
  await screen.hasKeys()
  // Deletes the files' paths from the line.
  await screen.press('Control+u')
  await screen.type('exit 3\n')
  await screen.error.waitFor()
  await visitor.heard(page)
  await visitor.see(page, 'terminal-ended')
  await visitor.choose(page, 'terminal-error-action')
  await screen.is('connected')
  // The terminal disconnects while files are sent. One upload fails, even at the retry; the other arrives.
  let tries = 0
  await intercept(
    page,
    String.raw`*/files\?path=*`,
    async (request) => {
      tries += 1
      if (tries === 1) {
        await visitor.choose(page, 'terminal-disconnect')
        await screen.is('disconnected')
      }
      await request.abort()
    },
    { times: 2 },
  )
  await page.getByTestId('terminal-chooser').setInputFiles(FILES)
  await page.getByTestId('upload-type').waitFor()
  await visitor.heard(page)
  await visitor.see(page, 'terminal-files-left')
  await page.getByRole('button', { name: 'Close the list of uploads' }).click()
  await visitor.see(page, 'terminal-disconnected')
  if (visitor.isThorough) await terminalTabs(visitor, page, place)

  await goTo(page, `/agents/${stopped.name}`)
  await page.getByTestId('terminal-placeholder').waitFor()
  await visitor.see(page, 'terminal-stopped')
  await goTo(page, `/agents/${failed.name}`)
  await page.getByTestId('agent-reason').waitFor()
  await visitor.see(page, 'terminal-failed')
  await goTo(page, '/agents/there-is-none')
  await page.getByTestId('not-found').waitFor()
  await visitor.see(page, 'agent-not-found')
}
