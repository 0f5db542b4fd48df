/** Links to a live terminal, and the screens of its guests. */
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { differences, everything, settled } from '../page/cells.ts'
import { visit } from '../pages.ts'
import { Screen } from '../screen.ts'
import type { Owned } from '../use-agent.ts'

/** The audiences of a link, as the dialog names them. */
export const WITH_ACCESS = /^People with access/
export const ANYONE = /^Anyone/
/** A phone with a guest or an owner. */
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** The owner's terminal, with text on it to compare. */
export const ownTerminal = async (its: Owned): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  await screen.run(String.raw`seq 60; printf '\e[1;35;44mcolours\e[0m 漢字\n'`)
  return screen
}

type Access = 'View only' | 'With control'

/** Creates a link to the page's terminal and returns its path. */
export const share = async (page: Page, access: Access, audience: RegExp): Promise<string> => {
  await page.getByTestId('terminal-share').click()
  return linkFrom(page, access, audience)
}

/** Creates the link in the open dialog. */
export const linkFrom = async (page: Page, access: Access, audience: RegExp): Promise<string> => {
  const dialog = page.getByTestId('share-dialog')
  await dialog.getByRole('radio', { name: access }).click()
  await dialog.getByRole('radio', { name: audience }).click()
  await dialog.getByTestId('link-create').click()
  const { pathname, hash } = new URL(await dialog.getByTestId('link-url').innerText())
  expect(pathname + hash).toMatch(/^\/watch#slk_/)
  await dialog.getByTestId('link-done').click()
  await dialog.getByTestId('link').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return pathname + hash
}

/** Asks for control, and the owner hands it over. */
export const takeControl = async (theirs: Screen, mine: Screen): Promise<void> => {
  await theirs.is('connected')
  await theirs.page.getByTestId('control-ask').click()
  await mine.page.getByTestId('control-hand-over').click()
  await theirs.page.getByTestId('control-give-back').waitFor()
  await theirs.element.click()
  await theirs.hasKeys()
}

/**
 * Both screens are the same, down to the last cell, also if their program redraws meanwhile. Only scrolling is separate.
 */
export const looksLike = async (one: Screen, other: Screen): Promise<void> => {
  await settled(other.page)
  const differ = async (): Promise<string> => differences(await everything(other.page), await everything(one.page))
  await expect.poll(differ).toBe('')
}
