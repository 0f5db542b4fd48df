import { useIntervalFn } from '@vueuse/core'

/** How often an open dialog is looked at again, in milliseconds. */
const LOOK_MS = 40

const dialogOpen = (): boolean => document.querySelector('[role="dialog"]') !== null

/** Focuses something now, or when the dialog above it has gone: never out of a dialog, and not before it gave focus back. */
export function useFocusWhenFree(focus: () => void): () => void {
  let closing = false
  const { pause, resume } = useIntervalFn(
    () => {
      const open = dialogOpen()
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
    closing = dialogOpen()
    if (closing) resume()
    else focus()
  }
}
