/** A visitor walks through the pages on one kind of screen, and looks at each state in both themes. */
import type { BrowserContextOptions, Page } from 'playwright'
import type { Client } from '../support/api.ts'
import { contextOf, goTo, newContext } from '../support/pages.ts'

export const THEMES = ['dark', 'light'] as const
export type Theme = (typeof THEMES)[number]

/** The root element after a page has switched its theme. The API's page has a class of its own for dark. */
const IN_THEME = { dark: 'html:is(.dark, .dark-mode)', light: 'html:not(.dark, .dark-mode)' } as const satisfies Record<
  Theme,
  string
>

/**
 * The two kinds of screen that the product supports. Both use a pixel ratio of 1. The WebGL terminal does not learn of
 * an emulated ratio, and would stay empty; a real one works.
 */
export const SCREENS = {
  wide: { viewport: { width: 1440, height: 900 } },
  narrow: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>
export type ScreenName = keyof typeof SCREENS

const TOAST = '[data-slot="viewport"] li'

/** Called in each state, in each theme. */
export type Look = (page: Page, state: string, theme: Theme) => Promise<void>

export interface VisitorOptions {
  /** Also looks at content below the window's edge. */
  readonly scrolls?: boolean
  /** Draws terminals with WebGL, as most users' browsers do. */
  readonly webgl?: boolean
  /** Leaves out states whose parts are in other states. */
  readonly hurries?: boolean
  /** The themes in which the visitor looks at a state, by the number of states before it. */
  readonly themes?: (seen: number) => readonly Theme[]
}

export class Visitor {
  readonly screen: ScreenName
  /** Whether it goes to states whose parts are in other states, too. */
  readonly isThorough: boolean
  readonly #look: Look
  readonly #scrolls: boolean
  readonly #webgl: boolean
  readonly #themes: (seen: number) => readonly Theme[]
  #seen = 0

  constructor(
    screen: ScreenName,
    look: Look,
    { scrolls = false, webgl = false, hurries = false, themes = () => THEMES }: VisitorOptions = {},
  ) {
    this.screen = screen
    this.isThorough = !hurries
    this.#look = look
    this.#scrolls = scrolls
    this.#webgl = webgl
    this.#themes = themes
  }

  /** Opens a window at `path`, as `client` or without a sign-in. */
  async open(client: Client | null, path: string): Promise<Page> {
    // The states provoke console messages, which do not matter here.
    const options = { ...SCREENS[this.screen], provoked: [/./], webgl: this.#webgl } as const
    const context = client ? await contextOf(client, options) : await newContext(options)
    // The pages follow the system's theme, so that each state is reached once and seen in both.
    await context.addInitScript(() => localStorage.setItem('slipway-theme', 'auto'))
    const page = await context.newPage()
    await goTo(page, path)
    return page
  }

  /** Looks at the present state. Call it when the page is stable. */
  async see(page: Page, state: string): Promise<void> {
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    for (const theme of this.#themes(this.#seen++)) {
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(IN_THEME[theme]).waitFor({ state: 'attached' })
      // One frame for scripts that follow the theme, and one to draw it.
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      )
      await this.#look(page, state, theme)
    }
  }

  /** Looks at a state on the way, whose parts are in other states, if it is thorough. */
  async pass(page: Page, state: string): Promise<void> {
    if (this.isThorough) await this.see(page, state)
  }

  /** Looks at the same state, scrolled to `testId`. Only visitors that see no more than a window need it. */
  async further(page: Page, testId: string, state: string): Promise<void> {
    if (!this.#scrolls) return
    await page.getByTestId(testId).scrollIntoViewIfNeeded()
    await this.see(page, state)
  }

  /** Waits for a toast and keeps it. A toast stays while its window has no focus. */
  async hears(page: Page): Promise<void> {
    await page.waitForFunction((toast) => {
      const said = document.querySelector(toast)
      if (said !== null) dispatchEvent(new Event('blur'))
      return said !== null
    }, TOAST)
  }

  /** Closes all toasts. */
  async heard(page: Page): Promise<void> {
    const toasts = page.locator(TOAST)
    // By script, because a toast may close by itself meanwhile.
    await toasts.locator('[data-slot="close"]').evaluateAll((all) => {
      for (const button of all as HTMLButtonElement[]) button.click()
    })
    await toasts.first().waitFor({ state: 'detached' })
  }

  /** Presses a control, by touch or by pointer. */
  async choose(page: Page, testId: string): Promise<void> {
    const element = page.getByTestId(testId)
    await (this.screen === 'narrow' ? element.tap() : element.click())
  }
}
