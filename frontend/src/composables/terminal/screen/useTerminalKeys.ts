import { bytesOfEnter } from '@/terminal/input/enterKeys.ts'
import { isPaletteKey } from '@/composables/shell/useShortcuts.ts'

export interface UseTerminalKeysOptions {
  connected: () => boolean
  isFullscreen: () => boolean
  /** Whether Escape is the program's alone; Shift+Escape leaves fullscreen then. */
  keepEscape: () => boolean
  leaveFullscreen: () => void
  search: () => void
  copy: () => void
  /** Whether the program can tell Shift+Enter from Enter. */
  disambiguates: () => boolean
  type: (text: string) => void
  /** Whether what is typed counts; where it does not, the person is told. */
  mayType: () => boolean
  /** Whether the key is for the browser, to say what is pasted. */
  isPaste: (event: KeyboardEvent) => boolean
}

const isLetter = (event: KeyboardEvent, letter: string): boolean =>
  event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey && event.key.toLowerCase() === letter

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'])
const SCROLLING = new Set(['PageUp', 'PageDown', 'Home', 'End'])

/** Whether a key is meant for the program: neither half of another one, nor one that scrolls. */
const isTyped = ({ key, shiftKey, metaKey }: KeyboardEvent): boolean =>
  !MODIFIERS.has(key) && !metaKey && !(shiftKey && SCROLLING.has(key))

/** The few keys that a focused terminal does not pass on to its program; the help names each of them. */
export function useTerminalKeys(options: UseTerminalKeysOptions) {
  /** Seen before the emulator sees it, on its way down to it. */
  function forPage(event: KeyboardEvent): void {
    if (event.key === 'Escape' && options.isFullscreen()) {
      const forProgramOnly = options.keepEscape() && !event.shiftKey && isIn(event.target, '.xterm')
      if (forProgramOnly || isIn(event.target, '[role="search"]')) return
      // With the switch on, Shift+Escape is the page's key alone; with it off, Escape goes on to the program, too.
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

  /** xterm's own question: false keeps the key from the program and leaves it to the browser and the page. */
  function forProgram(event: KeyboardEvent): boolean {
    if (isPaletteKey(event, true) || options.isPaste(event)) return false
    if (event.type === 'keydown') {
      if (isTyped(event) && !options.mayType()) return false
      const enter = bytesOfEnter(event, options.disambiguates())
      if (enter !== null) {
        // Else the browser would put a line into the field that the emulator reads from.
        event.preventDefault()
        options.type(enter)
        return false
      }
    }
    if (event.key !== 'Tab') return true
    // A terminal without a program is no trap for the keyboard.
    if (!options.connected()) return false
    // For a screen reader the emulator leaves keys to the browser as well, which would go to the next field.
    event.preventDefault()
    return true
  }

  return { forPage, forProgram }
}
