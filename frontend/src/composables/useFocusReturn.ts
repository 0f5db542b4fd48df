import { nextTick } from 'vue'

/**
 * If a dialog has no button that opened it, nothing is focused after it closes. This returns the focus to the element
 * that had it before, unless another element has it by then. Pass `content` to the dialog's property of that name.
 */
export function useFocusReturn() {
  let before = document.activeElement

  function giveBack(event: Event): void {
    event.preventDefault()
    // Until the next tick the dialog still has the focus.
    void nextTick(() => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    })
  }

  return {
    content: { onCloseAutoFocus: giveBack },
    /** For a dialog that is mounted before it opens. */
    remember: (element: Element | null = document.activeElement): void => {
      before = element
    },
  }
}
