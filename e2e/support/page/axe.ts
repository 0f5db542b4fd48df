/** Runs axe in a page. The driver injects it, because the page's content security policy would block it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Impacts that keep a user from using the page. Others are advice. */
const GRAVE = ['serious', 'critical']
/** Longest part of a page's source in a complaint, in characters. */
const SHOWN = 200

const WHERE = {
  exclude: [
    // axe cannot read text on a canvas. The terminal has its own live region for screen readers.
    ['.xterm'],
    // Focus guards of the UI library around toasts. They pass the focus on at once.
    ['span[aria-hidden="true"][tabindex="0"]'],
  ],
}

interface WithAxe {
  readonly axe: { run(where: object, options: RunOptions): Promise<AxeResults> }
}

/** The serious violations that axe finds in the page's present state. */
export const graveOn = async (page: Page): Promise<unknown[]> => {
  // Leaves out data that the tests do not use: selectors of elements, and the text of style sheets.
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
      // While a menu has the focus, elements behind it are hidden from screen readers, and Tab cannot reach them.
      .filter(({ id }) => !(isMenuOpen && id === 'aria-hidden-focus'))
      .map(({ id, help, nodes }) => [id, help, nodes.map(({ html, any }) => [html.slice(0, SHOWN), any[0]?.message])])
  )
}
