import type { Terminal } from '@xterm/xterm'
import { IS_MAC } from '@/lib/browser/platform.ts'

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly coreMouseService: {
    readonly areMouseEventsActive: boolean
    /** The listener gets the mouse events that a program wants, as a bit set. */
    onProtocolChange(listener: (events: number) => void): void
  }
  readonly _selectionService: {
    /** Whether the mouse selects text although a program grabs it. */
    shouldForceSelection(event: MouseEvent): boolean
    /** Whether the mouse selects a rectangle. */
    shouldColumnSelect(event: MouseEvent | KeyboardEvent): boolean
  }
}

/**
 * On Apple keyboards, Option selects text while a program grabs the mouse, as Shift does on others. Without a grab it
 * selects a rectangle. The emulator's own option gives up the rectangle, and does not know an iPad. Call it when the
 * terminal is open.
 */
export function mendSelecting(terminal: Terminal): void {
  if (!IS_MAC) return
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const { coreMouseService: mouse, _selectionService: selection } = core
  const isForced = selection.shouldForceSelection.bind(selection)
  selection.shouldForceSelection = (event) => event.altKey || isForced(event)
  selection.shouldColumnSelect = (event) => event.altKey && !mouse.areMouseEventsActive
  // If a program grabs the mouse, it has its own cursor. A click with Option that selects nothing must not send arrow
  // keys to it.
  mouse.onProtocolChange((events) => (terminal.options.altClickMovesCursor = events === 0))
}
