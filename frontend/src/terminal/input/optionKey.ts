import type { Terminal } from '@xterm/xterm'
import { IS_MAC } from '@/lib/browser/platform.ts'

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  browser: { readonly isMac: boolean }
  /** Whether to leave a key with Option (or AltGr) to the browser, which knows the character it prints. */
  _isThirdLevelShift(browser: object, event: KeyboardEvent): boolean
}

/** Names of keys that print no character: `F5`, `ArrowLeft`. */
const NAME = /^[A-Z][A-Za-z0-9]+$/
/** Whether a key prints a character, alone or, for a dead key, together with the next one. */
const isPrinted = ({ key }: KeyboardEvent): boolean => key === 'Dead' || !NAME.test(key)

/**
 * Makes Option on Apple keyboards print what the keyboard's layout says. The emulator does not treat an iPad as a Mac,
 * and takes named keys with Option as characters.
 */
export function mendOptionKey(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const isThirdLevel = core._isThirdLevelShift
  core._isThirdLevelShift = (browser, event) =>
    isThirdLevel.call(core, browser, event) && (event.type === 'keypress' || isPrinted(event))
  core.browser = { ...core.browser, isMac: IS_MAC }
}
