import { bytesOfEnter } from '@/terminal/input/enterKeys.ts'
import { isPaletteKey } from '@/composables/shell/useShortcuts.ts'

export interface UseTerminalKeysOptions {
  connected: () => boolean
  isFullscreen: () => boolean
  /** Whether Escape goes to the program only. If so, Shift+Escape leaves fullscreen. */
  keepEscape: () => boolean
  leaveFullscreen: () => void
  search: () => void
  copy: () => void
  /** Whether the program can tell Shift+Enter from Enter. */
  disambiguates: () => boolean
  type: (text: string) => void
  /** Whether this user's input counts. If not, the user gets a notice. */
  mayType: () => boolean
  /** Whether to leave the key to the browser, which then reports the pasted content. */
  isPaste: (event: KeyboardEvent) => boolean
}

const isLetter = (event: KeyboardEvent, letter: string): boolean =>
  event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey && event.key.toLowerCase() === letter

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])
const SCROLLING = new Set(['PageUp', 'PageDown', 'Home', 'End'])

/** Whether a key is meant for the program: not a modifier key, and not a key that scrolls. */
const isTyped = ({ key, shiftKey, metaKey }: KeyboardEvent): boolean =>
  !MODIFIERS.has(key) && !metaKey && !(shiftKey && SCROLLING.has(key))

/** The few keys that a focused terminal does not pass on to its program. The help lists each of them. */
export function useTerminalKeys(options: UseTerminalKeysOptions) {
  /** Handles a key in the capture phase, before the emulator gets it. */
  function forPage(event: KeyboardEvent): void {
    if (event.key === 'Escape' && options.isFullscreen()) {
      const forProgramOnly = options.keepEscape() && !event.shiftKey && isIn(event.target, '.xterm')
      if (forProgramOnly || isIn(event.target, '[role="search"]')) return
      // If Escape is kept for the program, Shift+Escape is the page's key alone. Otherwise Escape reaches the program,
      // too.
      if (options.keepEscape()) event.stopPropagation()
      options.leaveFullscreen()
    } else if (isLetter(event, 'f')) {
      event.preventDefault()
      event.stopPropagation()
      options.search()
    } else if (isLetter(event, 'c')) {
      event.preventDefault()
      event.stopPropagation()
      options.copy()
    }
  }

  /**
   * The custom key handler of xterm. If it returns false, the browser and the page get the key instead of the program.
   */
  function forProgram(event: KeyboardEvent): boolean {
    if (isPaletteKey(event, true) || options.isPaste(event)) return false
    if (event.type === 'keydown') {
      if (isTyped(event) && !options.mayType()) return false
      const enter = bytesOfEnter(event, options.disambiguates())
      if (enter !== null) {
        // Otherwise the browser would insert a line break into the emulator's input field.
        event.preventDefault()
        options.type(enter)
        return false
      }
    }
    if (event.key !== 'Tab') return true
    // While no program is connected, Tab moves the focus on: the terminal must not trap the keyboard.
    if (!options.connected()) return false
    // For a screen reader, the emulator leaves keys to the browser as well, and Tab would move the focus.
    event.preventDefault()
    return true
  }

  return { forPage, forProgram }
}
