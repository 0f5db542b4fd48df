import { createSharedComposable, useColorMode } from '@vueuse/core'
import { computed } from 'vue'

/** Key of the browser's storage. `src/arrival/theme.ts` reads the same key before the first paint. */
const STORAGE_KEY = 'slipway-theme'

export type ThemeChoice = 'dark' | 'light' | 'auto'

/** The theme: the user's choice, else the system's, else dark. */
export const useTheme = createSharedComposable(() => {
  const mode = useColorMode({ storageKey: STORAGE_KEY, initialValue: 'auto', disableTransition: true })
  return {
    choice: computed<ThemeChoice>({
      get: () => mode.store.value,
      set: (choice) => (mode.store.value = choice),
    }),
    shade: computed<'dark' | 'light'>(() => (mode.state.value === 'light' ? 'light' : 'dark')),
  }
})
