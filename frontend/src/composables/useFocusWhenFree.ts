import { useIntervalFn } from '@vueuse/core'

/** How often what is open is looked at again, in milliseconds. */
const LOOK_MS = 40

/** A menu closes when the focus leaves it, under the hand of whoever has just opened it. */
const somethingOpen = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null

/** Focuses something now, or when the dialog or menu above it has gone: never out of one, and not before it gave focus back. */
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
