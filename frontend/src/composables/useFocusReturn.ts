import { nextTick } from 'vue'

/**
 * A dialog that is opened without a button of its own leaves the keys with nobody when it closes. This gives them back
 * to what had them, unless something took them meanwhile. `content` goes to the dialog's property of that name.
 */
export function useFocusReturn() {
  let before = document.activeElement

  function giveBack(event: Event): void {
    event.preventDefault()
    // The dialog is still there, and holds the keys until it is not.
    void nextTick(() => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    })
  }

  return {
    content: { onCloseAutoFocus: giveBack },
    /** For a dialog that is there before it opens. */
    remember: (element: Element | null = document.activeElement): void => {
      before = element
    },
  }
}
