/** The clipboard: what the user copies and pastes, and what a program may do with it. */
import { DEFAULT_PREFERENCES, type TerminalPreferences } from '@slipway/protocol'
import type { Terminal } from '@xterm/headless'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, inject, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser({ ownClipboard: true })
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

const open = async (chosen: Partial<TerminalPreferences> = {}): Promise<Screen> => {
  await its.owner.ok('PUT', '/users/me/preferences', { terminal: { ...DEFAULT_PREFERENCES.terminal, ...chosen } })
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
  await screen.is('connected')
  await screen.prompt()
  await screen.hasKeys()
  return screen
}
const put = (page: Page, text: string) => page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
/** Drags over the first row that shows `text`. */
const select = async (screen: Screen, text: string): Promise<void> => {
  const rows = (await screen.text()).split('\n')
  const row = rows.findIndex((line) => line.startsWith(text))
  const box = (await screen.page.locator('.xterm-screen:visible').boundingBox())!
  const { cols, rows: count } = await screen.size()
  const y = box.y + ((row + 0.5) * box.height) / count
  await screen.page.mouse.move(box.x + 1, y)
  await screen.page.mouse.down()
  await screen.page.mouse.move(box.x + ((text.length + 0.2) * box.width) / cols, y, { steps: 4 })
  await screen.page.mouse.up()
}
/** Number of lines in the scrollback, and whether the view is at the end. */
const scrolledAway = (screen: Screen) =>
  screen.element.evaluate((element) => {
    const { baseY, viewportY } = (element as unknown as { xterm: Terminal }).xterm.buffer.active
    return { lines: baseY, isFollowed: viewportY === baseY }
  })
const menu = async (screen: Screen, item: string): Promise<void> => {
  await screen.element.click({ button: 'right', position: { x: 300, y: 300 } })
  await screen.page.getByRole('menuitem', { name: item }).click()
}

