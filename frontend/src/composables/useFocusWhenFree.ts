import { useIntervalFn } from '@vueuse/core'

/** How often to check for open dialogs and menus, in milliseconds. */
const LOOK_MS = 40

/** A menu closes when it loses the focus, even if the user has just opened it. */
const somethingOpen = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null

/**
 * Focuses an element now, or once no dialog or menu is open. It takes the focus from neither, and waits until they have
 * returned it.
 */
export function useFocusWhenFree(focus: () => void): () => void {
  let closing = false
  const { pause, resume } = useIntervalFn(
    () => {
      const open = somethingOpen()
      if (!open && !closing) {
        pause()
        focus()
      }
      closing = open
    },
    LOOK_MS,
    { immediate: false },
  )
  return () => {
    closing = somethingOpen()
    if (closing) resume()
    else focus()
  }
}
