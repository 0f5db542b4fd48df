import { createSharedComposable, useColorMode } from '@vueuse/core'
import { computed } from 'vue'

/** Kept in the browser; `arrival/theme.ts` reads the same key before the first paint. */
const STORAGE_KEY = 'slipway-theme'

export type ThemeChoice = 'dark' | 'light' | 'auto'

/** The theme: dark for whoever has not chosen. */
export const useTheme = createSharedComposable(() => {
  const mode = useColorMode({ storageKey: STORAGE_KEY, initialValue: 'dark', disableTransition: true })
  return {
    choice: computed<ThemeChoice>({
      get: () => mode.store.value,
      set: (choice) => (mode.store.value = choice),
    }),
    shade: computed<'dark' | 'light'>(() => (mode.state.value === 'light' ? 'light' : 'dark')),
  }
})
