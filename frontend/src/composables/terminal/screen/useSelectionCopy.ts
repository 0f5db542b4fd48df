import { useEventListener } from '@vueuse/core'
import type { Ref, ShallowRef } from 'vue'
import { copyText } from '@/composables/useCopy.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** Copies the text that the user selects with the pointer, if they have turned this on. */
export function useSelectionCopy(
  container: Readonly<Ref<HTMLElement | null>>,
  screen: Readonly<ShallowRef<Screen | null>>,
): void {
  const preferences = usePreferencesStore()
  let selecting = false
  const begin = (event: MouseEvent): void => {
    selecting = event.button === 0
  }
  useEventListener(container, 'mousedown', begin, { capture: true })
  // On the window: a selection may end outside of the terminal.
  useEventListener(window, 'mouseup', () => {
    const text = selecting && preferences.terminal.copyOnSelect ? screen.value?.terminal.getSelection() : ''
    selecting = false
    if (text) void copyText(text)
  })
}
