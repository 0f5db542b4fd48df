import { createSharedComposable, useColorMode } from '@vueuse/core'
import { computed } from 'vue'

/** Kept in the browser; `src/arrival/theme.ts` reads the same key before the first paint. */
const STORAGE_KEY = 'slipway-theme'

export type ThemeChoice = 'dark' | 'light' | 'auto'

/** The theme: the system's for a user who has not chosen, and dark where the system has none. */
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
