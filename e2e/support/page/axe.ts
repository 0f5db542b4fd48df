/** axe, put into a page once and asked there: by the driver, which the page's own policy does not bind. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** What keeps somebody from using a page; the rest is advice. */
const GRAVE = ['serious', 'critical']
/** Longest piece of a page's source that a complaint shows, in characters. */
const SHOWN = 200

const WHERE = {
  exclude: [
    // What is drawn on a canvas is no text to it; the terminal has its own live region for readers.
    ['.xterm'],
    // The kit's guards around what is said in passing: who comes to one is sent on at once.
    ['span[aria-hidden="true"][tabindex="0"]'],
  ],
}

interface WithAxe {
  readonly axe: { run(where: object, options: RunOptions): Promise<AxeResults> }
}

/** What axe finds grave on a page as it is now. */
export const graveOn = async (page: Page): Promise<unknown[]> => {
  // Without what nobody reads here: where each element stands, and the text of style sheets.
  const options: RunOptions = { resultTypes: ['violations'], preload: false, selectors: false }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE)
  const { violations, isMenuOpen } = await page.evaluate(
    async ([where, how]) => ({
      violations: (await (window as unknown as WithAxe).axe.run(where, how)).violations,
      isMenuOpen: document.activeElement?.closest('[role="menu"]') != null,
    }),
    [WHERE, options] as const,
  )
  return (
    violations
      .filter(({ impact }) => GRAVE.includes(impact ?? ''))
      // What is behind a menu is hidden from readers and cannot be tabbed to while the menu keeps the keys.
      .filter(({ id }) => !(isMenuOpen && id === 'aria-hidden-focus'))
      .map(({ id, help, nodes }) => [id, help, nodes.map(({ html, any }) => [html.slice(0, SHOWN), any[0]?.message])])
  )
}