describe('a person', () => {
  // The next test copies by the menu.
  longIt('copies what they select only where they chose that', async () => {
    const screen = await open()
    const { page } = screen
    await put(page, 'before')
    await screen.run('echo selected-words')
    await select(screen, 'selected-words')
    await screen.press('Control+Shift+c')
    await expect.poll(() => clipboard(page)).toBe('selected-words')
    await put(page, 'before')
    await select(screen, 'selected-words')
    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('copy-on-select').click()
    await page.keyboard.press('Escape')
    expect(await clipboard(page)).toBe('before')
    await select(screen, 'selected-words')
    await expect.poll(() => clipboard(page)).toBe('selected-words')
  })

  it('has a menu on the right button: copy, paste, select all, search', async () => {
    const screen = await open()
    const { page } = screen
    await put(page, 'echo pasted-$((40+2))')
    await menu(screen, 'Paste')
    await screen.shows('echo pasted-')
    await screen.hasKeys()
    await screen.press('Enter')
    await screen.shows('pasted-42')
    await menu(screen, 'Select all')
    await menu(screen, 'Copy')
    await expect.poll(() => clipboard(page)).toContain('pasted-42')
    await menu(screen, 'Search')
    await page.getByTestId('terminal-search-input').fill('pasted-')
    await expect.poll(() => page.getByTestId('terminal-search-count').textContent()).toMatch(/^\d of 2$/)
    await page.keyboard.press('Escape')
  })

  // `frontend/src/terminal/screen/scrolling.test.ts` drops it, also under a program that takes the whole screen.
  longIt('clears what has scrolled away, and nothing else', async () => {
    const screen = await open()
    const { page } = screen
    await screen.run('seq 200')
    const shown = await screen.prompt()
    await screen.element.hover()
    await page.mouse.wheel(0, -1_000)
    await expect.poll(() => scrolledAway(screen)).toMatchObject({ isFollowed: false })
    await menu(screen, 'Clear')
    expect(await scrolledAway(screen)).toEqual({ lines: 0, isFollowed: true })
    expect(await screen.text()).toBe(shown)
    await screen.hasKeys()
    expect(await screen.run('seq 200; echo still $((40+2))')).toContain('still 42')
    expect(await scrolledAway(screen)).toMatchObject({ isFollowed: true })
    await screen.type('seq 300 | less\n')
    await screen.shows(/^:$/m)
    const file = await screen.text()
    await screen.element.click({ button: 'right', position: { x: 300, y: 300 } })
    expect(await page.getByRole('menuitem', { name: 'Clear' }).getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await screen.text()).toBe(file)
  })

  // `selecting.test.ts` has a program that has the mouse, and Shift.
  longIt('gives the right button to a program that has the mouse, and Shift with it to the menu', async () => {
    const screen = await open()
    const { page } = screen
    await screen.type("printf '\\e[?1000h\\e[?1006hready\\n'; cat -v\n")
    await screen.shows(/^ready$/m)
    await screen.element.click({ button: 'right', position: { x: 200, y: 200 } })
    await screen.shows(/\^\[\[<2;\d+;\d+M/)
    expect(await page.getByRole('menu').count()).toBe(0)
    await screen.element.click({ button: 'right', position: { x: 200, y: 200 }, modifiers: ['Shift'] })
    await page.getByRole('menuitem', { name: 'Copy' }).waitFor()
  })

  // `frontend/src/terminal/input/paste.test.ts`, “cannot end its own bracket”.
  longIt('pastes into a program that brackets it nothing that could leave the bracket', async () => {
    const screen = await open()
    const { page } = screen
    await screen.type("stty -echo; printf '\\e[?2004hready\\n'; cat -v\n")
    await screen.shows(/^ready$/m)
    await put(page, 'safe\x1b[201~echo evil')
    await screen.press('Control+Shift+v')
    await screen.press('Enter')
    const shown = await screen.shows(/^\^\[\[200~safe\S+\[201~echo evil\^\[\[201~$/m)
    // The bracket ends once, at the end. `cat` shows the symbol that replaces an escape as M-bM-^PM-^[.
    expect(shown.match(/(?<!M-)\^\[\[201~/g)).toHaveLength(1)
  })

  // `files/into-agent.test.ts` presses Ctrl+V with a picture on the clipboard.
  longIt('sends Ctrl+V to the program while there is text on the clipboard', async () => {
    const screen = await open()
    await put(screen.page, 'not this')
    await screen.type('echo rea"dy"; cat -v\n')
    await screen.shows(/^ready$/m)
    // Pressed twice: the first makes the terminal's line editing take the second literally.
    await screen.press('Control+v')
    await screen.press('Control+v')
    await screen.press('Enter')
    await screen.shows(/^\^V$/m)
    expect(await screen.text()).not.toContain('not this')
  })
})

describe('a program', () => {
  const copies = (text: string): string => `printf '\\e]52;c;%s\\a' "$(printf '${text}' | base64 -w0)"`

  // The next test asks, and puts it there.
  longIt('puts text on the clipboard of a user who looks at it and has allowed that, who is told', async () => {
    const screen = await open({ programClipboard: 'write' })
    const { page } = screen
    await put(page, 'before')
    // The text appears only briefly, so wait for it before the command ends.
    await Promise.all([
      page.getByText(`${its.agent.name} copied to your clipboard`).first().waitFor(),
      page.getByText('from the program ü', { exact: true }).first().waitFor(),
      screen.run(copies('from the program ü')),
    ])
    await expect.poll(() => clipboard(page)).toBe('from the program ü')
  })

  /** Waits for the toast. Its text is also announced to screen readers, for a moment. */
  const asks = (page: Page): Promise<void> =>
    page.getByText(`${its.agent.name} wants to copy to your clipboard`).first().waitFor()

  it('asks first where nothing was chosen, or while no user looks, and gets nothing where it was forbidden', async () => {
    const screen = await open()
    const { page } = screen
    await put(page, 'before')
    await screen.run(copies('wanted'))
    await asks(page)
    expect(await clipboard(page)).toBe('before')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect.poll(() => clipboard(page)).toBe('wanted')
    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('program-clipboard').click()
    await page.getByRole('option', { name: 'Ignore' }).click()
    await page.keyboard.press('Escape')
    await screen.element.click()
    await screen.hasKeys()
    await screen.run(copies('forbidden'))
    expect(await clipboard(page)).toBe('wanted')
    expect(await page.getByText('to your clipboard').count()).toBe(0)
    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('program-clipboard').click()
    await page.getByRole('option', { name: 'Copy and notify me' }).click()
    await page.keyboard.press('Escape')
    await screen.element.click()
    await screen.hasKeys()
    await screen.type(`until [ -e go ]; do sleep 0.1; done; ${copies('unseen')}\n`)
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('overview').waitFor()
    await its.owner.upload(its.agent.name, 'go', '')
    await asks(page)
    expect(await clipboard(page)).toBe('wanted')
  })

  // `frontend/src/terminal/programs/hostileOutput.test.ts` and `terminal/attacks.test.ts` ask, too.
  longIt('reads nothing: a question for the clipboard has no answer', async () => {
    const screen = await open()
    await put(screen.page, 'a secret')
    await screen.run(`stty -icanon -echo min 0 time 5; printf '\\e]52;c;?\\a\\e]52;p;?\\e\\\\'; cat >answer; stty sane`)
    expect(await screen.run('wc -c <answer')).toBe('0')
  })
})
