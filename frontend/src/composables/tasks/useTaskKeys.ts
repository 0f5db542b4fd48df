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
  /** Focuses the field of the next message. */
  write?: () => void
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Whether the Escape key has another meaning there, such as to give up a choice. */
const hasOwnEscape = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Escape' && target instanceof Element && target.closest('[data-own-escape]') !== null

/** Keys of the pages of tasks and of conversations. They come before the shortcuts of the shell, which has its own `n` and `/`. */
export function useTaskKeys({ new: openNew, move, filter, close, write }: Keys): void {
  const acts = new Map<string, () => void>([
    ['n', openNew],
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['/', filter],
    ['Escape', close],
    ...(write === undefined ? [] : [['r', write] as const]),
  ])
  useEventListener(
    window,
    'keydown',
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null) return
      if (hasOwnEscape(event)) return
      const act = acts.get(event.key)
      if (act === undefined) return
      event.preventDefault()
      act()
    },
    { capture: true },
  )
}
