import type { Terminal } from '@xterm/xterm'
import { IS_MAC } from '@/lib/browser/platform.ts'

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly coreMouseService: {
    readonly areMouseEventsActive: boolean
    /** Told which events a program wants, as a set of bits. */
    onProtocolChange(listener: (events: number) => void): void
  }
  readonly _selectionService: {
    /** Whether the mouse selects although a program wants it. */
    shouldForceSelection(event: MouseEvent): boolean
    /** Whether it selects a rectangle. */
    shouldColumnSelect(event: MouseEvent | KeyboardEvent): boolean
  }
}

/**
 * Lets Option on an Apple keyboard select where a program has the mouse, as Shift does on others, and a rectangle where none has it.
 * The emulator's own option for that gives up the rectangle, and does not know an iPad. Call it when the terminal is open.
 */
export function mendSelecting(terminal: Terminal): void {
  if (!IS_MAC) return
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const { coreMouseService: mouse, _selectionService: selection } = core
  const isForced = selection.shouldForceSelection.bind(selection)
  selection.shouldForceSelection = (event) => event.altKey || isForced(event)
  selection.shouldColumnSelect = (event) => event.altKey && !mouse.areMouseEventsActive
  // A click with Option that selects nothing would be arrow keys for a program that has a cursor of its own.
  mouse.onProtocolChange((events) => (terminal.options.altClickMovesCursor = events === 0))
}
