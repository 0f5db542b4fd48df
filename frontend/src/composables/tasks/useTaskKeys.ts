import { useEventListener } from '@vueuse/core'

interface Keys {
  /** Opens the dialog of a new task. */
  new: () => void
  /** Moves the selection in the list. */
  move: (step: 1 | -1) => void
  /** Focuses the filter. */
  filter: () => void
  /** Closes the open task. */
  close: () => void
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Keys of the tasks' page. They come before the shortcuts of the shell, which has its own `n` and `/`. */
export function useTaskKeys({ new: openNew, move, filter, close }: Keys): void {
  const acts = new Map<string, () => void>([
    ['n', openNew],
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['/', filter],
    ['Escape', close],
  ])
  useEventListener(
    window,
    'keydown',
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null) return
      const act = acts.get(event.key)
      if (act === undefined) return
      event.preventDefault()
      act()
    },
    { capture: true },
  )
}
