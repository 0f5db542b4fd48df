/** Large volumes, both ways: large pastes, floods of output, and a search in them. */
import { createHash, randomBytes } from 'node:crypto'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, inject, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

const PASTE_BYTES = 1024 * 1024
/** Ten times the input that may be on its way to a program. */
const LARGE_PASTE_BYTES = 20 * 1024 * 1024

/** Prints a kilobyte a thousand times a second, and checks only whether there is input to read. */
const TALKS = `
import select, time, tty
tty.setraw(0)
for n in range(10 ** 9):
    print('n%d' % n, 'pasted' if select.select([0], [], [], 0)[0] else 'waits', 'o' * 1000, end='\\r\\n', flush=True)
    time.sleep(0.001)`

useBrowser({ ownClipboard: true })
const its = useAgent({ runtime: 'bash' })

const bash = async (): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  return screen
}

describe('volume', () => {
  // Without a page: `e2e/protocol/paste.test.ts`, twenty.
  longIt('pastes a megabyte whole', async () => {
    const screen = await bash()
    const { page } = screen
    const lines = randomBytes(PASTE_BYTES)
      .toString('base64')
      .match(/.{1,63}/g)!
    const text = `${lines.join('\n')}\n`.slice(0, PASTE_BYTES - 1) + '\n'
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    await screen.type(`stty -echo; echo rea""dy; head -c ${PASTE_BYTES} | sha256sum; stty echo\n`)
    await screen.shows('ready')
    await screen.press('Control+Shift+v')
    await screen.shows(createHash('sha256').update(text).digest('hex'))
    await screen.prompt()
  })

  // The test before pastes a megabyte, and `e2e/protocol/paste.test.ts` twenty.
  longIt('pastes twenty megabytes whole, of characters of every length', async () => {
    const screen = await bash()
    const { page } = screen
    // The frames' borders fall inside characters, too. A terminal pastes a line end as CR.
    const lines = randomBytes((LARGE_PASTE_BYTES * 3) / 4)
      .toString('base64')
      .match(/.{1,61}/g)!
    const text = lines.join('é€\u{1f680}\r')
    const bytes = Buffer.from(text)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    // Raw mode: otherwise lines longer than 4095 bytes would be cut, and CR would change.
    await screen.type(`stty raw -echo; echo rea""dy; head -c ${bytes.length} | sha256sum; stty sane\n`)
    await screen.shows('ready')
    await screen.press('Control+Shift+v')
    await screen.shows(createHash('sha256').update(bytes).digest('hex'))
    await screen.prompt()
  })

  // Without a page: `e2e/protocol/silence.test.ts`, “its paste waits for a program that does not read”.
  longIt('goes on with a program that does not read what is pasted, and ends it at once', async () => {
    const screen = await bash()
    const { page } = screen
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), 'x'.repeat(4 * PASTE_BYTES))
    await screen.type(`python3 -c "$(echo ${Buffer.from(TALKS).toString('base64')} | base64 -d)"\n`)
    await screen.shows(/n\d+ /)
    await screen.press('Control+Shift+v')
    await screen.shows(/n\d+ pasted/)
    const count = async (): Promise<number> => Number(/n(\d+) /.exec(await screen.text())?.[1])
    const before = await count()
    // Much more than the server sends without any acknowledgement of the page.
    await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThan(before + 3000)
    const waiting = page.getByTestId('input-waiting')
    await expect.poll(() => waiting.textContent()).toMatch(/^3(\.\d)? MiB of your paste left to send/)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('input-drop').click()
    await waiting.waitFor({ state: 'detached' })
    await screen.hasKeys()
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  })

  it('stays usable in a flood, which Ctrl+C ends', async () => {
    const screen = await bash()
    const { page } = screen
    await screen.type('yes\n')
    await screen.shows(/(^y\n){10}/m)
    // The page stays responsive: a menu opens, a dialog takes keys.
    await page.getByTestId('open-palette').click()
    await page.getByTestId('palette').getByRole('textbox').fill('Keyboard')
    await page.getByRole('option', { name: 'Help and keyboard shortcuts' }).click()
    await page.getByTestId('help').waitFor()
    await screen.press('Escape')
    await page.getByTestId('help').waitFor({ state: 'detached' })
    await screen.element.click()
    await screen.press('Control+c')
    await screen.shows(/\^C\n.*\$ ?$/)
    expect(await screen.run('echo calm $((40+2))')).toBe('calm 42')
  })

  // The walk searches (`terminal-search`), and `frontend/src/terminal/screen/matches.test.ts` counts.
  longIt('finds a word far above in what was printed', async () => {
    const screen = await bash()
    const { page } = screen
    await screen.run('for i in $(seq 500); do echo line-$i; done')
    expect(await screen.text()).not.toContain('line-77\n')
    await screen.press('Control+Shift+F')
    const input = page.getByTestId('terminal-search-input')
    await input.fill('line-77')
    await expect.poll(() => page.getByTestId('terminal-search-count').textContent()).toMatch(/1 of 1|^1$/)
    const found = (): Promise<string> =>
      screen.element.evaluate((element) =>
        (element as unknown as { xterm: { getSelection(): string } }).xterm.getSelection(),
      )
    await expect.poll(found).toBe('line-77')
    await input.fill('line-nowhere')
    await expect.poll(() => page.getByTestId('terminal-search-count').textContent()).toBe('No matches')
    await screen.press('Escape')
    await input.waitFor({ state: 'detached' })
    await screen.hasKeys()
    await screen.run("yes 'one of many' | head -1500")
    await screen.press('Control+Shift+F')
    await input.fill('one of many')
    await expect.poll(() => page.getByTestId('terminal-search-count').textContent()).toMatch(/1000\+$/)
    await screen.press('Escape')
    await input.waitFor({ state: 'detached' })
    await screen.hasKeys()
  })
})
