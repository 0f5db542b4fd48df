import type { Terminal } from '@xterm/xterm'
import { IS_MAC } from '@/lib/browser/platform.ts'

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  browser: { readonly isMac: boolean }
  /** Whether a key with Option (or AltGr) is left to the browser, which knows what is printed on it. */
  _isThirdLevelShift(browser: object, event: KeyboardEvent): boolean
}

/** The names of keys that type nothing: `F5`, `ArrowLeft`. */
const NAME = /^[A-Z][A-Za-z0-9]+$/
/** Whether a key types a character, alone or, if it is dead, with the next one. */
const isPrinted = ({ key }: KeyboardEvent): boolean => key === 'Dead' || !NAME.test(key)

/**
 * Makes Option on every Apple keyboard the key that its layout says. The emulator takes an iPad for no Mac, and reads
 * a named key with Option as one that types.
 */
export function mendOptionKey(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const isThirdLevel = core._isThirdLevelShift
  core._isThirdLevelShift = (browser, event) =>
    isThirdLevel.call(core, browser, event) && (event.type === 'keypress' || isPrinted(event))
  core.browser = { ...core.browser, isMac: IS_MAC }
}
