/** Somebody who walks through the pages on one kind of screen, and looks at each state in both themes. */
import type { BrowserContextOptions, Page } from 'playwright'
import type { Client } from '../support/api.ts'
import { contextOf, goTo, newContext } from '../support/pages.ts'

export const THEMES = ['dark', 'light'] as const
export type Theme = (typeof THEMES)[number]

/** The root of a page that has taken a theme over: one of ours, or the API's, which has a name of its own for the dark one. */
const IN_THEME = { dark: 'html:is(.dark, .dark-mode)', light: 'html:not(.dark, .dark-mode)' } as const satisfies Record<
  Theme,
  string
>

/**
 * The two screens that the product is made for. Both with one pixel for each of the page's: of an emulated density the
 * WebGL terminal is not told, and stays empty; with a real one it is drawn.
 */
export const SCREENS = {
  wide: { viewport: { width: 1440, height: 900 } },
  narrow: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>
export type ScreenName = keyof typeof SCREENS

const TOAST = '[data-slot="viewport"] li'

/** What is done in each state, in each theme. */
export type Look = (page: Page, state: string, theme: Theme) => Promise<void>

export class Visitor {
  readonly screen: ScreenName
  readonly #look: Look
  readonly #scrolls: boolean
  readonly #webgl: boolean

  /** `scrolls`: what is below the window's edge is seen on its own. `webgl`: terminals are drawn as most people have them. */
  constructor(screen: ScreenName, look: Look, { scrolls = false, webgl = false } = {}) {
    this.screen = screen
    this.#look = look
    this.#scrolls = scrolls
    this.#webgl = webgl
  }

  /** A window of `client`, or of a stranger, at `path`. */
  async open(client: Client | null, path: string): Promise<Page> {
    // What the states provoke in the console is what they show.
    const options = { ...SCREENS[this.screen], provoked: [/./], webgl: this.#webgl } as const
    const context = client ? await contextOf(client, options) : await newContext(options)
    // The pages follow the system, so that each state is reached once and seen in both themes.
    await context.addInitScript(() => localStorage.setItem('slipway-theme', 'auto'))
    const page = await context.newPage()
    await goTo(page, path)
    return page
  }

  /** The page is in the state, and has nothing more to come by itself. */
  async see(page: Page, state: string): Promise<void> {
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(IN_THEME[theme]).waitFor({ state: 'attached' })
      // One frame for what follows the theme by script, one in which it is drawn.
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      )
      await this.#look(page, state, theme)
    }
  }

  /** The same state, scrolled to what `testId` names: of interest to whoever sees no more than a window. */
  async further(page: Page, testId: string, state: string): Promise<void> {
    if (!this.#scrolls) return
    await page.getByTestId(testId).scrollIntoViewIfNeeded()
    await this.see(page, state)
  }

  /** Waits for what is said in passing, and keeps it: it stays in a window that nobody looks at. */
  async hears(page: Page): Promise<void> {
    await page.waitForFunction((toast) => {
      const said = document.querySelector(toast)
      if (said !== null) dispatchEvent(new Event('blur'))
      return said !== null
    }, TOAST)
  }

  /** Takes what was said in passing off the page. */
  async heard(page: Page): Promise<void> {
    const toasts = page.locator(TOAST)
    // By script: one that goes by itself meanwhile is nothing to wait for.
    await toasts.locator('[data-slot="close"]').evaluateAll((all) => {
      for (const button of all as HTMLButtonElement[]) button.click()
    })
    await toasts.first().waitFor({ state: 'detached' })
  }

  /** Presses a control, with a finger or a pointer. */
  async choose(page: Page, testId: string): Promise<void> {
    const element = page.getByTestId(testId)
    await (this.screen === 'narrow' ? element.tap() : element.click())
  }
}
