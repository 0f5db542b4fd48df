/** A Mac's browser and keyboard, as far as a page can tell. */
import type { CDPSession, Page } from 'playwright'
import type { Client } from '../api.ts'
import { contextOf, type ContextOptions, goTo } from '../pages.ts'

/** What identifies an Apple computer: the user agent, and the navigator's platform. */
const DEVICES = {
  mac: {
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    platform: 'MacIntel',
  },
  ipad: {
    userAgent:
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    platform: 'iPad',
  },
} as const

/** Opens `path` as `client`, on such a computer with a keyboard. */
export const visitOnMac = async (
  client: Client,
  path: string,
  { device = 'mac', ...options }: ContextOptions & { readonly device?: keyof typeof DEVICES } = {},
): Promise<Page> => {
  const { userAgent, platform } = DEVICES[device]
  const context = await contextOf(client, { ...options, userAgent })
  await context.addInitScript((value) => Object.defineProperty(navigator, 'platform', { value }), platform)
  const page = await context.newPage()
  await goTo(page, path)
  return page
}

/** A key pressed with Option: its position, and its character with and without Option. */
export interface OptionKey {
  readonly code: string
  /** The character in the layout; `Dead` waits for the next key. */
  readonly key: string
  readonly plain: string
  readonly keyCode: number
  readonly shift?: boolean
}

/** Modifier bits of Chromium's DevTools protocol. */
const ALT = 1
const SHIFT = 8

/** A Mac's keyboard. Its layout decides the character of a key with Option. */
export class MacKeyboard {
  readonly #page: Page
  readonly #session: CDPSession

  private constructor(page: Page, session: CDPSession) {
    this.#page = page
    this.#session = session
  }

  static async of(page: Page): Promise<MacKeyboard> {
    return new MacKeyboard(page, await page.context().newCDPSession(page))
  }

  /** Presses a key with Option. */
  async option({ code, key, plain, keyCode, shift = false }: OptionKey): Promise<void> {
    await this.#page.keyboard.down('Alt')
    const text = key.length === 1 ? { text: key, unmodifiedText: plain } : {}
    const event = { code, key, windowsVirtualKeyCode: keyCode, modifiers: ALT | (shift ? SHIFT : 0) }
    await this.#session.send('Input.dispatchKeyEvent', { ...event, ...text, type: 'keyDown' })
    await this.#session.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' })
    await this.#page.keyboard.up('Alt')
  }

  /** Presses a dead key with Option and then another key. The system combines both. */
  async dead(key: OptionKey, sign: string, together: string): Promise<void> {
    await this.option(key)
    await this.#session.send('Input.imeSetComposition', { text: sign, selectionStart: 1, selectionEnd: 1 })
    await this.#session.send('Input.insertText', { text: together })
  }
}
